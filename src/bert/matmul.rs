//! Matrix products for encoders: activations, row-major, times weights packed once.
//!
//! It exists because a general GEMM packs both operands on every call and, worse here, may split the sum over the
//! inner dimension by the batch's shape. This one keeps one chain of fused multiply-adds per output number, in
//! index order: a row's result is the same bits whatever rows stand beside it, which the `Encoder` contract needs.
//! Vector width is found at run time by `pulp` (AVX-512, AVX2, NEON, scalar); there is no unsafe code. Left out:
//! threads (callers run one batch a thread) and any other layout.

#![allow(clippy::inline_always, reason = "only what is inlined into a dispatched function is compiled for its vectors")]

use pulp::{Simd, WithSimd};

use super::Precision;
use super::precision::rounded_to_bfloat;
use super::vector::{gelu, lanes_of_this_machine};

/// Rows of a tile with 32 vector registers and with 16.
const TALL: usize = 8;
const SHORT: usize = 4;
/// Vectors a packed panel is wide: `TALL * WIDE` accumulators plus operands fill 32 registers.
const WIDE: usize = 3;
/// Bytes of a cache line.
const LINE: usize = 64;

/// A buffer of `f32` that starts on a cache line, so that no vector load straddles two.
pub(super) struct Aligned {
    store: Vec<f32>,
    start: usize,
    len: usize,
}

impl Aligned {
    /// `len` zeros.
    pub(super) fn zeros(len: usize) -> Self {
        let store = vec![0.0; len + LINE / size_of::<f32>()];
        let start = store.as_ptr().align_offset(LINE).min(LINE / size_of::<f32>());
        Self { store, start, len }
    }

    /// The numbers.
    pub(super) fn as_slice(&self) -> &[f32] {
        &self.store[self.start..self.start + self.len]
    }

    /// The numbers, to be written.
    pub(super) fn as_mut_slice(&mut self) -> &mut [f32] {
        &mut self.store[self.start..self.start + self.len]
    }
}

/// The right-hand matrix, `depth x width`, cut into panels of whole vectors, zero-padded: panel by panel, within it
/// row by row.
pub(super) struct Packed {
    panels: Aligned,
    depth: usize,
    width: usize,
    panel_width: usize,
}

impl Packed {
    /// Room for a matrix of at most `depth x width`.
    pub(super) fn with_room(depth: usize, width: usize) -> Self {
        let panel_width = WIDE * lanes_of_this_machine();
        let panels = Aligned::zeros(depth * width.next_multiple_of(panel_width));
        Self { panels, depth, width, panel_width }
    }

    /// Packs the transpose of `rows`: row `j` of `rows` (`depth` long) becomes column `j`, as a linear layer's
    /// weights `[out, in]` need.
    pub(super) fn transposed<'a>(
        rows: impl ExactSizeIterator<Item = &'a [f32]>,
        depth: usize,
        precision: Precision,
    ) -> Self {
        let mut packed = Self::with_room(depth, rows.len());
        packed.fill_transposed(rows, depth);
        if precision == Precision::Bfloat16 {
            packed.panels.as_mut_slice().iter_mut().for_each(|x| *x = rounded_to_bfloat(*x));
        }
        packed
    }

    /// Refills with the transpose of `rows`; no larger than the room made.
    pub(super) fn fill_transposed<'a>(&mut self, rows: impl ExactSizeIterator<Item = &'a [f32]>, depth: usize) {
        self.resize(depth, rows.len());
        let panel_width = self.panel_width;
        let panels = self.panels.as_mut_slice();
        for (column, row) in rows.enumerate() {
            let start = column / panel_width * panel_width * depth + column % panel_width;
            for (slot, value) in panels[start..].iter_mut().step_by(panel_width).zip(&row[..depth]) {
                *slot = *value;
            }
        }
    }

    /// Refills with `rows` as they are: row `p` of `rows` becomes row `p`.
    pub(super) fn fill<'a>(&mut self, rows: impl ExactSizeIterator<Item = &'a [f32]>, width: usize) {
        self.resize(rows.len(), width);
        let (depth, panel_width) = (self.depth, self.panel_width);
        let panels = self.panels.as_mut_slice();
        for (p, row) in rows.enumerate() {
            for (panel, values) in row[..width].chunks(panel_width).enumerate() {
                panels[(panel * depth + p) * panel_width..][..values.len()].copy_from_slice(values);
            }
        }
    }

    /// The matrix's height.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// The matrix's width with its padding.
    pub(super) fn padded_width(&self) -> usize {
        self.width.next_multiple_of(self.panel_width)
    }

    fn resize(&mut self, depth: usize, width: usize) {
        let padded = width.next_multiple_of(self.panel_width);
        assert!(depth * padded <= self.panels.len, "no room for {depth} x {width}");
        self.depth = depth;
        self.width = width;
        if padded > width {
            // The last panel's padding may hold an earlier, wider matrix.
            self.panels.as_mut_slice()[depth * (padded - self.panel_width)..depth * padded].fill(0.0);
        }
    }
}

