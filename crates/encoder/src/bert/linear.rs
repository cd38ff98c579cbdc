//! A linear layer: weights packed for a kernel, and a bias.

use std::ops::Range;

use super::kernel::{Instructions, Kernel};
use super::matmul::Packed;
use super::product::{Finish, Product};
use super::tensors::Tensors;
use super::tiles::TileBuffers;
use crate::Error;
use ragtriage_core::config::Precision;

/// A linear layer over rows of numbers.
pub struct Dense {
    weights: Packed,
    /// Empty for none.
    bias: Vec<f32>,
    to: usize,
}

impl Dense {
    /// Reads `{name}.weight` `[to, from]` and `{name}.bias` `[to]`, packed for a kernel.
    pub(super) fn read(
        tensors: &Tensors<'_>,
        name: &str,
        from: usize,
        to: usize,
        kernel: Kernel,
    ) -> Result<Self, Error> {
        let matrix = tensors.values(&format!("{name}.weight"), &[to, from])?;
        let bias = tensors.values(&format!("{name}.bias"), &[to])?;
        Ok(Self::new(&matrix, bias, from, kernel))
    }

    /// Reads `{name}.weight` `[to, from]`, as `f32`.
    pub fn without_bias(
        tensors: &Tensors<'_>,
        name: &str,
        from: usize,
        to: usize,
    ) -> Result<Self, Error> {
        let matrix = tensors.values(&format!("{name}.weight"), &[to, from])?;
        let kernel = Kernel::new(Precision::Float32, Instructions::All);
        Ok(Self::new(&matrix, Vec::new(), from, kernel))
    }

    /// Packs a matrix of rows of `from` numbers, one row per output, for a kernel. `bias`: empty for none.
    pub fn new(matrix: &[f32], bias: Vec<f32>, from: usize, kernel: Kernel) -> Self {
        let rows = matrix.chunks_exact(from);
        let to = rows.len();
        Self { weights: Packed::transposed(rows, from, kernel), bias, to }
    }

    /// Returns the layer's output for each row of `rows`, which are as wide as the layer's input.
    pub fn apply(&self, rows: &[f32]) -> Vec<f32> {
        let mut out = vec![0.0; rows.len() / self.weights.depth() * self.to];
        self.apply_into(rows, &mut out);
        out
    }

    /// Computes the layer's output for each row of `rows` into `out`, one row for each.
    pub fn apply_into(&self, rows: &[f32], out: &mut [f32]) {
        self.run(0..self.to, Finish::Plain, rows, out, &mut TileBuffers::default());
    }

    /// As [`Self::apply_into`], in some columns alone, and with a function applied.
    pub(super) fn run(
        &self,
        columns: Range<usize>,
        finish: Finish,
        rows: &[f32],
        out: &mut [f32],
        scratch: &mut TileBuffers,
    ) {
        let depth = self.weights.depth();
        let product = Product {
            n_rows: rows.len() / depth,
            left: rows,
            left_stride: depth,
            columns,
            bias: &self.bias,
            finish,
            out,
            out_stride: self.to,
        };
        product.run(&self.weights, scratch);
    }
}
