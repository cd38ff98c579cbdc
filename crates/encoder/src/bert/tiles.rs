//! Products in bfloat16 on the processor's matrix tiles: rounding, layout, and output.
//!
//! Rows are processed 32 at a time and columns 32 at a time, both padded with zeros; see [`Amx::multiply`] for the
//! order of the numbers. The weights of some panels stay in the second-level cache while all rows pass them.

#![allow(
    clippy::inline_always,
    reason = "only what is inlined into a dispatched function is compiled for its vectors"
)]

use pulp::{Arch, Simd, WithSimd};

use super::amx::{Amx, SIDE, STEP, STEP_NUMBERS};
use super::product::{Aligned, Finish, Product, bfloat};
use super::vector::gelu;

/// Number of weights that all rows pass before the next are read: 256 KiB, an eighth of a second-level cache.
const GROUP_NUMBERS: usize = 128 << 10;
/// Columns of a tile of the right matrix.
const TILE_COLUMNS: usize = 16;

/// The right-hand matrix, `depth x width`, as [`Amx::multiply`] reads it.
pub(super) struct Tiles {
    panels: Aligned<u16>,
    depth: usize,
    width: usize,
    amx: Amx,
    arch: Arch,
}

impl Tiles {
    pub(super) fn with_room(depth: usize, width: usize, amx: Amx, arch: Arch) -> Self {
        let panels = Aligned::zeros(depth.next_multiple_of(STEP) * width.next_multiple_of(SIDE));
        Self { panels, depth, width, amx, arch }
    }

    pub(super) fn fill_transposed<'a>(
        &mut self,
        rows: impl ExactSizeIterator<Item = &'a [f32]>,
        depth: usize,
    ) {
        self.resize(depth, rows.len());
        let panel_numbers = self.n_steps() * STEP_NUMBERS;
        let panels = self.panels.as_mut_slice();
        for (column, row) in rows.enumerate() {
            let panel = &mut panels[column / SIDE * panel_numbers..][..panel_numbers];
            let at = column % SIDE / TILE_COLUMNS * (STEP_NUMBERS / 2) + column % TILE_COLUMNS * 2;
            for (step, values) in
                panel.chunks_exact_mut(STEP_NUMBERS).zip(row[..depth].chunks(STEP))
            {
                for (to, pair) in step[at..].chunks_mut(2 * TILE_COLUMNS).zip(values.chunks(2)) {
                    to.iter_mut().zip(pair).for_each(|(to, x)| *to = bfloat(*x));
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
        let panel_numbers = self.n_steps() * STEP_NUMBERS;
        let panels = self.panels.as_mut_slice();
        for (p, row) in rows.enumerate() {
            let at = p / STEP * STEP_NUMBERS + p % STEP / 2 * (2 * TILE_COLUMNS) + p % 2;
            for (panel, values) in
                panels[at..].chunks_mut(panel_numbers).zip(row[..width].chunks(SIDE))
            {
                for (tile, values) in
                    panel.chunks_mut(STEP_NUMBERS / 2).zip(values.chunks(TILE_COLUMNS))
                {
                    tile.iter_mut().step_by(2).zip(values).for_each(|(to, x)| *to = bfloat(*x));
                }
            }
        }
    }

    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    pub(super) fn padded_width(&self) -> usize {
        self.width.next_multiple_of(SIDE)
    }

    fn n_steps(&self) -> usize {
        self.depth.div_ceil(STEP)
    }

    /// Sets the shape and clears the remains of an earlier matrix.
    fn resize(&mut self, depth: usize, width: usize) {
        self.depth = depth;
        self.width = width;
        let n_numbers = self.n_steps() * STEP * self.padded_width();
        self.panels.as_mut_slice()[..n_numbers].fill(0);
    }

    /// Computes `product` with this right-hand matrix.
    pub(super) fn multiply(&self, product: Product<'_>, scratch: &mut TileBuffers) {
        let Product { n_rows, left, left_stride, columns, bias, finish, out, out_stride } = product;
        let panel_numbers = self.n_steps() * STEP_NUMBERS;
        let stripes = scratch.left.room(n_rows.div_ceil(SIDE) * panel_numbers);
        self.arch.dispatch(Stripes { n_rows, left, left_stride, depth: self.depth, to: stripes });
        let panels = columns.start / SIDE..columns.end.div_ceil(SIDE);
        let group_panels = (GROUP_NUMBERS / panel_numbers).max(1);
        for panel in panels.clone().step_by(group_panels) {
            let n_panels = group_panels.min(panels.end - panel);
            let right =
                &self.panels.as_slice()[panel * panel_numbers..][..n_panels * panel_numbers];
            let first = panel * SIDE;
            let end = columns.end.min(first + n_panels * SIDE);
            let sums = scratch.sums.room(SIDE * n_panels * SIDE);
            for (stripe, row) in stripes.chunks_exact(panel_numbers).zip((0..n_rows).step_by(SIDE))
            {
                self.amx.multiply(stripe, right, sums);
                let bias = if bias.is_empty() { bias } else { &bias[first..end] };
                let n_rows = SIDE.min(n_rows - row);
                let out = &mut out[row * out_stride + first..];
                self.arch.dispatch(Finishing {
                    sums,
                    n_rows,
                    width: end - first,
                    bias,
                    finish,
                    out,
                    out_stride,
                });
            }
        }
    }
}

/// Scratch buffers of a product.
#[derive(Default)]
pub(super) struct TileBuffers {
    left: Aligned<u16>,
    sums: Aligned,
}

/// Rounds the left matrix into stripes.
struct Stripes<'a> {
    n_rows: usize,
    left: &'a [f32],
    left_stride: usize,
    depth: usize,
    to: &'a mut [u16],
}

impl WithSimd for Stripes<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _simd: S) {
        let Self { n_rows, left, left_stride, depth, to } = self;
        let stripe_numbers = depth.div_ceil(STEP) * STEP_NUMBERS;
        for (i, stripe) in to.chunks_exact_mut(stripe_numbers).enumerate() {
            for r in 0..SIDE {
                let row = i * SIDE + r;
                let values = if row < n_rows { &left[row * left_stride..][..depth] } else { &[] };
                let (whole, tail) = values.as_chunks::<STEP>();
                for (k, step) in stripe.as_chunks_mut::<STEP_NUMBERS>().0.iter_mut().enumerate() {
                    let to = &mut step[r * STEP..][..STEP];
                    if let Some(values) = whole.get(k) {
                        to.iter_mut().zip(values).for_each(|(to, x)| *to = bfloat(*x));
                    } else {
                        to.fill(0);
                        if k == whole.len() {
                            to.iter_mut().zip(tail).for_each(|(to, x)| *to = bfloat(*x));
                        }
                    }
                }
            }
        }
    }
}

