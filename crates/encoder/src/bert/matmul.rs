//! Matrix products for encoders: activations, row-major, times weights packed once.
//!
//! It exists because a general GEMM packs both operands on every call and, worse here, may split the sum over the inner
//! dimension by the batch's shape. Here a row's result is bit-identical whatever the other rows are, which the
//! `Encoder` contract needs. `float32` runs in [`super::panels`], `bfloat16` on the tiles of [`super::tiles`]. Left out: threads (callers run one batch per thread).

use super::kernel::Kernel;
use super::panels::Panels;
use super::product::Product;
use super::tiles::{TileBuffers, Tiles};

/// The right-hand matrix, in the order in which its kernel reads it.
pub(super) enum Packed {
    /// For vectors of `f32`.
    Float32(Panels),
    /// For tiles of bfloat16.
    Tiles(Tiles),
}

impl Packed {
    /// Allocates a matrix of at most `depth x width`.
    pub(super) fn with_room(depth: usize, width: usize, kernel: Kernel) -> Self {
        let arch = kernel.arch;
        match kernel.amx {
            None => Self::Float32(Panels::with_room(depth, width, arch)),
            Some(amx) => Self::Tiles(Tiles::with_room(depth, width, amx, arch)),
        }
    }

    /// Packs the transpose of `rows`: row `j` of `rows` (`depth` long) becomes column `j`, as a linear layer's
    /// weights `[out, in]` need.
    pub(super) fn transposed<'a>(
        rows: impl ExactSizeIterator<Item = &'a [f32]>,
        depth: usize,
        kernel: Kernel,
    ) -> Self {
        let mut packed = Self::with_room(depth, rows.len(), kernel);
        packed.fill_transposed(rows, depth);
        packed
    }

    /// Refills with the transpose of `rows`, which must fit the allocated size.
    pub(super) fn fill_transposed<'a>(
        &mut self,
        rows: impl ExactSizeIterator<Item = &'a [f32]>,
        depth: usize,
    ) {
        match self {
            Self::Float32(panels) => panels.fill_transposed(rows, depth),
            Self::Tiles(tiles) => tiles.fill_transposed(rows, depth),
        }
    }

    /// Refills with `rows` untransposed: row `p` of `rows` becomes row `p`.
    pub(super) fn fill<'a>(
        &mut self,
        rows: impl ExactSizeIterator<Item = &'a [f32]>,
        width: usize,
    ) {
        match self {
            Self::Float32(panels) => panels.fill(rows, width),
            Self::Tiles(tiles) => tiles.fill(rows, width),
        }
    }

    /// Returns the matrix's height.
    pub(super) fn depth(&self) -> usize {
        match self {
            Self::Float32(panels) => panels.depth(),
            Self::Tiles(tiles) => tiles.depth(),
        }
    }

    /// Returns the matrix's width with its padding.
    pub(super) fn padded_width(&self) -> usize {
        match self {
            Self::Float32(panels) => panels.padded_width(),
            Self::Tiles(tiles) => tiles.padded_width(),
        }
    }
}

