//! Heads on top of the transformer: a linear layer, and a classifier of pairs with one label.

use super::BertError;
use super::config::{Architecture, BertConfig};
use super::kernel::{Instructions, Kernel};
use super::matmul::{Packed, ProductScratch};
use super::product::{Finish, Product};
use super::tensors::Tensors;
use ragtriage_core::config::Precision;

/// A linear layer over rows of numbers.
pub struct Dense {
    weights: Packed,
    /// Empty for none.
    bias: Vec<f32>,
    to: usize,
}

impl Dense {
    /// Reads `{name}.weight` `[to, from]` and `{name}.bias` `[to]`.
    pub fn read(
        tensors: &Tensors<'_>,
        name: &str,
        from: usize,
        to: usize,
    ) -> Result<Self, BertError> {
        let bias = tensors.values(&format!("{name}.bias"), &[to])?;
        Ok(Self { bias, ..Self::without_bias(tensors, name, from, to)? })
    }

    /// Reads `{name}.weight` `[to, from]`.
    pub fn without_bias(
        tensors: &Tensors<'_>,
        name: &str,
        from: usize,
        to: usize,
    ) -> Result<Self, BertError> {
        let matrix = tensors.values(&format!("{name}.weight"), &[to, from])?;
        let kernel = Kernel::new(Precision::Float32, Instructions::All);
        Ok(Self::new(&matrix, from, kernel))
    }

    /// Packs a matrix of rows of `from` numbers, one row per output, for a kernel.
    pub fn new(matrix: &[f32], from: usize, kernel: Kernel) -> Self {
        let rows = matrix.chunks_exact(from);
        let to = rows.len();
        Self { weights: Packed::transposed(rows, from, kernel), bias: Vec::new(), to }
    }

    /// Returns the layer's output for each row of `rows`, which are as wide as the layer's input.
    pub fn apply(&self, rows: &[f32]) -> Vec<f32> {
        let mut out = vec![0.0; rows.len() / self.weights.depth() * self.to];
        self.apply_into(rows, &mut out);
        out
    }

    /// Computes the layer's output for each row of `rows` into `out`, one row of [`Self::width`] for each.
    pub fn apply_into(&self, rows: &[f32], out: &mut [f32]) {
        let depth = self.weights.depth();
        let product = Product {
            n_rows: rows.len() / depth,
            left: rows,
            left_stride: depth,
            columns: 0..self.to,
            bias: &self.bias,
            finish: Finish::Plain,
            out,
            out_stride: self.to,
        };
        product.run(&self.weights, &mut ProductScratch::default());
    }

    /// Returns the width of an output row.
    pub fn width(&self) -> usize {
        self.to
    }
}

/// The head of a cross-encoder: transformers' `...ForSequenceClassification` with one label.
pub struct Classifier {
    inner: Dense,
    activation: fn(f32) -> f32,
    out: Dense,
}

impl Classifier {
    /// Reads the head by the names of the model's family. Errors: no head, or more than one label, which gives no
    /// single score to rank by.
    pub fn read(tensors: &Tensors<'_>, config: &BertConfig) -> Result<Self, BertError> {
        let (inner, activation, out): (_, fn(f32) -> f32, _) = match config.family {
            Architecture::Bert | Architecture::Dpr => {
                ("bert.pooler.dense", f32::tanh, "classifier")
            }
            Architecture::Roberta => ("classifier.dense", f32::tanh, "classifier.out_proj"),
            Architecture::DistilBert => ("pre_classifier", |x| x.max(0.0), "classifier"),
            Architecture::Electra => {
                return Err(tensors.malformed("ELECTRA classifiers are not supported".to_owned()));
            }
        };
        let weight = format!("{out}.weight");
        match tensors.shape(&weight)?.as_slice() {
            [1, _] => {}
            other => {
                return Err(tensors.malformed(format!(
                    "tensor `{weight}` has shape {other:?}, expected one label"
                )));
            }
        }
        let hidden = config.hidden_size;
        Ok(Self {
            inner: Dense::read(tensors, inner, hidden, hidden)?,
            activation,
            out: Dense::read(tensors, out, hidden, 1)?,
        })
    }

    /// Returns the logit for a sequence's first state (`[CLS]`).
    pub fn logit(&self, first_state: &[f32]) -> f32 {
        let mut pooled = self.inner.apply(first_state);
        for x in &mut pooled {
            *x = (self.activation)(*x);
        }
        self.out.apply(&pooled)[0]
    }
}
