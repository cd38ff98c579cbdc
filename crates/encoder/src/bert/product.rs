//! A matrix product and the function applied to it.

use std::ops::Range;

/// A function applied to a product before it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finish {
    /// No function.
    Plain,
    /// The exact, erf-based GELU.
    Gelu,
}

/// The product `out[i] = finish(left[i] * right + bias)` for rows `i`, in `columns` alone.
pub(super) struct Product<'a> {
    pub(super) n_rows: usize,
    /// Rows of `right`'s depth, `left_stride` apart.
    pub(super) left: &'a [f32],
    pub(super) left_stride: usize,
    /// Columns to compute. Some before them may be written as well; none after.
    pub(super) columns: Range<usize>,
    /// One number per column of `right`, or none.
    pub(super) bias: &'a [f32],
    pub(super) finish: Finish,
    /// Rows `out_stride` apart.
    pub(super) out: &'a mut [f32],
    pub(super) out_stride: usize,
}
