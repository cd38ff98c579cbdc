//! Products in `f32` on the processor's vectors: tiles of rows by panels of columns that stay in registers.
//!
//! Each output number is one chain of fused multiply-adds in index order, so that all vectors give the same bits. There
//! is no unsafe code: `pulp` compiles one source for AVX-512, AVX2, NEON and scalars. Left out: blocking of the inner
//! dimension, which would hold a panel's part in the first-level cache; panels streamed from the second level were
//! measured to be faster.

#![allow(
    clippy::inline_always,
    reason = "only what is inlined into a dispatched function is compiled for its vectors"
)]

use std::ops::Range;

use pulp::{Arch, Simd, WithSimd};

use super::product::{Aligned, Finish, Product};
use super::vector::{gelu, lanes};

/// Columns of the widest panel: three vectors of 16 numbers.
const LONGEST_PANEL: usize = 48;

/// The right-hand matrix, `depth x width`, split into panels of whole vectors, zero-padded: panel by panel, within it
/// row by row.
pub(super) struct Panels {
    values: Aligned,
    depth: usize,
    width: usize,
    panel_width: usize,
    arch: Arch,
}

impl Panels {
    pub(super) fn with_room(depth: usize, width: usize, arch: Arch) -> Self {
        let lanes = lanes(arch);
        let panel_width = vectors_of_a_panel(lanes) * lanes;
        let values = Aligned::zeros(depth * width.next_multiple_of(panel_width));
        Self { values, depth, width, panel_width, arch }
    }

    pub(super) fn fill_transposed<'a>(
        &mut self,
        mut rows: impl ExactSizeIterator<Item = &'a [f32]>,
        depth: usize,
    ) {
        self.resize(depth, rows.len());
        let panel_width = self.panel_width;
        let n_panels = self.width.div_ceil(panel_width);
        let panels = self.values.as_mut_slice();
        let mut columns = Vec::with_capacity(panel_width);
        // Panel by panel, not column by column: the rows of a panel lie far apart, and their cache misses overlap.
        for panel in panels.chunks_exact_mut(panel_width * depth).take(n_panels) {
            columns.clear();
            columns.extend(rows.by_ref().take(panel_width).map(|row| &row[..depth]));
            for (p, slots) in panel.chunks_exact_mut(panel_width).enumerate() {
                for (slot, column) in slots.iter_mut().zip(&columns) {
                    *slot = column[p];
                }
            }
        }
    }

    pub(super) fn fill<'a>(
        &mut self,
        rows: impl ExactSizeIterator<Item = &'a [f32]>,
        width: usize,
    ) {
        self.resize(rows.len(), width);
        let (depth, panel_width) = (self.depth, self.panel_width);
        let panels = self.values.as_mut_slice();
        for (p, row) in rows.enumerate() {
            for (panel, values) in row[..width].chunks(panel_width).enumerate() {
                let slots = &mut panels[(panel * depth + p) * panel_width..][..values.len()];
                slots.copy_from_slice(values);
            }
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn padded_width(&self) -> usize {
        self.width.next_multiple_of(self.panel_width)
    }

    fn resize(&mut self, depth: usize, width: usize) {
        self.depth = depth;
        self.width = width;
        let padded = self.padded_width();
        if padded > width {
            // The last panel's padding may hold an earlier, wider matrix.
            self.values.as_mut_slice()[depth * (padded - self.panel_width)..depth * padded]
                .fill(0.0);
        }
    }

    /// Computes `product` with this right-hand matrix.
    pub(super) fn multiply(&self, product: Product<'_>) {
        self.arch.dispatch(Multiply { right: self, product });
    }
}

/// Returns the width of a panel in vectors: 2 with the 16 registers of AVX2, 3 with 32.
const fn vectors_of_a_panel(lanes: usize) -> usize {
    if lanes == AVX2_LANES { 2 } else { 3 }
}

const AVX2_LANES: usize = 8;

struct Multiply<'a> {
    right: &'a Panels,
    product: Product<'a>,
}

impl WithSimd for Multiply<'_> {
    type Output = ();

    /// Selects the tile whose sums and operands fill the registers: 12 + 2 + 1 of 16, 24 + 3 + 1 of 32.
    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        if S::F32_LANES == AVX2_LANES {
            self.panels::<S, 6, { vectors_of_a_panel(AVX2_LANES) }>(simd);
        } else {
            self.panels::<S, 8, { vectors_of_a_panel(16) }>(simd);
        }
    }
}

impl Multiply<'_> {
    #[inline(always)]
    fn panels<S: Simd, const ROWS: usize, const WIDE: usize>(self, simd: S) {
        let Self { right, product } = self;
        let Product { n_rows, left, left_stride, columns, bias, finish, out, out_stride } = product;
        let panel_width = WIDE * S::F32_LANES;
        let mut padded_bias = [0.0_f32; LONGEST_PANEL];
        for first in (columns.start / panel_width * panel_width..columns.end).step_by(panel_width) {
            let width = panel_width.min(columns.end - first);
            padded_bias.fill(0.0);
            if !bias.is_empty() {
                padded_bias[..width].copy_from_slice(&bias[first..first + width]);
            }
            let panel = Panel::<WIDE> {
                values: &right.values.as_slice()[first * right.depth..]
                    [..panel_width * right.depth],
                depth: right.depth,
                bias: &padded_bias,
                first,
                width,
            };
            for row in (0..n_rows).step_by(ROWS) {
                let rows = row..n_rows.min(row + ROWS);
                if finish == Finish::Gelu {
                    panel.times::<S, ROWS, true>(simd, left, left_stride, rows, out, out_stride);
                } else {
                    panel.times::<S, ROWS, false>(simd, left, left_stride, rows, out, out_stride);
                }
            }
        }
    }
}

/// One panel of the right-hand matrix, with the position of its columns.
struct Panel<'a, const WIDE: usize> {
    values: &'a [f32],
    depth: usize,
    bias: &'a [f32; LONGEST_PANEL],
    first: usize,
    width: usize,
}

impl<const WIDE: usize> Panel<'_, WIDE> {
    /// Computes one tile of the product. Rows missing from a full tile are computed as copies of the last and not
    /// stored.
    #[inline(always)]
    fn times<S: Simd, const ROWS: usize, const GELU: bool>(
        &self,
        simd: S,
        left: &[f32],
        left_stride: usize,
        rows: Range<usize>,
        out: &mut [f32],
        out_stride: usize,
    ) {
        let mut operands: [&[f32]; ROWS] = [&[]; ROWS];
        for (i, operand) in operands.iter_mut().enumerate() {
            *operand = &left[(rows.start + i).min(rows.end - 1) * left_stride..][..self.depth];
        }
        let (values, _) = S::as_simd_f32s(self.values);
        // Not cut to `depth`: with the check of each operand's bounds the compiler loads a step's vectors once into
        // registers; without, it loads them again for every row, and half the speed is gone.
        let steps = values.as_chunks::<WIDE>().0;
        let (bias, _) = S::as_simd_f32s(self.bias);
        let first = *bias.first_chunk::<WIDE>().expect("the widest panel's bias");
        let mut sums = [first; ROWS];
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
