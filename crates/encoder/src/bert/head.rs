//! The head of a classifier of pairs with one label.

use super::config::{Architecture, BertConfig};
use super::kernel::{Instructions, Kernel};
use super::linear::Dense;
use super::tensors::Tensors;
use crate::Error;
use ragtriage_core::config::Precision;

/// The head of a cross-encoder: transformers' `...ForSequenceClassification` with one label.
pub struct Classifier {
    inner: Dense,
    activation: fn(f32) -> f32,
    out: Dense,
}

impl Classifier {
    /// Reads the head by the names of the model's family. Errors: no head, or more than one label, which gives no
    /// single score to rank by.
    pub fn read(tensors: &Tensors<'_>, config: &BertConfig) -> Result<Self, Error> {
        let (inner, activation, out): (_, fn(f32) -> f32, _) = match config.family {
            Architecture::Bert | Architecture::Dpr => {
                ("bert.pooler.dense", f32::tanh, "classifier")
            }
            Architecture::Roberta => ("classifier.dense", f32::tanh, "classifier.out_proj"),
            Architecture::DistilBert => ("pre_classifier", |x| x.max(0.0), "classifier"),
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
        let kernel = Kernel::new(Precision::Float32, Instructions::All);
        Ok(Self {
            inner: Dense::read(tensors, inner, hidden, hidden, kernel)?,
            activation,
            out: Dense::read(tensors, out, hidden, 1, kernel)?,
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
