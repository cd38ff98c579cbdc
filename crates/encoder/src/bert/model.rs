//! BERT's forward pass over a ragged batch: the sequences' tokens lie one after another, without padding.
//!
//! Linear layers see one matrix of all tokens; attention runs per sequence. A batch runs on one thread, so nothing is
//! synchronised inside a layer; callers give each thread a separate batch.

use std::sync::{Mutex, PoisonError};

use super::attention::{Attention, Heads};
use super::config::BertConfig;
use super::product::{Aligned, Finish};
use super::tiles::TileBuffers;
use super::vector::AddNorm;
use super::weights::{Layer, Norm, Weights};

/// One text, or a pair, as the model reads it.
#[derive(Clone, Copy, Debug)]
pub struct Sequence<'a> {
    /// Word-piece ids, specials included: at least one, at most as many as the model has positions, each in its
    /// vocabulary.
    pub ids: &'a [u32],
    /// Index of the first token of type 1; `ids.len()` if there are none.
    pub second: usize,
    /// Number of tokens, from the first, that are attended to; the others (`ColBERT`'s masks) attend without being
    /// attended to.
    pub n_seen: usize,
}

/// Selection of tokens whose states are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All tokens of a sequence.
    Every,
    /// The first token (`[CLS]`), which saves most of the last layer.
    First,
}

/// The hidden states of a batch, one row per token, sequences one after another.
pub struct States {
    rows: Aligned,
    /// Rows of each sequence.
    lengths: Vec<usize>,
    hidden: usize,
}

impl States {
    /// Returns each sequence's rows, in order.
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
    /// Buffers of finished batches: as many as batches ever ran at once. Fresh memory would cost a page fault every 4
    /// KiB.
    idle: Mutex<Vec<LayerBuffers>>,
}

impl Bert {
    /// Combines the shape with its weights.
    pub fn new(config: BertConfig, weights: Weights) -> Self {
        Self { config, weights, idle: Mutex::default() }
    }

