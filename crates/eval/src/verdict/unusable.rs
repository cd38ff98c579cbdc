//! Answerable questions without a usable answer: they count for neither side.

use super::facts::VerdictFacts;
use ragtriage_core::text::numbers::{percent_of, plural, thousands};
use ragtriage_core::text::sanitize::shortened;
use ragtriage_core::types::{ArmName, ErrorKind, QuestionKind, Stance, Trace};

/// Share of the answerable questions without a usable answer above which no verdict is given: those that are left may not be like
/// the others.
const MOST: f64 = 0.2;

/// Width of the error message in a sentence.
const ERROR_WIDTH: usize = 120;

/// Reasons for the lack of an answer, each with its remedy.
const REASONS: [(&str, &str); 7] = [
    ("truncated by the token limit", "raise the limit of completion tokens"),
    ("empty", "check the endpoint's log and its stop texts"),
    ("tool calls", "remove the tools from the requests"),
    ("stopped by a filter", "check the filter's log"),
    ("without a recorded response", "ask an endpoint, or record the missing responses"),
    (
        "refused as too long for the model",
        "shorten the prompts, or raise the context that the model is served with",
    ),
    ("failed", "correct what the error names, and ask the failed questions again"),
];
/// Place of [`REASONS`] for other failures of a call.
const FAILED: usize = REASONS.len() - 1;

/// The answerable questions of a run, and those without a usable answer.
pub(super) struct Unusable {
    n: usize,
    answerable: usize,
    /// True if there are too many for the others to decide which side loses more.
    pub is_much: bool,
    /// Parallel to [`REASONS`].
    by_reason: [usize; REASONS.len()],
    /// Message of the first call that failed for another reason.
    error: Option<String>,
}

impl Unusable {
    pub fn new(facts: &VerdictFacts<'_>) -> Self {
        let mut found = Self {
            n: 0,
            answerable: 0,
            is_much: false,
            by_reason: [0; REASONS.len()],
            error: None,
        };
        let questions = facts.traces.iter().zip(facts.outcomes);
        for (trace, outcome) in
            questions.filter(|(trace, _)| trace.question.kind != QuestionKind::Unanswerable)
        {
            found.answerable += 1;
            if outcome.class.has_no_result() {
                found.n += 1;
                let reason = reason(trace);
                found.by_reason[reason] += 1;
                if reason == FAILED && found.error.is_none() {
                    found.error = trace.failure().map(|failure| failure.error.message.clone());
                }
            }
        }
        let is_many = found.n as f64 > MOST * found.answerable as f64;
        found.is_much = facts.is_answered && is_many;
        found
    }

    /// Returns the sentence that takes the place of a verdict.
    pub fn verdict(&self) -> String {
        let most = (0..REASONS.len()).rev().max_by_key(|at| self.by_reason[*at]);
        let remedy = most.map_or("", |at| REASONS[at].1);
        let error = self.error.as_deref().map(|error| shortened(error, ERROR_WIDTH));
        let error = error.map_or(String::new(), |error| format!(" The first error: {error}"));
        format!(
            "No verdict: {} ({}) have no usable answer: {}. To get one, {remedy}.{error}",
            self.of_all(),
            percent_of(self.n, self.answerable),
            self.reasons()
        )
    }

    /// Returns the limit of a verdict on the others; `None` if there are none.
    pub fn caution(&self) -> Option<String> {
        (self.n > 0).then(|| {
            format!("{} have no usable answer and are left out: {}.", self.of_all(), self.reasons())
        })
    }

    fn of_all(&self) -> String {
        let all = plural(self.answerable, "answerable question", "answerable questions");
        format!("{} of {all}", thousands(self.n))
    }

    fn reasons(&self) -> String {
        let reasons = REASONS.iter().zip(self.by_reason).filter(|(_, n)| *n > 0);
        let reasons = reasons.map(|((what, _), n)| format!("{} {what}", thousands(n)));
        reasons.collect::<Vec<_>>().join(", ")
    }
}

/// Returns the place in [`REASONS`].
fn reason(trace: &Trace) -> usize {
    if let Some(failure) = trace.failure() {
        return match failure.error.kind {
            ErrorKind::NotRecorded => 4,
            ErrorKind::TooLong => 5,
            _ => FAILED,
        };
    }
    match trace.attempt(ArmName::Retrieved).map(|attempt| attempt.stance) {
        Some(Stance::Truncated) => 0,
        Some(Stance::Empty) => 1,
        Some(Stance::ToolCall) => 2,
        Some(Stance::Refused) => 3,
        _ => FAILED,
    }
}
