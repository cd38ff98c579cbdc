//! Judges: compare an answer with gold answers.
//!
//! [`EndpointJudge`] asks a chat model, [`CrossEncoderJudge`] scores pairs in this process. A judge's verdicts are facts of a run;
//! evaluation uses them where the rule is unsure, and measures their error where it is not.

mod cross_encoder;
mod endpoint;
mod identity;

use async_trait::async_trait;

pub use cross_encoder::CrossEncoderJudge;
pub use endpoint::EndpointJudge;
use ragtriage_core::types::Question;
use ragtriage_runs::judged::JudgeCall;

/// Compares an answer with the gold answers of its question.
///
/// Contract: thread-safe; retries itself; a failure concerns this comparison only, unless [`JudgeFailure::is_final`].
#[async_trait]
pub trait AnswerJudge: Send + Sync {
    /// Returns the judge's model, and a hash of all that its replies depend on besides the texts.
    fn identity(&self) -> &str;

    /// Compares `answer` with the gold answers of `question`.
    async fn compare(&self, question: &Question, answer: &str) -> Result<JudgeCall, JudgeFailure>;
}

/// A comparison that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgeFailure {
    /// True if no further call is allowed: a limit of cost or tokens was reached.
    pub is_final: bool,
    /// The error.
    pub message: String,
}

#[cfg(test)]
mod tests;
