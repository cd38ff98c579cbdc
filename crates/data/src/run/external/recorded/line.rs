//! A record in its one canonical form, as `forms.rs` leaves it: serde reads it, and schemars describes it.

#![allow(clippy::option_option, reason = "a null answer is one, and a missing key is none")]

use std::collections::BTreeMap;

use ragtriage_core::types::{ErrorKind, FailedPart, Finish, Gold, Origin};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value, json};

use super::names::{self, Names};
use super::stage::{RecordedExactSearch, Role};

/// Largest count and amount: sums of as many as a record has lines cannot overflow.
const MOST: u32 = 1_000_000_000;

/// One question as an external RAG answered it. Other keys are ignored and counted.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Record", transform = any_form_of_a_record)]
pub struct RecordLine {
    /// Id of the question. `id` or `question` is needed.
    #[serde(default, deserialize_with = "id")]
    #[schemars(schema_with = "id_schema")]
    pub(super) id: Option<String>,
    /// Text of the question. `id` or `question` is needed.
    pub(super) question: Option<String>,
    /// Passages of the prompt, in its order; next to `prompt` or a stage `packed`, the passages offered to it.
    pub(super) contexts: Option<Vec<RecordedHit>>,
    /// Rankings of the pipeline, by name or as a list: retrievers, reorderings, and what was packed.
    #[schemars(schema_with = "stages_schema")]
    pub(super) stages: Option<Vec<StageLine>>,
    /// The whole prompt: the contexts that it contains were packed.
    pub(super) prompt: Option<String>,
    /// The answer; null if there was none.
    #[serde(default, deserialize_with = "present")]
    pub(super) answer: Option<Option<String>>,
    /// Repeated answers, instead of `answer`.
    #[schemars(length(min = 1))]
    pub(super) answers: Option<Vec<RecordedAttempt>>,
    /// Tokens, cost, seconds and model of the answer.
    pub(super) usage: Option<RecordedUsage>,
    /// Answers under counterfactual conditions (arms).
    pub(super) arms: Option<Arms>,
    /// The error with which the question failed; contexts and answer are then optional.
    pub(super) error: Option<RecordedError>,
    /// Digest of the configuration of a run that was written as a record.
    pub(super) configuration: Option<String>,
    /// Gold evidence in the chunks of a run that was written as a record. Any other form is ignored.
    #[schemars(with = "Value")]
    pub(super) gold: Option<RecordedGold>,
}

/// The answers under counterfactual conditions, by name.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Arms {
    pub(super) oracle: Option<ArmLine>,
    pub(super) gold_in_noise: Option<ArmLine>,
    pub(super) closed_book: Option<ArmLine>,
}

/// An answer under a condition.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Condition", transform = or_a_text)]
pub(super) struct ArmLine {
    /// The answer; null if there was none.
    #[serde(default, deserialize_with = "present")]
    pub(super) answer: Option<Option<String>>,
    /// Repeated answers, instead of `answer`.
    #[schemars(length(min = 1))]
    pub(super) answers: Option<Vec<RecordedAttempt>>,
    /// Usage of the call.
    pub(super) usage: Option<RecordedUsage>,
    /// The error of a failed call; the answer is then optional.
    pub(super) error: Option<RecordedError>,
    /// Passages of its prompt.
    pub(super) contexts: Option<Vec<RecordedHit>>,
}

/// A ranking of a stage. Other keys are ignored and counted.
#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Ranking", transform = any_name_of_hits)]
pub(super) struct StageLine {
    #[schemars(skip)]
    pub(super) name: String,
    /// `retriever` finds candidates, `order` orders or selects them, `packed` is the prompt. Needed for names that are not known.
    pub(super) role: Option<Role>,
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
    /// Exact search next to an approximate one.
    pub(super) exact_search: Option<RecordedExactSearch>,
}

/// A passage: a text, a chunk, or a document (a range of it, or the whole). Other keys are ignored and counted.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "Passage", transform = any_form_of_a_passage)]
pub struct RecordedHit {
    /// Its text; optional with `chunk_id`, or with `doc_id`, `start` and `end`.
    pub text: Option<String>,
    /// Id of its chunk.
    #[serde(deserialize_with = "id")]
    #[schemars(schema_with = "id_schema")]
    pub chunk_id: Option<String>,
    /// Id of its document, as the source has it.
    #[serde(deserialize_with = "id")]
    #[schemars(schema_with = "id_schema")]
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
    #[schemars(with = "Option<BTreeMap<String, f64>>")]
    pub parts: BTreeMap<String, f64>,
    /// Its tokens in the prompt.
    #[serde(deserialize_with = "count")]
    pub tokens: Option<usize>,
}

impl RecordedHit {
    /// Returns true if it has a text, or a range of a document.
    #[must_use]
    pub fn is_placed(&self) -> bool {
        self.text.is_some() || (self.doc_id.is_some() && self.start.is_some() && self.end.is_some())
    }
}

/// One answer with its usage. Other keys are ignored and counted.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[schemars(rename = "Answer", transform = or_a_text)]
pub struct RecordedAttempt {
    /// The answer; null if there was none.
    #[serde(rename = "answer", deserialize_with = "Option::deserialize")]
    pub text: Option<String>,
    /// Usage of the call.
    #[serde(default, deserialize_with = "or_default")]
    #[schemars(with = "Option<RecordedUsage>")]
    pub usage: RecordedUsage,
    /// The error of a failed call; the answer is then optional.
    pub error: Option<RecordedError>,
}

