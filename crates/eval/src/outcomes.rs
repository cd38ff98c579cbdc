//! `outcomes.jsonl`: the outcome of each question, one line each.

use serde::Serialize;

use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::correctness::Correctness;
use ragtriage_core::text::sanitize::escaped_json;
use ragtriage_core::types::{Cause, Condition, FailureClass, Fault, Flag, QuestionId, Trace};

/// The file's name.
pub const FILE: &str = "outcomes.jsonl";

#[derive(Serialize)]
struct OutcomeLine<'a> {
    /// The question's index in the run.
    index: usize,
    id: &'a QuestionId,
    class: FailureClass,
    #[serde(skip_serializing_if = "Option::is_none")]
    fault: Option<Fault>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cause: Option<Cause>,
    /// The rule that assigned the class, as a sentence.
    reason: &'a str,
    /// The verdict on the answer; absent without an answer or gold answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    correct: Option<Correctness>,
    /// The reason of the verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    correct_because: Option<&'a str>,
    /// Values of the answer that no packed passage contains.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    unsupported: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    flags: &'a [Flag],
}

/// Writes the outcomes of `traces`, in their order.
#[must_use]
pub fn render(traces: &[Trace], outcomes: &[Outcome]) -> String {
    traces
        .iter()
        .zip(outcomes)
        .map(|(trace, outcome): (&Trace, &Outcome)| {
            let judgment = outcome.judgments.of(Condition::Retrieved);
            let line = OutcomeLine {
                index: trace.index,
                id: &trace.question.id,
                class: outcome.class,
                fault: outcome.fault,
                cause: outcome.cause,
                reason: &outcome.reason,
                correct: judgment.map(|judgment| judgment.correctness),
                correct_because: judgment.map(|judgment| judgment.reason.as_str()),
                unsupported: &outcome.unsupported,
                flags: &outcome.flags,
            };
            escaped_json(&serde_json::to_string(&line).expect("an outcome is plain JSON")) + "\n"
        })
        .collect()
}