    /// Returns the last layer's states. Runs on this thread alone; see [`super::batch`].
    pub fn states(&self, sequences: &[Sequence<'_>], wanted: Wanted) -> States {
        let hidden = self.config.hidden_size;
        let mut lengths: Vec<usize> = sequences.iter().map(|sequence| sequence.ids.len()).collect();
        let mut scratch =
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
        let longest = lengths.iter().copied().max().unwrap_or(0);
        let mut attention = scratch
            .attention
            .take()
            .filter(|(length, _)| *length >= longest)
            .unwrap_or_else(|| {
                let (n_heads, width) = (self.config.num_attention_heads, self.config.head_width());
                (longest, Attention::new(longest, n_heads, width, self.weights.kernel))
            });
        let mut states = self.embed(sequences, lengths.iter().sum());
        let last = self.weights.layers.len().saturating_sub(1);
        for (index, layer) in self.weights.layers.iter().enumerate() {
            let first_alone = wanted == Wanted::First && index == last;
            self.layer(layer, sequences, first_alone, &mut states, &mut scratch, &mut attention.1);
        }
        if wanted == Wanted::First {
            if self.weights.layers.is_empty() {
                states = first_rows(states.as_slice(), sequences, hidden);
            }
            lengths.fill(1);
        }
        scratch.attention = Some(attention);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(scratch);
        States { rows: states, lengths, hidden }
    }

    fn embed(&self, sequences: &[Sequence<'_>], n_tokens: usize) -> Aligned {
        let width = self.config.hidden_size;
        let mut states = Aligned::zeros(n_tokens * width);
        let mut rows = states.as_mut_slice().chunks_exact_mut(width);
        for sequence in sequences {
            for (at, (id, row)) in sequence.ids.iter().zip(rows.by_ref()).enumerate() {
                let position = &self.weights.positions[usize::from(at >= sequence.second)]
                    [at * width..][..width];
                let word = &self.weights.words[*id as usize * width..][..width];
                row.iter_mut().zip(word).zip(position).for_each(|((x, w), p)| *x = w + p);
            }
        }
        self.add_norm(states.as_mut_slice(), &[], &self.weights.norm);
        states
    }

    /// Computes one transformer layer: `states` in and out. With `first_alone` only the first row of each sequence is
    /// output.
    fn layer(
        &self,
        layer: &Layer,
        sequences: &[Sequence<'_>],
        first_alone: bool,
        states: &mut Aligned,
        scratch: &mut LayerBuffers,
        attention: &mut Attention,
    ) {
        let hidden = self.config.hidden_size;
        let n_tokens = states.as_slice().len() / hidden;
        let LayerBuffers { tokens, queries, attended, inner, next, product, .. } = scratch;
        let tokens = tokens.room(n_tokens * 3 * hidden);
        let queries = if first_alone {
            layer.qkv.run(hidden..3 * hidden, Finish::Plain, states.as_slice(), tokens, product);
            *states = first_rows(states.as_slice(), sequences, hidden);
            let queries = queries.room(sequences.len() * 3 * hidden);
            layer.qkv.run(0..hidden, Finish::Plain, states.as_slice(), queries, product);
            &*queries
        } else {
            layer.qkv.run(0..3 * hidden, Finish::Plain, states.as_slice(), tokens, product);
            &*tokens
        };
        let n_rows = states.as_slice().len() / hidden;
        let attended = attended.room(n_rows * hidden);
        let (mut token, mut row) = (0, 0);
        for sequence in sequences {
            let n_tokens = sequence.ids.len();
            let n_queries = if first_alone { 1 } else { n_tokens };
            let heads = Heads {
                queries: &queries[row * 3 * hidden..],
                query_stride: 3 * hidden,
                tokens: &tokens[token * 3 * hidden..][..n_tokens * 3 * hidden],
                n_seen: sequence.n_seen,
            };
            attention.attend(product, &heads, &mut attended[row * hidden..][..n_queries * hidden]);
            token += n_tokens;
            row += n_queries;
        }
        let next = next.room(n_rows * hidden);
        layer.attention_out.run(0..hidden, Finish::Plain, attended, next, product);
        self.add_norm(next, states.as_slice(), &layer.attention_norm);
        let intermediate = self.config.intermediate_size;
        let inner = inner.room(n_rows * intermediate);
        layer.widen.run(0..intermediate, Finish::Gelu, next, inner, product);
        layer.narrow.run(0..hidden, Finish::Plain, inner, states.as_mut_slice(), product);
        self.add_norm(states.as_mut_slice(), next, &layer.norm);
    }

    fn add_norm(&self, out: &mut [f32], residual: &[f32], norm: &Norm) {
        let epsilon = self.config.layer_norm_eps();
        self.weights.kernel.arch.dispatch(AddNorm {
            out,
            residual,
            gain: &norm.gain,
            shift: &norm.shift,
            epsilon,
        });
    }
}

/// Buffers that all layers of a batch share.
#[derive(Default)]
struct LayerBuffers {
    /// Queries, keys and values of every token.
    tokens: Aligned,
    /// Queries, keys and values of first tokens, when only those are wanted; only the queries are computed.
    queries: Aligned,
    attended: Aligned,
    inner: Aligned,
    next: Aligned,
    product: TileBuffers,
    /// Attention scratch, with the longest sequence that it has room for.
    attention: Option<(usize, Attention)>,
}

/// Returns the first row of each sequence.
fn first_rows(states: &[f32], sequences: &[Sequence<'_>], hidden: usize) -> Aligned {
    let mut rows = Aligned::zeros(sequences.len() * hidden);
    let mut at = 0;
    for (row, sequence) in rows.as_mut_slice().chunks_exact_mut(hidden).zip(sequences) {
        row.copy_from_slice(&states[at * hidden..][..hidden]);
        at += sequence.ids.len();
    }
    rows
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::path::Path;

    use super::*;
    use crate::bert::Tensors;
    use crate::bert::{Instructions, Kernel};
    use ragtriage_core::config::Precision;

    fn tiny(kernel: Kernel) -> Bert {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/tiny-bert");
        read(&folder, kernel)
    }

    fn read(folder: &Path, kernel: Kernel) -> Bert {
        let [config, weights] = ["config.json", "model.safetensors"].map(|name| folder.join(name));
        let shape = BertConfig::read(&std::fs::read(&config).unwrap(), &config).unwrap();
        let bytes = std::fs::read(&weights).unwrap();
        let weights =
            Weights::read(&Tensors::read(&bytes, &weights).unwrap(), &shape, kernel).unwrap();
        Bert::new(shape, weights)
    }

    fn rows(states: &States) -> Vec<Vec<f32>> {
        states.sequences().map(<[f32]>::to_vec).collect()
    }

    /// Returns a text of one type whose tokens are all attended to.
    fn plain(ids: &[u32]) -> Sequence<'_> {
        Sequence { ids, second: ids.len(), n_seen: ids.len() }
    }

    /// Returns lengths on both sides of the tiles' heights and of a block of queries.
    fn sequences(ids: &[u32]) -> Vec<Sequence<'_>> {
        [1, 5, 8, 9, 33, 50].map(|length| plain(&ids[length..2 * length])).to_vec()
    }

    #[test]
    fn first_states_alone_are_those_of_the_whole_pass_to_the_bit() {
        let ids: Vec<u32> = (0..100).map(|i| i * 7 % 50).collect();
        for kernel in Kernel::every() {
            let bert = tiny(kernel);
            let every = rows(&bert.states(&sequences(&ids), Wanted::Every));
            let first = rows(&bert.states(&sequences(&ids), Wanted::First));
            let hidden = bert.config.hidden_size;
            assert!(
                every.iter().zip(&first).all(|(every, first)| every[..hidden] == **first),
                "{kernel:?}"
            );
        }
    }

    #[test]
    fn a_sequence_has_the_same_bits_alone_and_in_company() {
        let ids: Vec<u32> = (0..100).map(|i| i * 7 % 50).collect();
        for kernel in Kernel::every() {
            let bert = tiny(kernel);
            let together = rows(&bert.states(&sequences(&ids), Wanted::Every));
            // Twice, the second time in scratch that longer sequences have used.
            for _ in 0..2 {
                for (sequence, expected) in sequences(&ids).into_iter().zip(&together) {
                    assert_eq!(
                        rows(&bert.states(&[sequence], Wanted::Every)),
                        std::slice::from_ref(expected),
                        "{kernel:?}"
                    );
                }
            }
        }
    }

    #[test]
    fn kernels_of_one_name_have_the_same_bits() {
        let ids: Vec<u32> = (0..100).map(|i| i * 7 % 50).collect();
        let mut by_name = BTreeMap::new();
        for kernel in Kernel::every() {
            let states = rows(&tiny(kernel).states(&sequences(&ids), Wanted::Every));
            let expected = by_name.entry(kernel.name()).or_insert_with(|| states.clone());
            assert_eq!(*expected, states, "{kernel:?}");
        }
    }

    #[test]
    fn bfloat16_stays_within_its_rounding_of_float32_and_without_tiles_is_it() {
        let ids: Vec<u32> = (0..100).map(|i| i * 7 % 50).collect();
        let [exact, rounded] = [Precision::Float32, Precision::Bfloat16].map(|precision| {
            let kernel = Kernel::new(precision, Instructions::All);
            rows(&tiny(kernel).states(&sequences(&ids), Wanted::Every))
        });
        let has_tiles = Kernel::new(Precision::Bfloat16, Instructions::All).amx.is_some();
        assert_eq!(exact != rounded, has_tiles);
        for (exact, rounded) in exact.iter().zip(&rounded) {
            let dot = |a: &[f32], b: &[f32]| {
                a.iter().zip(b).map(|(x, y)| f64::from(*x) * f64::from(*y)).sum::<f64>()
            };
            let cosine = dot(exact, rounded) / (dot(exact, exact) * dot(rounded, rounded)).sqrt();
            assert!(cosine > 0.999, "{cosine}");
        }
    }
}
