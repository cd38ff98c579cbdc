//! A matrix product and what is done to it.

use std::ops::Range;

/// A function applied to a product before it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finish {
    /// Nothing.
    Plain,
    /// The exact, erf-based GELU.
    Gelu,
}

/// `out[i] = finish(left[i] * right + bias)` for rows `i`, in `columns` alone.
pub(super) struct Product<'a> {
    pub(super) n_rows: usize,
    /// Rows of `right`'s depth, `left_stride` apart.
    pub(super) left: &'a [f32],
    pub(super) left_stride: usize,
    /// Columns that are wanted. Some before them may be written as well; none after.
    pub(super) columns: Range<usize>,
    /// A number a column of `right`, or none.
    pub(super) bias: &'a [f32],
    pub(super) finish: Finish,
    /// Rows `out_stride` apart.
    pub(super) out: &'a mut [f32],
    pub(super) out_stride: usize,
}
