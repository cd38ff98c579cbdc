//! Self-attention of one sequence: per head `softmax(Q K^T) V`.
//!
//! Works on a few query rows at a time, so that their scores stay in the first-level cache. Sequences are never padded;
//! tokens that look and are not seen simply have no keys.

#![allow(clippy::inline_always, reason = "only what is inlined into a dispatched function is compiled for its vectors")]

use pulp::{Arch, Simd, WithSimd};

use super::matmul::{Aligned, Finish, Packed, Product};
use super::vector::exponentials;

/// Query rows whose scores are held at once: a multiple of every tile height.
const BLOCK: usize = 32;

/// Scratch for sequences up to a length, reused over heads, layers and sequences of a batch.
pub(super) struct Attention {
    keys: Packed,
    values: Packed,
    scores: Aligned,
    head_width: usize,
    n_heads: usize,
}

impl Attention {
    /// Scratch for sequences of at most `longest` tokens.
    pub(super) fn new(longest: usize, n_heads: usize, head_width: usize) -> Self {
        let keys = Packed::with_room(head_width, longest);
        let scores = Aligned::zeros(BLOCK * keys.padded_width());
        Self { keys, values: Packed::with_room(longest, head_width), scores, head_width, n_heads }
    }

    /// Attends within one sequence.
    ///
    /// Only the first `n_seen` tokens, at least one, are attended to. `qkv`: a row a token, queries (already scaled by `1 / sqrt(head_width)`), keys and values side by side;
    /// `out`: a row a token, as wide as the queries, heads side by side.
    pub(super) fn attend(&mut self, arch: Arch, qkv: &[f32], n_seen: usize, out: &mut [f32]) {
        let width = self.n_heads * self.head_width;
        let stride = 3 * width;
        let n_tokens = qkv.len() / stride;
        for head in 0..self.n_heads {
            let head_width = self.head_width;
            let column = head * head_width;
            let slices = |from: usize| {
                let start = from + column;
                qkv.chunks_exact(stride).take(n_seen).map(move |row| &row[start..start + head_width])
            };
            self.keys.fill_transposed(slices(width), head_width);
            self.values.fill(slices(2 * width), head_width);
            let padded = self.keys.padded_width();
            for first in (0..n_tokens).step_by(BLOCK) {
                let n_rows = BLOCK.min(n_tokens - first);
                let scores = &mut self.scores.as_mut_slice()[..n_rows * padded];
                arch.dispatch(Product {
                    n_rows,
                    left: &qkv[first * stride + column..],
                    left_stride: stride,
                    right: &self.keys,
                    bias: &[],
                    finish: Finish::Plain,
                    out: scores,
                    out_stride: padded,
                });
                let mut totals = [0.0_f32; BLOCK];
                arch.dispatch(Softmax { scores, padded, n_seen, totals: &mut totals });
                arch.dispatch(Product {
                    n_rows,
                    left: scores,
                    left_stride: padded,
                    right: &self.values,
                    bias: &[],
                    finish: Finish::Plain,
                    out: &mut out[first * width + column..],
                    out_stride: width,
                });
                for (row, total) in out[first * width..].chunks_exact_mut(width).zip(&totals[..n_rows]) {
                    row[column..column + head_width].iter_mut().for_each(|x| *x /= total);
                }
            }
        }
    }
}

/// Exponentials of each row of scores, with the sums to divide by.
struct Softmax<'a> {
    scores: &'a mut [f32],
    padded: usize,
    n_seen: usize,
    totals: &'a mut [f32],
}

impl WithSimd for Softmax<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let whole = self.n_seen.next_multiple_of(S::F32_LANES);
        for (row, total) in self.scores.chunks_exact_mut(self.padded).zip(self.totals) {
            row[self.n_seen..whole].fill(f32::MIN);
            *total = exponentials(simd, &mut row[..whole]);
        }
    }
}