/// Usage of one call. Other keys are ignored and counted.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
#[schemars(rename = "Usage", transform = any_name_of_usage)]
pub struct RecordedUsage {
    /// Tokens of the prompt, as billed.
    #[serde(deserialize_with = "count")]
    pub prompt_tokens: Option<u64>,
    /// Tokens of the prompt by `cl100k_base`.
    #[serde(deserialize_with = "count")]
    pub counted_prompt_tokens: Option<u64>,
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
    #[schemars(with = "Option<String>")]
    pub finish: Option<Finish>,
    /// Source of the reply.
    pub origin: Option<Origin>,
}

/// The error with which a question or a call failed there.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(rename = "Error", transform = or_a_text)]
pub struct RecordedError {
    /// The failed part, if it is known.
    #[serde(default, deserialize_with = "part")]
    #[schemars(with = "Option<String>")]
    pub part: Option<FailedPart>,
    /// The cause; `permanent` if it is not known.
    #[serde(default = "permanent", deserialize_with = "kind")]
    #[schemars(with = "Option<String>")]
    pub kind: ErrorKind,
    /// The message.
    pub message: String,
}

/// Gold evidence in the chunks of a run of ours.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct RecordedGold {
    /// The evidence.
    pub located: Gold,
    /// The chunks that it names.
    pub passages: Vec<RecordedHit>,
}

/// Reads a reason; one that is not known is taken as an ordinary end.
fn finish<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Finish>, D::Error> {
    let name = Option::<String>::deserialize(deserializer)?.unwrap_or_default().to_lowercase();
    Ok(match name.as_str() {
        "stop" | "end_turn" | "stop_sequence" | "eos" | "complete" => Some(Finish::Stop),
        "length" | "max_tokens" => Some(Finish::Length),
        "tool_call" | "tool_calls" | "tool_use" | "function_call" => Some(Finish::ToolCall),
        "content_filter" | "safety" | "filtered" => Some(Finish::Filtered),
        "error" => Some(Finish::Error),
        _ => None,
    })
}

fn part<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<FailedPart>, D::Error> {
    let name = Option::<String>::deserialize(deserializer)?;
    Ok(name.and_then(|name| FailedPart::named(&name)))
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

pub(super) fn amount_or_zero<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
    Ok(amount(deserializer)?.unwrap_or_default())
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

fn id_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "integer", "null"], "minLength": 1 })
}

/// Returns the schema of stages by name, or as a list of objects with a name.
fn stages_schema(generator: &mut SchemaGenerator) -> Schema {
    let hits = generator.subschema_for::<Vec<RecordedHit>>();
    let ranking = generator.subschema_for::<StageLine>();
    let rankings = generator.subschema_for::<Vec<StageLine>>();
    json_schema!({ "anyOf": [
        { "type": "object", "additionalProperties": { "anyOf": [hits, ranking, rankings, { "type": "null" }] } },
        rankings,
        { "type": "null" },
    ] })
}

/// Adds the forms of a passage that are no object: a text, and an object with its score.
fn any_form_of_a_passage(schema: &mut Schema) {
    name(schema, &names::HIT, &[]);
    or(schema, |passage| {
        let scored = json!([passage, { "type": "number" }]);
        json!([
            { "type": "string", "pattern": "\\S" },
            { "type": "array", "prefixItems": scored, "minItems": 2, "maxItems": 2 },
        ])
    });
}

fn any_form_of_a_record(schema: &mut Schema) {
    name(schema, &names::RECORD, &[names::QUESTION, names::CONTEXTS, names::ANSWER]);
    let either = names::ID.iter().chain(names::QUESTION);
    let either: Vec<Value> = either.map(|name| json!({ "required": [name] })).collect();
    schema.insert("anyOf".to_owned(), either.into());
}

pub(super) fn any_name_of_hits(schema: &mut Schema) {
    name(schema, &[names::HITS, names::SECONDS], &[]);
}

fn any_name_of_usage(schema: &mut Schema) {
    name(schema, &names::USAGE_FIELDS, &[]);
}

fn or_a_text(schema: &mut Schema) {
    name(schema, &[names::ANSWER], &[]);
    or(schema, |_| json!([{ "type": ["string", "null"] }]));
}

/// Accepts other forms next to the object that `schema` describes.
fn or(schema: &mut Schema, others: impl FnOnce(&Value) -> Value) {
    let object = std::mem::take(schema).to_value();
    let mut forms = vec![object];
    if let Value::Array(others) = others(&forms[0]) {
        forms.extend(others);
    }
    schema.insert("anyOf".to_owned(), forms.into());
}

/// Adds the other names of the fields, none of which is required. Only where one name may be given is its value described.
fn name(schema: &mut Schema, fields: &[Names], exclusive: &[Names]) {
    schema.remove("required");
    let Some(Value::Object(properties)) = schema.get_mut("properties") else {
        return;
    };
    for names in fields {
        let Some(own) = properties.get(names[0]).cloned() else { continue };
        for other in names[1..].iter().filter(|name| !name.contains('.')) {
            let mut alias = match own.clone() {
                Value::Object(fields) if exclusive.contains(names) => fields,
                _ => Map::new(),
            };
            let description = format!("Another name of `{}`.", names[0]);
            alias.insert("description".to_owned(), description.into());
            properties.entry(*other).or_insert(Value::Object(alias));
        }
    }
}
