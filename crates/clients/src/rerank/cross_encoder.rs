//! The in-process reranker: a cross-encoder checkpoint, such as `cross-encoder/ms-marco-MiniLM-L-6-v2`.
//!
//! Question and passage are encoded together, which is more accurate than comparing two vectors, and slower (Nogueira and Cho
//! 2019). The score is the model's raw logit; sentence-transformers applies a sigmoid if there is one label: the numbers
//! differ, the order is equal, and ties from rounding to 1 are avoided.

use std::sync::Arc;

use async_trait::async_trait;

use super::Reranker;
use crate::Error;
use crate::embed::off_runtime;
use ragtriage_core::config::Precision;
use ragtriage_core::types::TitledText;
use ragtriage_encoder::checkpoint::Checkpoint;
use ragtriage_encoder::checkpoint::SequenceClassifier;

/// A checkpoint with one label as a [`Reranker`].
pub struct CrossEncoder {
    classifier: Arc<SequenceClassifier>,
}

impl CrossEncoder {
    /// Opens a checkpoint whose files were found and verified by [`Checkpoint::open`]; `max_tokens` overrides the length
    /// in its folder, for question, passage and special tokens together. The weights are loaded by the first scoring.
    pub fn open(checkpoint: Checkpoint, max_tokens: Option<usize>) -> Result<Self, Error> {
        let classifier = SequenceClassifier::open(checkpoint, max_tokens, Precision::Float32)
            .map_err(|error| Error::from(error).hinting("name another model in `rerank.model`"))?;
        Ok(Self { classifier: Arc::new(classifier) })
    }
}

#[async_trait]
impl Reranker for CrossEncoder {
    fn fingerprint(&self) -> &str {
        self.classifier.fingerprint()
    }

    async fn scores(&self, query: &str, passages: &[TitledText<'_>]) -> Result<Vec<f32>, Error> {
        if passages.is_empty() {
            return Ok(Vec::new());
        }
        let query = query.to_owned();
        let passages: Vec<String> =
            passages.iter().map(|passage| passage.joined().into_owned()).collect();
        let classifier = Arc::clone(&self.classifier);
        let logits = off_runtime(&|_| (), move |on_done| {
            let pairs: Vec<(&str, &str)> =
                passages.iter().map(|passage| (query.as_str(), passage.as_str())).collect();
            Ok(classifier.logits(&pairs, on_done)?)
        });
        let logits = logits.await?;
        Ok(logits.expect("it goes on as long as it is waited for"))
    }
}

#[cfg(test)]
mod tests;
