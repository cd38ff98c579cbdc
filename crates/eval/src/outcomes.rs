//! `outcomes.jsonl`: the outcome of each question with its scores, one line each, in run order.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::summary::Evaluation;
use ragtriage_core::correctness::Correctness;
use ragtriage_core::text::sanitize::escaped_json;
use ragtriage_core::types::{
    Cause, Condition, FailureClass, Fault, Flag, Question, QuestionId, QuestionKind,
};
use ragtriage_data::run::SavedRun;

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
    question: &'a str,
    kind: QuestionKind,
    tags: &'a [String],
    gold_answers: &'a [String],
    answer: Option<&'a str>,
    /// By metric; `null` for what is not defined.
    #[serde(flatten)]
    scores: Map<String, Value>,
}

/// Returns the lines.
#[must_use]
pub fn render(run: &SavedRun, evaluation: &Evaluation) -> String {
    let metrics = &evaluation.scores.metrics;
    let outcomes = evaluation.outcomes.iter().zip(&evaluation.scores.rows);
    let lines = run.traces.iter().zip(outcomes).map(|(trace, (outcome, scores))| {
        let judgment = outcome.judgments.of(Condition::Retrieved);
        let answer = trace.attempt(Condition::Retrieved).map(|attempt| &*attempt.extracted);
        let scores = metrics.iter().zip(scores).filter(|(metric, _)| !metric.family().is_cost());
        let scores = scores.map(|(metric, score)| (metric.to_string(), json!(score)));
        let Question { id, text, kind, tags, answers, .. } = &trace.question;
        OutcomeLine {
            index: trace.index,
            id,
            class: outcome.class,
            fault: outcome.fault,
            cause: outcome.cause,
            reason: &outcome.reason,
            correct: judgment.map(|judgment| judgment.correctness),
            correct_because: judgment.map(|judgment| judgment.reason.as_str()),
            unsupported: &outcome.unsupported,
            flags: &outcome.flags,
            question: text,
            kind: *kind,
            tags,
            gold_answers: answers,
            answer: answer.filter(|answer| !answer.is_empty()),
            scores: scores.collect(),
        }
    });
    let json = |line| serde_json::to_string(&line).expect("an outcome is plain JSON");
    lines.map(|line| escaped_json(&json(line)) + "\n").collect()
}
