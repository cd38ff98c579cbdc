//! Self-attention of one sequence: per head `softmax(Q K^T) V`.
//!
//! Processes some query rows at a time, so that their scores stay in the second-level cache. Sequences are never
//! padded; tokens that attend without being attended to simply have no keys.

#![allow(
    clippy::inline_always,
    reason = "only what is inlined into a dispatched function is compiled for its vectors"
)]

use pulp::{Arch, Simd, WithSimd};

use super::kernel::Kernel;
use super::matmul::Packed;
use super::product::{Aligned, Finish, Product};
use super::tiles::TileBuffers;
use super::vector::{exponentials, scale};

/// Query rows whose scores are held at once: a multiple of every tile height (6, 8 and 32).
const BLOCK: usize = 96;

/// Scratch memory for sequences up to a length, reused over heads, layers, sequences and batches.
pub(super) struct Attention {
    keys: Packed,
    values: Packed,
    scores: Aligned,
    head_width: usize,
    n_heads: usize,
    arch: Arch,
}

/// One sequence's rows, with the heads next to each other in each row.
pub(super) struct Heads<'a> {
    /// Rows that attend, already scaled by `1 / sqrt(head_width)`, `query_stride` apart.
    pub(super) queries: &'a [f32],
    pub(super) query_stride: usize,
    /// One row per token, `3 * n_heads * head_width` wide: a part that is not read, then keys, then values.
    pub(super) tokens: &'a [f32],
    /// Number of tokens, from the first, that are attended to; at least one.
    pub(super) n_seen: usize,
}

impl Attention {
    /// Allocates scratch memory for sequences of at most `longest` tokens.
    pub(super) fn new(longest: usize, n_heads: usize, head_width: usize, kernel: Kernel) -> Self {
        let keys = Packed::with_room(head_width, longest, kernel);
        let scores = Aligned::zeros(BLOCK * keys.padded_width());
        Self {
            keys,
            values: Packed::with_room(longest, head_width, kernel),
            scores,
            head_width,
            n_heads,
            arch: kernel.arch,
        }
    }

    /// Attends within one sequence. `out`: one row per query, `n_heads * head_width` wide.
    pub(super) fn attend(&mut self, scratch: &mut TileBuffers, heads: &Heads<'_>, out: &mut [f32]) {
        let Heads { queries, query_stride, tokens, n_seen } = *heads;
        let head_width = self.head_width;
        let width = self.n_heads * head_width;
        let n_queries = out.len() / width;
        for column in (0..width).step_by(head_width) {
            let slices = |from: usize| {
                let start = from + column;
                tokens
                    .chunks_exact(3 * width)
                    .take(n_seen)
                    .map(move |row| &row[start..start + head_width])
            };
            self.keys.fill_transposed(slices(width), head_width);
            self.values.fill(slices(2 * width), head_width);
            let padded = self.keys.padded_width();
            for first in (0..n_queries).step_by(BLOCK) {
                let n_rows = BLOCK.min(n_queries - first);
                let scores = &mut self.scores.as_mut_slice()[..n_rows * padded];
                let product = Product {
                    n_rows,
                    left: &queries[first * query_stride + column..],
                    left_stride: query_stride,
                    columns: 0..padded,
                    bias: &[],
                    finish: Finish::Plain,
                    out: scores,
                    out_stride: padded,
                };
                product.run(&self.keys, scratch);
                let mut totals = [0.0_f32; BLOCK];
                self.arch.dispatch(Softmax { scores, padded, n_seen, totals: &mut totals });
                let out = &mut out[first * width + column..];
                let product = Product {
                    n_rows,
                    left: scores,
                    left_stride: padded,
                    columns: 0..head_width,
                    bias: &[],
                    finish: Finish::Plain,
                    out,
                    out_stride: width,
                };
                product.run(&self.values, scratch);
                self.arch.dispatch(Divide {
                    rows: out,
                    stride: width,
                    width: head_width,
                    totals: &totals[..n_rows],
                });
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

/// Rows, `stride` apart and `width` wide, divided by their totals.
struct Divide<'a> {
    rows: &'a mut [f32],
    stride: usize,
    width: usize,
    totals: &'a [f32],
}

impl WithSimd for Divide<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        for (row, total) in self.rows.chunks_mut(self.stride).zip(self.totals) {
            scale(simd, &mut row[..self.width], total.recip());
        }
    }
}