/// What is done to a product before it is stored.
#[derive(Clone, Copy)]
pub(super) enum Finish {
    /// Nothing.
    Plain,
    /// The exact, erf-based GELU.
    Gelu,
}

/// `out[i] = finish(left[i] * right + bias)` for rows `i`; run by `pulp::Arch::dispatch`.
///
/// `left` holds rows of `right.depth` numbers, `left_stride` apart; `out` likewise with `right.width`.
pub(super) struct Product<'a> {
    pub(super) n_rows: usize,
    pub(super) left: &'a [f32],
    pub(super) left_stride: usize,
    pub(super) right: &'a Packed,
    pub(super) bias: &'a [f32],
    pub(super) finish: Finish,
    pub(super) out: &'a mut [f32],
    pub(super) out_stride: usize,
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match self.finish {
            Finish::Plain => self.panels::<S, false>(simd),
            Finish::Gelu => self.panels::<S, true>(simd),
        }
    }
}

impl Product<'_> {
    #[inline(always)]
    fn panels<S: Simd, const GELU: bool>(self, simd: S) {
        let Self { n_rows, left, left_stride, right, bias, finish: _, out, out_stride } = self;
        assert_eq!(right.panel_width, WIDE * S::F32_LANES, "packed for another vector width");
        let tile_rows = if S::F32_LANES == 16 { TALL } else { SHORT };
        let mut padded_bias = [0.0_f32; WIDE * 16];
        for first in (0..right.width).step_by(right.panel_width) {
            let width = right.panel_width.min(right.width - first);
            let panel = &right.panels.as_slice()[first * right.depth..][..right.panel_width * right.depth];
            padded_bias.fill(0.0);
            if !bias.is_empty() {
                padded_bias[..width].copy_from_slice(&bias[first..first + width]);
            }
            let panel = Panel { values: panel, depth: right.depth, bias: &padded_bias, first, width };
            for row in (0..n_rows).step_by(tile_rows) {
                let rows = row..n_rows.min(row + tile_rows);
                if tile_rows == TALL {
                    panel.times::<S, TALL, GELU>(simd, left, left_stride, rows, out, out_stride);
                } else {
                    panel.times::<S, SHORT, GELU>(simd, left, left_stride, rows, out, out_stride);
                }
            }
        }
    }
}

/// One panel of the right-hand matrix, with where its columns go.
struct Panel<'a> {
    values: &'a [f32],
    depth: usize,
    bias: &'a [f32; WIDE * 16],
    first: usize,
    width: usize,
}

impl Panel<'_> {
    /// One tile of the product. Rows missing from a full tile are computed as copies of the last and not stored.
    #[inline(always)]
    fn times<S: Simd, const ROWS: usize, const GELU: bool>(
        &self,
        simd: S,
        left: &[f32],
        left_stride: usize,
        rows: std::ops::Range<usize>,
        out: &mut [f32],
        out_stride: usize,
    ) {
        let mut operands: [&[f32]; ROWS] = [&[]; ROWS];
        for (i, operand) in operands.iter_mut().enumerate() {
            *operand = &left[(rows.start + i).min(rows.end - 1) * left_stride..][..self.depth];
        }
        let (panel, _) = S::as_simd_f32s(self.values);
        let (steps, _) = panel.as_chunks::<WIDE>();
        let (bias, _) = S::as_simd_f32s(self.bias);
        let mut sums = [[bias[0], bias[1], bias[2]]; ROWS];
        for (p, step) in steps.iter().enumerate() {
            for i in 0..ROWS {
                let factor = simd.splat_f32s(operands[i][p]);
                for j in 0..WIDE {
                    sums[i][j] = simd.mul_add_e_f32s(factor, step[j], sums[i][j]);
                }
            }
        }
        // Counted loops with constant bounds: only then do the sums stay in registers.
        for i in 0..ROWS {
            if i >= rows.len() {
                break;
            }
            let target = &mut out[(rows.start + i) * out_stride + self.first..][..self.width];
            let (whole, tail) = S::as_mut_simd_f32s(target);
            for j in 0..WIDE {
                let sum = if GELU { gelu(simd, sums[i][j]) } else { sums[i][j] };
                if j < whole.len() {
                    whole[j] = sum;
                } else if j == whole.len() && !tail.is_empty() {
                    simd.partial_store_f32s(tail, sum);
                }
            }
        }
    }
}
