//! Recognises spans by the keys of their objects.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// Keys that hold lists of spans, or of objects with such keys.
const LISTS: [&str; 10] = [
    "resourceSpans",
    "resource_spans",
    "scopeSpans",
    "scope_spans",
    "instrumentationLibrarySpans",
    "spans",
    "data",
    "runs",
    "observations",
    "traces",
];

/// Returns true for a key that holds lists of spans.
pub(super) fn is_list(key: &str) -> bool {
    LISTS.contains(&key)
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

/// Returns true for spans of other tools, which the reader names in its error, unless they are part of a record.
fn is_foreign(has: &dyn Fn(&str) -> bool) -> bool {
    ["traceID", "traceId", "trace_id", "spanID"].iter().any(|key| has(key))
        && ![
            "question",
            "user_input",
            "query",
            "contexts",
            "retrieved_contexts",
            "stages",
            "answer",
            "response",
        ]
        .iter()
        .any(|key| has(key))
}

/// Returns true if the first JSON value of `text` is a span or holds spans.
#[must_use]
pub fn is_export(text: &str) -> bool {
    let mut found = false;
    let mut json = serde_json::Deserializer::from_str(text);
    // The reader reports invalid JSON; what comes before it suffices here.
    let _ = Probe { found: &mut found }.deserialize(&mut json);
    found
}

/// Looks at the first object, or the first one in the lists that it holds.
struct Probe<'f> {
    found: &'f mut bool,
}

impl<'de> DeserializeSeed<'de> for Probe<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Probe<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("spans")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        items.next_element_seed(Probe { found: &mut *self.found })?;
        // The rest is not read.
        Err(A::Error::custom("enough"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut keys: Vec<String> = Vec::new();
        let mut walked = Ok(());
        while walked.is_ok() {
            match map.next_key::<String>() {
                Ok(Some(key)) if matches!(key.as_str(), "resourceSpans" | "resource_spans") => {
                    *self.found = true;
                    return Err(A::Error::custom("enough"));
                }
                Ok(Some(key)) if is_list(&key) => {
                    walked = map.next_value_seed(Probe { found: &mut *self.found });
                }
                Ok(Some(key)) => {
                    keys.push(key);
                    walked = map.next_value::<IgnoredAny>().map(drop);
                }
                Ok(None) => break,
                Err(error) => walked = Err(error),
            }
        }
        let has = |key: &str| keys.iter().any(|other| other == key);
        *self.found |= Source::of(&has).is_some() || is_foreign(&has);
        walked
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
            r#"{"data": [{"traceID": "1", "spans": [{"traceID": "1", "spanID": "2", "operationName": "o"}]}]}"#,
            r#"{"id": "t", "input": "q", "observations": [{"id": "1", "trace_id": "t", "type": "SPAN", "start_time": "2026"}]}"#,
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
