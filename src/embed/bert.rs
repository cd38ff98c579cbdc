//! BERT's forward pass over a ragged batch: the sequences' tokens lie one after another, nothing is padded.
//!
//! Linear layers see one matrix of all tokens; attention runs per sequence. A batch runs on one thread, so nothing
//! is synchronised inside a layer; callers give each thread its own batch.

use pulp::Arch;

use super::attention::Attention;
use super::config::{BertConfig, Pooling, Recipe};
use super::matmul::{Aligned, Finish, Product};
use super::vector::AddNorm;
use super::weights::{Linear, Norm, Weights};

/// A loaded model.
pub(super) struct Bert {
    config: BertConfig,
    weights: Weights,
    arch: Arch,
}

impl Bert {
    /// Joins the shape with its weights.
    pub(super) fn new(config: BertConfig, weights: Weights) -> Self {
        Self { config, weights, arch: Arch::new() }
    }

    /// One vector a sequence of word-piece ids, in order.
    ///
    /// Sequences are not empty, not longer than the model has positions, and hold ids of its vocabulary: the
    /// tokenizer was checked against the config at construction.
    pub(super) fn encode(&self, sequences: &[&[u32]], recipe: &Recipe) -> Vec<Vec<f32>> {
        let hidden = self.config.hidden_size;
        let n_tokens: usize = sequences.iter().map(|s| s.len()).sum();
        let longest = sequences.iter().map(|s| s.len()).max().unwrap_or(0);
        let mut states = self.embed(sequences, n_tokens);
        let mut scratch = Scratch {
            qkv: Aligned::zeros(n_tokens * 3 * hidden),
            attended: Aligned::zeros(n_tokens * hidden),
            inner: Aligned::zeros(n_tokens * self.config.intermediate_size),
            next: Aligned::zeros(n_tokens * hidden),
            attention: Attention::new(longest, self.config.num_attention_heads, self.config.head_width()),
        };
        for index in 0..self.weights.layers.len() {
            self.layer(index, sequences, &mut states, &mut scratch);
        }
        let mut rows = states.as_slice().chunks_exact(hidden);
        sequences.iter().map(|s| pool(rows.by_ref().take(s.len()), hidden, recipe)).collect()
    }

    fn embed(&self, sequences: &[&[u32]], n_tokens: usize) -> Aligned {
        let hidden = self.config.hidden_size;
        let mut states = Aligned::zeros(n_tokens * hidden);
        let mut rows = states.as_mut_slice().chunks_exact_mut(hidden);
        for sequence in sequences {
            let positions = self.weights.positions.chunks_exact(hidden);
            for ((id, position), row) in sequence.iter().zip(positions).zip(rows.by_ref()) {
                let word = &self.weights.words[*id as usize * hidden..][..hidden];
                row.iter_mut().zip(word).zip(position).for_each(|((x, w), p)| *x = w + p);
            }
        }
        self.add_norm(states.as_mut_slice(), &[], &self.weights.norm);
        states
    }

    /// One transformer layer: `states` in and out.
    fn layer(&self, index: usize, sequences: &[&[u32]], states: &mut Aligned, scratch: &mut Scratch) {
        let layer = &self.weights.layers[index];
        let hidden = self.config.hidden_size;
        let Scratch { qkv, attended, inner, next, attention } = scratch;
        self.linear(&layer.qkv, Finish::Plain, states, qkv);
        let mut first = 0;
        for sequence in sequences {
            let end = first + sequence.len();
            let rows = &qkv.as_slice()[3 * hidden * first..3 * hidden * end];
            attention.attend(self.arch, rows, &mut attended.as_mut_slice()[hidden * first..hidden * end]);
            first = end;
        }
        self.linear(&layer.attention_out, Finish::Plain, attended, next);
        self.add_norm(next.as_mut_slice(), states.as_slice(), &layer.attention_norm);
        self.linear(&layer.widen, Finish::Gelu, next, inner);
        self.linear(&layer.narrow, Finish::Plain, inner, states);
        self.add_norm(states.as_mut_slice(), next.as_slice(), &layer.norm);
    }

    fn linear(&self, layer: &Linear, finish: Finish, input: &Aligned, out: &mut Aligned) {
        let (width, depth) = (layer.bias.len(), layer.weights.depth());
        self.arch.dispatch(Product {
            n_rows: input.as_slice().len() / depth,
            left: input.as_slice(),
            left_stride: depth,
            right: &layer.weights,
            bias: &layer.bias,
            finish,
            out: out.as_mut_slice(),
            out_stride: width,
        });
    }

    fn add_norm(&self, out: &mut [f32], residual: &[f32], norm: &Norm) {
        let epsilon = self.config.layer_norm_eps;
        self.arch.dispatch(AddNorm { out, residual, gain: &norm.gain, shift: &norm.shift, epsilon });
    }
}

/// Buffers that all layers of a batch share.
struct Scratch {
    qkv: Aligned,
    attended: Aligned,
    inner: Aligned,
    next: Aligned,
    attention: Attention,
}

/// One vector from a sequence's token vectors. A zero vector stays zero when normalised.
fn pool<'a>(mut tokens: impl ExactSizeIterator<Item = &'a [f32]>, hidden: usize, recipe: &Recipe) -> Vec<f32> {
    let mut vector = match recipe.pooling {
        Pooling::Cls => tokens.next().map_or_else(|| vec![0.0; hidden], <[f32]>::to_vec),
        Pooling::Mean => {
            let n = tokens.len() as f32;
            let mut sum = vec![0.0_f32; hidden];
            for token in tokens.by_ref() {
                sum.iter_mut().zip(token).for_each(|(s, x)| *s += x);
            }
            for s in &mut sum {
                *s /= n;
            }
            sum
        }
    };
    // What Cls leaves unread belongs to this sequence and must not be taken for the next one's.
    tokens.for_each(drop);
    if recipe.normalize {
        let norm = vector.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-12);
        for x in &mut vector {
            *x /= norm;
        }
    }
    vector
}
