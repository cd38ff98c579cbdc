//! The reranker that runs in this process: a cross-encoder's checkpoint, as `cross-encoder/ms-marco-MiniLM-L-6-v2`.
//!
//! Question and passage are read together, which is what makes it better than comparing two vectors, and slower
//! (Nogueira and Cho 2019). The score is the model's logit as it is; sentence-transformers shows its sigmoid where there is one
//! label: another number, the same order, without the ties that rounding to 1 makes.

use std::sync::Arc;

use async_trait::async_trait;

use super::{RerankError, Reranker};
use ragtriage_core::config::Precision;
use ragtriage_core::types::TitledText;
use ragtriage_encoder::checkpoint::Checkpoint;
use ragtriage_encoder::checkpoint::SequenceClassifier;

/// A checkpoint with one label as a [`Reranker`].
pub struct CrossEncoder {
    classifier: Arc<SequenceClassifier>,
}

impl CrossEncoder {
    /// Opens a checkpoint whose files were found and verified by [`Checkpoint::open`]; `max_tokens` instead
    /// of the length that its folder says, for question, passage and special tokens together. The weights are read by the
    /// first scoring.
    pub fn open(
        checkpoint: Checkpoint,
        max_tokens: Option<usize>,
        precision: Precision,
    ) -> Result<Self, RerankError> {
        let classifier = SequenceClassifier::open(checkpoint, max_tokens, precision)?;
        Ok(Self {
            classifier: Arc::new(classifier),
        })
    }
}

#[async_trait]
impl Reranker for CrossEncoder {
    fn fingerprint(&self) -> &str {
        self.classifier.fingerprint()
    }

    async fn scores(
        &self,
        query: &str,
        passages: &[TitledText<'_>],
    ) -> Result<Vec<f32>, RerankError> {
        if passages.is_empty() {
            return Ok(Vec::new());
        }
        let query = query.to_owned();
        let passages: Vec<String> = passages
            .iter()
            .map(|passage| passage.joined().into_owned())
            .collect();
        let classifier = Arc::clone(&self.classifier);
        // Held until the scores are there: when the caller goes away, the work ends with its current batch.
        let wanted = Arc::new(());
        let still_wanted = Arc::downgrade(&wanted);
        let work = tokio::task::spawn_blocking(move || {
            let pairs: Vec<(&str, &str)> = passages
                .iter()
                .map(|passage| (query.as_str(), passage.as_str()))
                .collect();
            classifier.logits(&pairs, |_| still_wanted.strong_count() > 0)
        });
        let logits = work.await.map_err(RerankError::Worker)??;
        drop(wanted);
        Ok(logits.expect("it goes on as long as it is waited for"))
    }
}

#[cfg(test)]
mod tests;
