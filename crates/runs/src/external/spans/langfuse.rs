//! Langfuse: the attributes of its SDK's OpenTelemetry spans, its observations (API, table export, blob storage), and
//! single traces with their observations.

use serde_json::{Map, Value};

use super::attributes::Attributes;
use super::content::{self, number, object, string};
use super::document::documents;
use super::span::{Kind, Span, names_a_reranker};
use super::time::nanoseconds;

/// The attribute that every span of the SDK has.
pub(super) const KIND: &str = "langfuse.observation.type";

/// The parts of an observation, whatever their names.
struct Observation<'a> {
    kind: String,
    input: Option<&'a Value>,
    output: Option<&'a Value>,
    usage: Option<&'a Value>,
    cost: Option<f64>,
    model: Option<String>,
    level: Option<String>,
    message: Option<String>,
}

impl Observation<'_> {
    fn fill(self, span: &mut Span) {
        span.query = self.input.and_then(content::question);
        let found = || self.output.and_then(|output| documents(output, true));
        match self.kind.to_ascii_lowercase().as_str() {
            "retriever" => (span.kind, span.documents) = (Kind::Retriever, found()),
            "generation" => {
                span.kind = Kind::Model;
                span.prompt = self.input.and_then(content::prompt);
                span.answer = self.output.and_then(content::answer);
                let tokens = self.usage.map(content::parsed);
                if let Some(tokens) = tokens.as_deref().and_then(Value::as_object) {
                    content::add_tokens(&mut span.usage, tokens);
                }
                content::add(&mut span.usage, "cost_usd", self.cost);
                content::add(&mut span.usage, "model", self.model);
            }
            _ => {
                if names_a_reranker(&span.name)
                    && let Some(found) = found()
                {
                    (span.kind, span.documents) = (Kind::Reranker, Some(found));
                    let offered = self.input.and_then(|input| documents(input, true));
                    span.offered = offered;
                }
                span.answer = self.output.and_then(content::answer);
            }
        }
        if self.level.as_deref() == Some("ERROR") {
            span.error = Some(self.message.unwrap_or_else(|| "failed".to_owned()));
        }
    }
}

/// Reads what the attributes of the SDK say of the span.
pub(super) fn of_attributes(span: &mut Span, attributes: &Attributes) {
    let value = |name: &str| attributes.get(name);
    let cost = value("langfuse.observation.cost_details").map(content::parsed);
    Observation {
        kind: string(attributes, &[KIND]).unwrap_or_default(),
        input: value("langfuse.observation.input").or_else(|| value("langfuse.trace.input")),
        output: value("langfuse.observation.output").or_else(|| value("langfuse.trace.output")),
        usage: value("langfuse.observation.usage_details"),
        cost: cost.as_deref().and_then(Value::as_object).and_then(total),
        model: string(attributes, &["langfuse.observation.model.name"]),
        level: string(attributes, &["langfuse.observation.level"]),
        message: string(attributes, &["langfuse.observation.status_message"]),
    }
    .fill(span);
}

/// Returns the span of an observation; `None` without ids.
pub(super) fn of_observation(fields: &Map<String, Value>) -> Option<Span> {
    let mut span = Span {
        trace: string(fields, &["traceId", "trace_id"])?,
        id: string(fields, &["id"])?,
        parent: string(fields, &["parentObservationId", "parent_observation_id"])
            .filter(|id| !id.is_empty()),
        name: string(fields, &["name"]).unwrap_or_default(),
        start: nanoseconds(fields.get("startTime").or_else(|| fields.get("start_time"))),
        end: nanoseconds(fields.get("endTime").or_else(|| fields.get("end_time"))),
        ..Span::default()
    };
    let details = ["costDetails", "cost_details"]
        .iter()
        .find_map(|key| fields.get(*key))
        .map(content::parsed);
    let value = |keys: &[&str]| {
        keys.iter().find_map(|key| fields.get(*key).filter(|value| !value.is_null()))
    };
    Observation {
        kind: string(fields, &["type"]).unwrap_or_default(),
        input: value(&["input"]),
        output: value(&["output"]),
        usage: value(&["usageDetails", "usage_details", "usage"]),
        cost: number(fields, &["totalCost", "total_cost", "calculatedTotalCost"])
            .or_else(|| details.as_deref().and_then(Value::as_object).and_then(total)),
        model: string(fields, &["model", "providedModelName", "provided_model_name"]),
        level: string(fields, &["level"]),
        message: string(fields, &["statusMessage", "status_message"]),
    }
    .fill(&mut span);
    Some(span)
}

/// Returns a trace as the root of its observations; `None` without an id.
pub(super) fn of_trace(fields: &Map<String, Value>) -> Option<Span> {
    let fields = object(fields, "trace").unwrap_or(fields);
    let trace = string(fields, &["id"])?;
    Some(Span {
        id: root_id(&trace),
        trace,
        name: string(fields, &["name"]).unwrap_or_default(),
        start: nanoseconds(fields.get("timestamp")),
        query: fields.get("input").and_then(content::question),
        answer: fields.get("output").and_then(content::answer),
        ..Span::default()
    })
}

/// Returns the id of a trace's root: no observation's id has a blank.
pub(super) fn root_id(trace: &str) -> String {
    format!("trace {trace}")
}

fn total(cost: &Map<String, Value>) -> Option<f64> {
    number(cost, &["total"])
}