/// Computes `out = finish(sums + bias)` for the rows and columns that are wanted.
struct Finishing<'a> {
    sums: &'a [f32],
    n_rows: usize,
    width: usize,
    bias: &'a [f32],
    finish: Finish,
    out: &'a mut [f32],
    out_stride: usize,
}

impl WithSimd for Finishing<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match self.finish {
            Finish::Plain => self.rows::<S, false>(simd),
            Finish::Gelu => self.rows::<S, true>(simd),
        }
    }
}

impl Finishing<'_> {
    #[inline(always)]
    fn rows<S: Simd, const GELU: bool>(self, simd: S) {
        let Self { sums, n_rows, width, bias, finish: _, out, out_stride } = self;
        let sums_stride = sums.len() / SIDE;
        let bias = if bias.is_empty() { None } else { Some(S::as_simd_f32s(bias)) };
        let none = simd.splat_f32s(0.0);
        for row in 0..n_rows {
            let (sums, sums_tail) = S::as_simd_f32s(&sums[row * sums_stride..][..width]);
            let (out, out_tail) = S::as_mut_simd_f32s(&mut out[row * out_stride..][..width]);
            match bias {
                Some((bias, _)) => {
                    for ((out, sum), bias) in out.iter_mut().zip(sums).zip(bias) {
                        *out = finished::<S, GELU>(simd, *sum, *bias);
                    }
                }
                None => {
                    for (out, sum) in out.iter_mut().zip(sums) {
                        *out = finished::<S, GELU>(simd, *sum, none);
                    }
                }
            }
            if !out_tail.is_empty() {
                let bias = bias.map_or(none, |(_, tail)| simd.partial_load_f32s(tail));
                simd.partial_store_f32s(
                    out_tail,
                    finished::<S, GELU>(simd, simd.partial_load_f32s(sums_tail), bias),
                );
            }
        }
    }
}

/// A function and not a closure: only always-inlined code is sure to be compiled for the dispatched vectors.
#[inline(always)]
fn finished<S: Simd, const GELU: bool>(simd: S, sum: S::f32s, bias: S::f32s) -> S::f32s {
    let sum = simd.add_f32s(sum, bias);
    if GELU { gelu(simd, sum) } else { sum }
}
