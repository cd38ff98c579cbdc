//! A record in its one canonical form, as `forms.rs` leaves it.

#![allow(clippy::option_option, reason = "a null answer is one, and a missing key is none")]

use std::collections::BTreeMap;

use ragtriage_core::types::{ErrorKind, Finish};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::stage::StageRole;

/// Largest count and amount: sums of as many as a record has lines cannot overflow.
pub(in crate::run::external) const MOST: u32 = 1_000_000_000;

/// One question as an external RAG answered it. Other keys are ignored and counted.
#[derive(Deserialize)]
pub(super) struct RecordLine {
    /// Id of the question. `id` or `question` is needed.
    #[serde(default, deserialize_with = "id")]
    pub(super) id: Option<String>,
    /// Text of the question. `id` or `question` is needed.
    pub(super) question: Option<String>,
    /// Passages of the prompt, in its order; next to `prompt` or a stage `packed`, the passages offered to it.
    pub(super) contexts: Option<Vec<RecordedHit>>,
    /// Rankings of the pipeline, by name or as a list: retrievers, reorderings, and what was packed.
    pub(super) stages: Option<Vec<StageLine>>,
    /// The whole prompt: the contexts that it contains were packed.
    pub(super) prompt: Option<String>,
    /// The answer; null if there was none.
    #[serde(default, deserialize_with = "present")]
    pub(super) answer: Option<Option<String>>,
    /// Tokens, cost, seconds and model of the answer.
    pub(super) usage: Option<RecordedUsage>,
    /// Answers under counterfactual conditions.
    pub(super) conditions: Option<Conditions>,
    /// The error with which the question failed; contexts and answer are then optional.
    pub(super) error: Option<RecordedError>,
}

/// The answers under counterfactual conditions, by name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Conditions {
    pub(super) oracle: Option<ConditionLine>,
    pub(super) gold_with_distractors: Option<ConditionLine>,
    pub(super) closed_book: Option<ConditionLine>,
}

/// An answer under a condition.
#[derive(Deserialize)]
pub(super) struct ConditionLine {
    /// The answer; null if there was none.
    #[serde(default, deserialize_with = "present")]
    pub(super) answer: Option<Option<String>>,
    /// Usage of the call.
    pub(super) usage: Option<RecordedUsage>,
    /// The error of a failed call; the answer is then optional.
    pub(super) error: Option<RecordedError>,
    /// Passages of its prompt.
    pub(super) contexts: Option<Vec<RecordedHit>>,
}

/// A ranking of a stage. Other keys are ignored and counted.
#[derive(Deserialize)]
pub(super) struct StageLine {
    pub(super) name: String,
    /// `retriever` finds candidates, `ranking` orders or selects them, `packed` is the prompt. Needed for names that are not known.
    pub(super) role: Option<StageRole>,
    /// Its query, if it is not the question.
    pub(super) query: Option<String>,
    /// Passages, best first.
    pub(super) hits: Option<Vec<RecordedHit>>,
    /// Wall time.
    #[serde(default, deserialize_with = "amount")]
    pub(super) seconds: Option<f64>,
    /// For the packed passages: the number of hits that packing was to take. Without `hits` the first k are packed.
    #[serde(default, deserialize_with = "count")]
    pub(super) k: Option<usize>,
}

/// A passage: a text, or a document (a range of it, or the whole). Other keys are ignored and counted.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct RecordedHit {
    /// Its text; optional with `doc_id`.
    pub text: Option<String>,
    /// Id of its document, as the source has it.
    #[serde(deserialize_with = "id")]
    pub doc_id: Option<String>,
    /// Its start in the document, in bytes or code points.
    #[serde(deserialize_with = "count")]
    pub start: Option<usize>,
    /// Its end in the document; needs `start`. Without it, its start plus the length of its text.
    #[serde(deserialize_with = "count")]
    pub end: Option<usize>,
    /// Title of its document.
    pub title: Option<String>,
    /// Its score; larger is better.
    pub score: Option<f64>,
    /// Parts of the score, by component.
    #[serde(deserialize_with = "or_default")]
    pub parts: BTreeMap<String, f64>,
    /// Its tokens in the prompt.
    #[serde(deserialize_with = "count")]
    pub tokens: Option<usize>,
}

