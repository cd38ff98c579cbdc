//! Inputs of an imported run other than its data, and how it reports recorded errors.

use std::sync::Arc;

use crate::conditions::ConditionPlan;
use ragtriage_clients::service::Rag;
use ragtriage_core::text::error_text;
use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::{FailedPart, Question, TraceError};
use ragtriage_data::run::external::recorded::RecordedError;

/// Maximum number of characters of a recorded error in a trace.
const ERROR_CHARS: usize = 300;

/// Inputs of an imported run other than its data.
pub struct RecordedPlan {
    /// The external RAG.
    pub rag: Arc<dyn Rag>,
    /// Counts prompts and answers: `cl100k_base`.
    pub counter: Arc<dyn TokenCounter>,
    /// Number of questions processed concurrently.
    pub concurrency: usize,
    /// Number of consecutive failures that aborts the run; `None`: an error only if every question failed.
    pub most_failures: Option<usize>,
    /// Number of passages that count as packed where a record without answers does not say: `retrieval.k`.
    pub k: usize,
    /// The external RAG is asked for missing evidence in other words.
    pub searches_again: bool,
    /// The conditions that are asked in addition to those recorded.
    pub conditions: Option<Box<ConditionPlan>>,
}

impl RecordedPlan {
    /// Draws the samples of conditions from all questions of the run, also those that are finished.
    pub fn draw(&mut self, questions: &[Question]) {
        if let Some(conditions) = &mut self.conditions {
            conditions.draw(questions);
        }
    }
}

/// Returns a recorded error as a trace has it: one line without credentials.
pub(super) fn failed(error: RecordedError) -> TraceError {
    let RecordedError { kind, message } = error;
    let message = error_text::summary(&message, ERROR_CHARS);
    TraceError { part: FailedPart::Recorded, kind, message }
}
