//! Spans of OpenTelemetry: OTLP/JSON, and the JSON of the Python SDK (`ConsoleSpanExporter`, `ReadableSpan.to_json`).
//!
//! Attributes follow the conventions of `OpenInference`, of `GenAI`, or of Langfuse's SDK. Attributes of events are read as
//! the span's own, where it lacks them: some instrumentations record messages there.

use serde_json::{Map, Value};

use super::attributes::Attributes;
use super::content::{object, string};
use super::span::Span;
use super::time::nanoseconds;
use super::{genai, langfuse, openinference};

/// Returns the span of an OTLP object; `None` without ids.
pub(super) fn of_otlp(fields: &Map<String, Value>) -> Option<Span> {
    let mut attributes = attributes(fields.get("attributes"));
    for event in fields
        .get("events")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        add_event(&mut attributes, self::attributes(event.get("attributes")));
    }
    let mut span = Span {
        trace: id(fields, &["traceId", "trace_id"])?,
        id: id(fields, &["spanId", "span_id"])?,
        parent: id(fields, &["parentSpanId", "parent_span_id"]),
        name: string(fields, &["name"]).unwrap_or_default(),
        start: nanoseconds(
            fields
                .get("startTimeUnixNano")
                .or_else(|| fields.get("start_time_unix_nano")),
        ),
        end: nanoseconds(
            fields
                .get("endTimeUnixNano")
                .or_else(|| fields.get("end_time_unix_nano")),
        ),
        ..Span::default()
    };
    let status = object(fields, "status");
    let is_error = status
        .and_then(|status| status.get("code"))
        .is_some_and(|code| code.as_i64() == Some(2) || code.as_str() == Some("STATUS_CODE_ERROR"));
    fill(
        &mut span,
        &attributes,
        is_error,
        status.and_then(|status| string(status, &["message"])),
    );
    Some(span)
}

/// Returns the span of an object of the Python SDK; `None` without ids.
pub(super) fn of_console(fields: &Map<String, Value>) -> Option<Span> {
    let context = object(fields, "context")?;
    let mut attributes = object(fields, "attributes").cloned().unwrap_or_default();
    for event in fields
        .get("events")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        add_event(
            &mut attributes,
            event
                .get("attributes")
                .and_then(Value::as_object)
                .cloned()
                .unwrap_or_default(),
        );
    }
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
    fill(
        &mut span,
        &attributes,
        code.as_deref() == Some("ERROR"),
        message,
    );
    Some(span)
}

fn fill(span: &mut Span, attributes: &Attributes, is_error: bool, message: Option<String>) {
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
        span.error = Some(
            message
                .or_else(exception)
                .unwrap_or_else(|| "failed".to_owned()),
        );
    }
}

/// Returns an id; an empty one is none.
fn id(fields: &Map<String, Value>, keys: &[&str]) -> Option<String> {
    string(fields, keys).filter(|id| !id.is_empty())
}

fn add_event(attributes: &mut Attributes, event: Attributes) {
    for (key, value) in event {
        attributes.entry(key).or_insert(value);
    }
}

/// Converts OTLP's list of keys and values.
fn attributes(list: Option<&Value>) -> Attributes {
    let pairs = list.and_then(Value::as_array).into_iter().flatten();
    pairs
        .filter_map(|pair| {
            Some((
                pair.get("key")?.as_str()?.to_owned(),
                any_value(pair.get("value")?),
            ))
        })
        .collect()
}

/// Converts OTLP's `AnyValue`: an object with one key that names the type. Integers are strings there.
fn any_value(value: &Value) -> Value {
    let Some((kind, inner)) = value.as_object().and_then(|fields| fields.iter().next()) else {
        return Value::Null;
    };
    match (kind.as_str(), inner) {
        ("intValue" | "int_value", Value::String(text)) => {
            text.parse::<i64>().map_or(Value::Null, Value::from)
        }
        ("arrayValue" | "array_value", list) => {
            let values = list
                .get("values")
                .and_then(Value::as_array)
                .into_iter()
                .flatten();
            Value::Array(values.map(any_value).collect())
        }
        ("kvlistValue" | "kvlist_value", list) => Value::Object(attributes(list.get("values"))),
        _ => inner.clone(),
    }
}
