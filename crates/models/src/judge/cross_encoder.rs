//! A cross-encoder as a judge: the similarity of two answers, without the question.
//!
//! Risch, Möller, Gutsch and Pietsch (2021), "Semantic Answer Similarity for Evaluating Question Answering Models": a
//! cross-encoder trained on semantic similarity (STS benchmark) agrees with people better than token measures.

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;

use super::identity::identity;
use super::{AnswerJudge, JudgeFailure};
use crate::rerank::{RerankError, Reranker};
use ragtriage_core::rightness::JudgeVerdict;
use ragtriage_core::types::{Origin, Question, TitledText, TokenUse};
use ragtriage_runs::judged::JudgeCall;

/// A cross-encoder that compares answers.
pub struct CrossEncoderJudge {
    scorer: Arc<dyn Reranker>,
    threshold: f64,
    identity: String,
}

impl CrossEncoderJudge {
    /// Creates the judge that calls two answers the same if the sigmoid of the logit of `scorer`, named `model`, is at least
    /// `threshold`.
    #[must_use]
    pub fn new(scorer: Arc<dyn Reranker>, model: &str, threshold: f64) -> Self {
        let identity = identity(model, &[scorer.fingerprint(), &threshold.to_string()]);
        Self { scorer, threshold, identity }
    }

    /// Returns the logit of one pair.
    async fn logit(&self, first: &str, second: &str) -> Result<f32, RerankError> {
        let second = TitledText { title: "", text: second };
        let scores = self.scorer.scores(first, &[second]).await?;
        Ok(scores.first().copied().unwrap_or(f32::NEG_INFINITY))
    }
}

#[async_trait]
impl AnswerJudge for CrossEncoderJudge {
    fn identity(&self) -> &str {
        &self.identity
    }

    /// Compares the answer with each gold answer; the largest score counts.
    async fn compare(&self, question: &Question, answer: &str) -> Result<JudgeCall, JudgeFailure> {
        let clock = Instant::now();
        let mut best = f32::NEG_INFINITY;
        for gold in &question.answers {
            let logit = self.logit(gold, answer).await.map_err(|error| failure(&error))?;
            best = best.max(logit);
        }
        let score = 1.0 / (1.0 + (-f64::from(best)).exp());
        Ok(JudgeCall {
            verdict: if score >= self.threshold {
                JudgeVerdict::Same
            } else {
                JudgeVerdict::Different
            },
            raw: format!("{score:.6}"),
            origin: Origin::Called,
            tokens: TokenUse::default(),
            cost_usd: 0.0,
            seconds: clock.elapsed().as_secs_f64(),
        })
    }
}

fn failure(error: &RerankError) -> JudgeFailure {
    JudgeFailure { is_final: false, message: error.to_string() }
}