impl Product<'_> {
    /// Computes the product.
    pub(super) fn run(self, right: &Packed, scratch: &mut TileBuffers) {
        match right {
            Packed::Float32(panels) => panels.multiply(self),
            Packed::Tiles(tiles) => tiles.multiply(self, scratch),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bert::product::{Finish, rounded_to_bfloat};
    use std::ops::Range;

    /// Returns numbers in [-1, 1] of a fixed pseudo-random sequence (Knuth's MMIX constants).
    fn numbers(n: usize, seed: u64) -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        };
        (0..n).map(|_| next()).collect()
    }

    /// Returns every kernel that this machine has, with room for a matrix.
    fn kernels(depth: usize, width: usize) -> Vec<(&'static str, Packed)> {
        Kernel::every()
            .map(|kernel| (kernel.name(), Packed::with_room(depth, width, kernel)))
            .collect()
    }

    fn exact_gelu(x: f64) -> f64 {
        // Only the shape is needed here, `vector.rs` tests the values: erf by its series, enough for |x| < 3.
        let t = x / std::f64::consts::SQRT_2;
        let (mut term, mut sum) = (t, t);
        for n in 1..60 {
            let n = f64::from(n);
            term *= -t * t / n;
            sum += term / (2.0 * n + 1.0);
        }
        x / 2.0 * (1.0 + std::f64::consts::FRAC_2_SQRT_PI * sum)
    }

    struct Case {
        n_rows: usize,
        depth: usize,
        width: usize,
        finish: Finish,
    }

    /// Compares with a sum in `f64` over the numbers that the kernel multiplies, rounded one by one where it rounds.
    fn compare(case: &Case) {
        let Case { n_rows, depth, width, finish } = *case;
        // Rows lie apart, so that a kernel that reads or writes between them is detected.
        let (left_stride, out_stride) = (depth + 3, width + 5);
        let left = numbers(n_rows * left_stride, 1);
        let weights = numbers(width * depth, 2);
        let bias = numbers(width, 3);
        for (name, mut right) in kernels(depth + 7, width + 9) {
            // The remains of a larger matrix must not be visible.
            right.fill_transposed(
                numbers((width + 9) * (depth + 7), 4).chunks_exact(depth + 7),
                depth + 7,
            );
            right.fill_transposed(weights.chunks_exact(depth), depth);
            let rounded = |x: f32| {
                f64::from(if name.starts_with("float32") { x } else { rounded_to_bfloat(x) })
            };
            let mut out = vec![f32::NAN; n_rows * out_stride];
            let mut scratch = TileBuffers::default();
            let product = Product {
                n_rows,
                left: &left,
                left_stride,
                columns: 0..width,
                bias: &bias,
                finish,
                out: &mut out,
                out_stride,
            };
            product.run(&right, &mut scratch);
            for (i, row) in out.chunks_exact(out_stride).enumerate() {
                for j in 0..width {
                    let pairs =
                        left[i * left_stride..].iter().zip(&weights[j * depth..]).take(depth);
                    let terms = pairs.map(|(x, w)| rounded(*x) * rounded(*w));
                    let (mut sum, mut size) = (f64::from(bias[j]), f64::from(bias[j]).abs());
                    terms.for_each(|term| (sum, size) = (sum + term, size + term.abs()));
                    let expected = if finish == Finish::Gelu { exact_gelu(sum) } else { sum };
                    let error = (f64::from(row[j]) - expected).abs();
                    assert!(
                        error <= 1e-5 * size.max(1.0),
                        "{name}, {n_rows} x {depth} x {width}, row {i}, column {j}: {} is not {expected}",
                        row[j]
                    );
                }
                assert!(row[width..].iter().all(|x| x.is_nan()), "{name} wrote behind row {i}");
            }
        }
    }

    #[test]
    fn products_are_the_exact_ones_to_rounding_for_every_shape_and_kernel() {
        // One row, one column, depths that are odd, one block and more, widths around the panels of 24, 32 and 48.
        for (n_rows, depth, width) in [
            (1, 1, 1),
            (1, 33, 48),
            (3, 32, 31),
            (7, 127, 47),
            (8, 128, 49),
            (9, 129, 96),
            (31, 64, 33),
            (32, 96, 24),
            (33, 300, 50),
            (65, 257, 100),
        ] {
            compare(&Case { n_rows, depth, width, finish: Finish::Plain });
        }
        // Few terms, so that the sums stay where the series of the expected value converges.
        compare(&Case { n_rows: 13, depth: 3, width: 51, finish: Finish::Gelu });
        compare(&Case { n_rows: 40, depth: 2, width: 97, finish: Finish::Gelu });
    }

    #[test]
    fn filling_by_rows_is_filling_by_the_transposed_columns() {
        let (depth, width) = (37, 53);
        let rows = numbers(depth * width, 5);
        let columns: Vec<f32> =
            (0..width * depth).map(|at| rows[at % depth * width + at / depth]).collect();
        let left = numbers(2 * depth, 6);
        for ((name, mut by_rows), (_, mut by_columns)) in
            kernels(depth, width).into_iter().zip(kernels(depth, width))
        {
            by_rows.fill(rows.chunks_exact(width), width);
            by_columns.fill_transposed(columns.chunks_exact(depth), depth);
            let [one, other] = [by_rows, by_columns].map(|right| {
                let mut out = vec![0.0; 2 * width];
                let product = Product {
                    n_rows: 2,
                    left: &left,
                    left_stride: depth,
                    columns: 0..width,
                    bias: &[],
                    finish: Finish::Plain,
                    out: &mut out,
                    out_stride: width,
                };
                product.run(&right, &mut TileBuffers::default());
                out
            });
            assert_eq!(one, other, "{name}");
        }
    }

    #[test]
    fn a_row_and_a_range_of_columns_have_the_same_bits_alone_and_in_company() {
        let (n_rows, depth, width) = (70, 200, 150);
        let left = numbers(n_rows * depth, 7);
        let weights = numbers(width * depth, 8);
        let bias = numbers(width, 9);
        for (name, mut right) in kernels(depth, width) {
            right.fill_transposed(weights.chunks_exact(depth), depth);
            let mut scratch = TileBuffers::default();
            let mut run = |left: &[f32], columns: Range<usize>| {
                let n_rows = left.len() / depth;
                let mut out = vec![0.0; n_rows * width];
                let product = Product {
                    n_rows,
                    left,
                    left_stride: depth,
                    columns,
                    bias: &bias,
                    finish: Finish::Gelu,
                    out: &mut out,
                    out_stride: width,
                };
                product.run(&right, &mut scratch);
                out
            };
            let together = run(&left, 0..width);
            for (i, row) in left.chunks_exact(depth).enumerate() {
                assert_eq!(run(row, 0..width), together[i * width..][..width], "{name}, row {i}");
                assert_eq!(
                    run(row, 70..145)[70..145],
                    together[i * width..][70..145],
                    "{name}, columns of row {i}"
                );
            }
        }
    }
}
