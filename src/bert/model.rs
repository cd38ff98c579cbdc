//! BERT's forward pass over a ragged batch: the sequences' tokens lie one after another, nothing is padded.
//!
//! Linear layers see one matrix of all tokens; attention runs per sequence. A batch runs on one thread, so nothing
//! is synchronised inside a layer; callers give each thread its own batch.

use pulp::Arch;

use super::attention::Attention;
use super::config::BertConfig;
use super::matmul::{Aligned, Finish, Product};
use super::vector::AddNorm;
use super::weights::{Linear, Norm, Weights};

/// One text, or a pair, as the model reads it.
#[derive(Clone, Copy, Debug)]
pub struct Sequence<'a> {
    /// Word-piece ids, specials included: at least one, no more than the model has positions, each of its vocabulary.
    pub ids: &'a [u32],
    /// Where the tokens of type 1 begin; `ids.len()` where there are none.
    pub second: usize,
    /// So many tokens, from the first, are attended to; the others (`ColBERT`'s masks) attend and are not seen.
    pub n_seen: usize,
}

impl<'a> Sequence<'a> {
    /// A text of one type, every token of it seen.
    pub fn plain(ids: &'a [u32]) -> Self {
        Self { ids, second: ids.len(), n_seen: ids.len() }
    }
}

/// Which tokens' states are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All of a sequence.
    Every,
    /// The first (`[CLS]`), which spares most of the last layer.
    First,
}

/// The hidden states of a batch, a row a token, sequences one after another.
pub struct States {
    rows: Aligned,
    /// Rows of each sequence.
    lengths: Vec<usize>,
    hidden: usize,
}

impl States {
    /// Each sequence's rows, in order.
    pub fn sequences(&self) -> impl Iterator<Item = &[f32]> {
        let mut rest = self.rows.as_slice();
        self.lengths.iter().map(move |n_rows| {
            let (rows, after) = rest.split_at(n_rows * self.hidden);
            rest = after;
            rows
        })
    }
}

/// A loaded model.
pub struct Bert {
    config: BertConfig,
    weights: Weights,
    arch: Arch,
}

impl Bert {
    /// Joins the shape with its weights.
    pub fn new(config: BertConfig, weights: Weights) -> Self {
        Self { config, weights, arch: Arch::new() }
    }

    /// The last layer's states. Runs on this thread alone; see [`super::batch`].
    pub fn states(&self, sequences: &[Sequence<'_>], wanted: Wanted) -> States {
        let hidden = self.config.hidden_size;
        let n_tokens: usize = sequences.iter().map(|s| s.ids.len()).sum();
        let longest = sequences.iter().map(|s| s.ids.len()).max().unwrap_or(0);
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
        match wanted {
            Wanted::Every => States { rows: states, lengths: sequences.iter().map(|s| s.ids.len()).collect(), hidden },
            Wanted::First => {
                States { rows: first_rows(&states, sequences, hidden), lengths: vec![1; sequences.len()], hidden }
            }
        }
    }

    fn embed(&self, sequences: &[Sequence<'_>], n_tokens: usize) -> Aligned {
        let hidden = self.config.hidden_size;
        let mut states = Aligned::zeros(n_tokens * hidden);
        let mut rows = states.as_mut_slice().chunks_exact_mut(hidden);
        for sequence in sequences {
            for (at, (id, row)) in sequence.ids.iter().zip(rows.by_ref()).enumerate() {
                let position = &self.weights.positions[usize::from(at >= sequence.second)][at * hidden..][..hidden];
                let word = &self.weights.words[*id as usize * hidden..][..hidden];
                row.iter_mut().zip(word).zip(position).for_each(|((x, w), p)| *x = w + p);
            }
        }
        self.add_norm(states.as_mut_slice(), &[], &self.weights.norm);
        states
    }

    /// One transformer layer: `states` in and out.
    fn layer(&self, index: usize, sequences: &[Sequence<'_>], states: &mut Aligned, scratch: &mut Scratch) {
        let layer = &self.weights.layers[index];
        let hidden = self.config.hidden_size;
        let Scratch { qkv, attended, inner, next, attention } = scratch;
        self.linear(&layer.qkv, Finish::Plain, states, qkv);
        let mut first = 0;
        for sequence in sequences {
            let end = first + sequence.ids.len();
            let rows = &qkv.as_slice()[3 * hidden * first..3 * hidden * end];
            attention.attend(
                self.arch,
                rows,
                sequence.n_seen,
                &mut attended.as_mut_slice()[hidden * first..hidden * end],
            );
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

/// The first row of each sequence.
fn first_rows(states: &Aligned, sequences: &[Sequence<'_>], hidden: usize) -> Aligned {
    let mut rows = Aligned::zeros(sequences.len() * hidden);
    let mut at = 0;
    for (row, sequence) in rows.as_mut_slice().chunks_exact_mut(hidden).zip(sequences) {
        row.copy_from_slice(&states.as_slice()[at * hidden..][..hidden]);
        at += sequence.ids.len();
    }
    rows
}
