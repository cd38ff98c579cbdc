//! Recognises spans by the keys of their objects.

use serde_json::Value;

use super::mapping::paths;

/// Keys of OTLP's outermost list.
const OTLP: [&str; 2] = ["resourceSpans", "resource_spans"];
/// Returns true for a key that holds lists of spans.
pub(super) fn is_list(key: &str) -> bool {
    paths("keys", "spans").iter().any(|known| known == key)
}

/// A form of a span.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// OTLP/JSON.
    Otlp,
    /// The JSON of OpenTelemetry's Python SDK, and of Phoenix.
    Console,
    /// A run of `LangSmith`.
    LangSmith,
    /// An observation of Langfuse.
    Langfuse,
    /// A trace of Langfuse with its observations.
    LangfuseTrace,
}

impl Source {
    /// Returns the source of an object with these keys.
    pub(super) fn of(has: &dyn Fn(&str) -> bool) -> Option<Self> {
        let either = |one: &str, other: &str| has(one) || has(other);
        if has("run_type") && either("id", "run_id") {
            Some(Self::LangSmith)
        } else if has("context") && has("name") && either("parent_id", "attributes") {
            Some(Self::Console)
        } else if either("traceId", "trace_id") && either("spanId", "span_id") {
            Some(Self::Otlp)
        } else if either("traceId", "trace_id")
            && has("id")
            && has("type")
            && either("startTime", "start_time")
        {
            Some(Self::Langfuse)
        } else {
            None
        }
    }
}

/// Number of values, such as lines, in which spans are looked for: the first ones may be incomplete.
const MOST_VALUES: usize = 20;

/// Returns true if one of the first JSON values of `text` is a span or holds spans.
#[must_use]
pub fn is_export(text: &str) -> bool {
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>().take(MOST_VALUES) {
        match value {
            Ok(value) if holds_spans(&value) => return true,
            Ok(_) => {}
            // The reader of spans reports invalid JSON with its line.
            Err(_) => {
                let start = text.trim_start();
                return OTLP.iter().any(|key| start.starts_with(&format!("{{\"{key}\"")));
            }
        }
    }
    false
}

/// Returns true for a span, and for lists that hold one.
fn holds_spans(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(holds_spans),
        Value::Object(fields) => {
            let has = |key: &str| fields.contains_key(key);
            OTLP.into_iter().any(has)
                || fields.iter().any(|(key, inner)| is_list(key) && holds_spans(inner))
                || Source::of(&has).is_some()
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_are_told_from_records_by_their_keys() {
        for spans in [
            r#"{"resourceSpans": []}"#,
            r#"{"resourceSpans": [{"scopeSp"#,
            r#"[{"name": "s", "context": {"trace_id": "0x1"}, "attributes": {}}]"#,
            "{\n  \"name\": \"s\",\n  \"context\": {},\n  \"parent_id\": null\n}\n{",
            r#"{"id": "1", "run_type": "chain", "inputs": {"question": "q"}}"#,
            r#"{"data": [{"id": "1", "traceId": "t", "type": "SPAN", "startTime": "2026"}], "meta": {}}"#,
            r#"{"id": "t", "input": "q", "observations": [{"id": "1", "trace_id": "t", "type": "SPAN", "start_time": "2026"}]}"#,
            // The first one lacks its start, its type.
            r#"[{"id": "1", "traceId": "t", "type": "SPAN"}, {"id": "2", "traceId": "t", "type": "SPAN", "startTime": "2026"}]"#,
            "{\"id\": \"1\", \"inputs\": {}}\n{\"id\": \"2\", \"run_type\": \"llm\"}",
        ] {
            assert!(is_export(spans), "{spans}");
        }
        for other in [
            r#"{"id": "q1", "question": "q?", "contexts": ["c"], "answer": "a"}"#,
            r#"{"id": "q1", "trace_id": "t", "type": "span", "contexts": []}"#,
            r#"{"question": "q?", "stages": {"bm25": [{"text": "a", "context": "b", "name": "c", "attributes": {}}]}}"#,
            "1 Q0 d 1 2.5 tag",
            "",
            "[]",
            r#"{"data": "x"}"#,
        ] {
            assert!(!is_export(other), "{other}");
        }
    }
}
