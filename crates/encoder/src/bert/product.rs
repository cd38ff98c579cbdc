//! A matrix product with the function applied to it, the buffers of its factors, and their rounding to bfloat16.

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

/// Bytes of a cache line.
const LINE: usize = 64;

/// Numbers that start on a cache line.
pub(super) struct Aligned<T = f32> {
    store: Vec<T>,
    start: usize,
    len: usize,
}

impl<T: Copy + Default> Aligned<T> {
    /// Creates `len` zeros.
    pub(super) fn zeros(len: usize) -> Self {
        let padding = LINE / size_of::<T>();
        let store = vec![T::default(); len + padding];
        let start = store.as_ptr().align_offset(LINE).min(padding);
        Self { store, start, len }
    }

    /// Returns the first `len` numbers, whatever they hold; a buffer that is too short is replaced by a longer one.
    pub(super) fn room(&mut self, len: usize) -> &mut [T] {
        if self.len < len {
            *self = Self::zeros(len);
        }
        &mut self.as_mut_slice()[..len]
    }

    /// Returns the numbers.
    pub(super) fn as_slice(&self) -> &[T] {
        &self.store[self.start..self.start + self.len]
    }

    /// Returns the numbers for writing.
    pub(super) fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.store[self.start..self.start + self.len]
    }
}

impl<T: Copy + Default> Default for Aligned<T> {
    fn default() -> Self {
        Self::zeros(0)
    }
}

/// Returns the upper half of the nearest number of 8 significant bits, ties to even. Not for NaN, which does not occur
/// with finite weights.
#[inline]
pub(super) fn bfloat(x: f32) -> u16 {
    let bits = x.to_bits();
    (bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16) as u16
}

/// Returns that number as `f32`.
#[cfg(test)]
pub(super) fn rounded_to_bfloat(x: f32) -> f32 {
    f32::from_bits(u32::from(bfloat(x)) << 16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_goes_to_the_nearest_and_ties_go_to_even() {
        // A unit in the last place of 1 is 2^-7 = 2 / 256: 1 + 1/256 lies halfway between 1 (even) and 1 + 2/256 (odd).
        let cases = [
            (1.0, 1.0),
            (1.0 + 1.0 / 256.0, 1.0),
            (1.0 + 1.001 / 256.0, 1.0 + 2.0 / 256.0),
            (1.0 + 3.0 / 256.0, 1.0 + 4.0 / 256.0),
            (-1.0 - 1.0 / 256.0, -1.0),
            (0.1, 0.100_097_656),
            (0.0, 0.0),
            (f32::INFINITY, f32::INFINITY),
        ];
        for (x, expected) in cases {
            assert_eq!(rounded_to_bfloat(x), expected, "{x}");
        }
    }
}