/// One answer with its usage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedAttempt {
    /// The answer; `None` if there was none.
    pub text: Option<String>,
    /// Usage of the call.
    pub usage: RecordedUsage,
    /// The error of a failed call; the answer is then optional.
    pub error: Option<RecordedError>,
}

/// Usage of one call. Other keys are ignored and counted.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct RecordedUsage {
    /// Tokens of the prompt, as billed.
    #[serde(deserialize_with = "count")]
    pub prompt_tokens: Option<u64>,
    /// Tokens of the answer.
    #[serde(deserialize_with = "count")]
    pub completion_tokens: Option<u64>,
    /// Cost in US dollars.
    #[serde(deserialize_with = "amount")]
    pub cost_usd: Option<f64>,
    /// Wall time.
    #[serde(deserialize_with = "amount")]
    pub seconds: Option<f64>,
    /// The model.
    pub model: Option<String>,
    /// Reason why the answer ended, such as `stop` or `length`.
    #[serde(rename = "finish_reason", deserialize_with = "finish")]
    pub finish: Option<Finish>,
}

/// The error with which a question or a call failed there.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct RecordedError {
    /// The cause; `permanent` if it is not known.
    #[serde(default = "permanent", deserialize_with = "kind")]
    pub kind: ErrorKind,
    /// The message.
    pub message: String,
}

/// Reads a reason; one that is not known is taken as an ordinary end.
fn finish<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Finish>, D::Error> {
    let name = Option::<String>::deserialize(deserializer)?;
    Ok(name.and_then(|name| finish_named(&name)))
}

/// Returns the end that a reason names in any API.
pub(in crate::run::external) fn finish_named(name: &str) -> Option<Finish> {
    match name.to_lowercase().as_str() {
        "stop" | "end_turn" | "stop_sequence" | "eos" | "complete" => Some(Finish::Stop),
        "length" | "max_tokens" => Some(Finish::Length),
        "tool_call" | "tool_calls" | "tool_use" | "function_call" => Some(Finish::ToolCall),
        "content_filter" | "safety" | "filtered" => Some(Finish::Filtered),
        "error" => Some(Finish::Error),
        _ => None,
    }
}

fn kind<'de, D: Deserializer<'de>>(deserializer: D) -> Result<ErrorKind, D::Error> {
    let name = Option::<String>::deserialize(deserializer)?;
    Ok(name.and_then(|name| ErrorKind::named(&name)).unwrap_or_else(permanent))
}

fn permanent() -> ErrorKind {
    ErrorKind::Permanent
}

/// Reads a field whose presence counts, also as null.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// Reads a value; null is the default.
fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

pub(in crate::run::external) fn id<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    checked(deserializer, "a string that is not empty, or a whole number", id_of)
}

pub(in crate::run::external) fn count<'de, D: Deserializer<'de>, T: TryFrom<u64>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    checked(deserializer, "a whole number from 0 to 1,000,000,000", |value| {
        let count = value.as_u64().filter(|count| *count <= u64::from(MOST))?;
        T::try_from(count).ok()
    })
}

/// Reads an amount of seconds or money.
fn amount<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    checked(deserializer, "a number from 0 to 1,000,000,000", |value| {
        value.as_f64().filter(|amount| (0.0..=f64::from(MOST)).contains(amount))
    })
}

fn checked<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    expected: &str,
    read: impl Fn(&Value) -> Option<T>,
) -> Result<Option<T>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    if value.is_null() {
        return Ok(None);
    }
    read(&value).map(Some).ok_or_else(|| D::Error::custom(format_args!("expected {expected}")))
}

/// Returns the id that a value is; `None` if it is none.
pub(super) fn id_of(value: &Value) -> Option<String> {
    match value {
        Value::String(id) if !id.is_empty() => Some(id.clone()),
        Value::Number(number) if !number.is_f64() => Some(number.to_string()),
        _ => None,
    }
}
