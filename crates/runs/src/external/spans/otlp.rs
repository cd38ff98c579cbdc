//! Spans of OpenTelemetry: OTLP/JSON, and the JSON of the Python SDK (`ConsoleSpanExporter`, `ReadableSpan.to_json`).
//!
//! Attributes follow the conventions of `OpenInference`, of `GenAI`, or of Langfuse's SDK. Attributes of events are read as
//! the span's own, where it lacks them: some instrumentations record messages there.

use serde_json::{Map, Value};

use super::attributes::{Attributes, Read};
use super::content::{object, string};
use super::span::Span;
use super::time::nanoseconds;
use super::{genai, langfuse, openinference};

/// Returns the span of an OTLP object, whose attributes are taken; `None` without ids.
pub(super) fn of_otlp(fields: &mut Map<String, Value>) -> Option<Span> {
    let mut span = Span {
        trace: id(fields, &["traceId", "trace_id"])?,
        id: id(fields, &["spanId", "span_id"])?,
        parent: id(fields, &["parentSpanId", "parent_span_id"]),
        name: string(fields, &["name"]).unwrap_or_default(),
        start: nanoseconds(
            fields.get("startTimeUnixNano").or_else(|| fields.get("start_time_unix_nano")),
        ),
        end: nanoseconds(
            fields.get("endTimeUnixNano").or_else(|| fields.get("end_time_unix_nano")),
        ),
        ..Span::default()
    };
    let status = object(fields, "status");
    let is_error = status
        .and_then(|status| status.get("code"))
        .is_some_and(|code| code.as_i64() == Some(2) || code.as_str() == Some("STATUS_CODE_ERROR"));
    let message = status.and_then(|status| string(status, &["message"]));
    fill(&mut span, attributes(fields), is_error, message);
    Some(span)
}

/// Returns the span of an object of the Python SDK, whose attributes are taken; `None` without ids.
pub(super) fn of_console(fields: &mut Map<String, Value>) -> Option<Span> {
    let context = object(fields, "context")?;
    let mut span = Span {
        trace: id(context, &["trace_id"])?,
        id: id(context, &["span_id"])?,
        parent: id(fields, &["parent_id"]),
        name: string(fields, &["name"]).unwrap_or_default(),
        start: nanoseconds(fields.get("start_time")),
        end: nanoseconds(fields.get("end_time")),
        ..Span::default()
    };
    let status = object(fields, "status");
    let code = status
        .and_then(|status| string(status, &["status_code", "code"]))
        .or_else(|| string(fields, &["status_code"]));
    let message = status.and_then(|status| string(status, &["description", "message"]));
    let is_error = code.as_deref() == Some("ERROR");
    fill(&mut span, attributes(fields), is_error, message);
    Some(span)
}

/// Takes the attributes of a span, and those of its events that it lacks.
fn attributes(fields: &mut Map<String, Value>) -> Attributes {
    let mut take = |key: &str| fields.get_mut(key).map(Value::take).unwrap_or_default();
    let Read(mut attributes) = Read::of(take("attributes"));
    let Value::Array(events) = take("events") else {
        return attributes;
    };
    for mut event in events {
        let of_event = event.get_mut("attributes").map(Value::take);
        for (key, value) in Read::of(of_event.unwrap_or_default()).0 {
            attributes.entry(key).or_insert(value);
        }
    }
    attributes
}

fn fill(span: &mut Span, mut attributes: Attributes, is_error: bool, message: Option<String>) {
    let attributes = &mut attributes;
    if attributes.contains_key(openinference::KIND) {
        openinference::fill(span, attributes);
    } else if attributes.contains_key(langfuse::KIND) {
        langfuse::of_attributes(span, attributes);
    } else {
        genai::fill(span, attributes);
    }
    if is_error && span.error.is_none() {
        let message = message.filter(|message| !message.is_empty());
        let exception = || string(attributes, &["exception.message", "error.type"]);
        span.error = Some(message.or_else(exception).unwrap_or_else(|| "failed".to_owned()));
    }
}

/// Returns an id; an empty one is none.
fn id(fields: &Map<String, Value>, keys: &[&str]) -> Option<String> {
    string(fields, keys).filter(|id| !id.is_empty())
}
