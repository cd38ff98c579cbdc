//! Turns the responses of a service into records, by the configured pointers.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::pointer::{Miss, Pointer, kind};
use super::stream;
use super::wrong_setting;
use crate::Error;

/// Fields of a record that are read without a pointer, by the setting that replaces them.
const OWN: [(&str, &[&str]); 2] =
    [("contexts", &["contexts", "retrieved_contexts"]), ("answer", &["answer", "response"])];

/// The configured pointers, as text.
#[derive(Clone, Debug, Default)]
pub struct MappingSettings {
    /// Contexts, or their texts.
    pub contexts: Option<String>,
    /// Parallel to `contexts`.
    pub doc_ids: Option<String>,
    /// Parallel to `contexts`.
    pub scores: Option<String>,
    /// Further stages, by name.
    pub stages: BTreeMap<String, String>,
    /// The answer.
    pub answer: Option<String>,
    /// The next piece of the answer in an event of a stream.
    pub stream: Option<String>,
}

/// Reads responses by pointers.
#[derive(Debug)]
pub(super) struct Mapping {
    contexts: Option<Pointer>,
    doc_ids: Option<Pointer>,
    scores: Option<Pointer>,
    stages: Vec<(String, Pointer)>,
    answer: Option<Pointer>,
    stream: Option<Pointer>,
}

impl Mapping {
    /// Parses the pointers; `None` if none is configured: responses are records.
    pub(super) fn new(settings: MappingSettings) -> Result<Option<Self>, Error> {
        let MappingSettings { contexts, doc_ids, scores, stages, answer, stream } = settings;
        if answer.is_some() && stream.is_some() {
            let reason =
                "must not be set next to `external.answer`: the answer is read from one of them";
            return Err(wrong_setting("stream", reason));
        }
        for (setting, is_set) in [("doc_ids", &doc_ids), ("scores", &scores)] {
            if is_set.is_some() && contexts.is_none() {
                let reason = "needs `external.contexts`, to which it is parallel";
                return Err(wrong_setting(setting, reason));
            }
        }
        let stages = stages
            .into_iter()
            .map(|(name, text)| Ok((name.clone(), parsed(&format!("stages.{name}"), &text)?)))
            .collect::<Result<Vec<_>, Error>>()?;
        let optional = |setting: &str, text: Option<String>| {
            text.map(|text| parsed(setting, &text)).transpose()
        };
        let mapping = Self {
            contexts: optional("contexts", contexts)?,
            doc_ids: optional("doc_ids", doc_ids)?,
            scores: optional("scores", scores)?,
            stages,
            answer: optional("answer", answer)?,
            stream: optional("stream", stream)?,
        };
        let is_set = [&mapping.contexts, &mapping.answer, &mapping.stream]
            .iter()
            .any(|pointer| pointer.is_some())
            || !mapping.stages.is_empty();
        Ok(is_set.then_some(mapping))
    }

    /// Returns the record in the body of a response. The error completes "the response of `url` ...".
    pub(super) fn record(&self, body: &[u8]) -> Result<Value, String> {
        let events = self.events(body)?;
        if let Some(error) = self.reported(&events) {
            return Ok(json!({ "error": error }));
        }
        let mut record = Map::new();
        let contexts = first(&events, |event| self.contexts(event))?;
        record.insert("contexts".to_owned(), contexts);
        if let Some(answer) = self.answer(&events)? {
            record.insert("answer".to_owned(), answer);
        }
        if !self.stages.is_empty() {
            let stages = first(&events, |event| self.stages(event))?;
            record.insert("stages".to_owned(), stages);
        }
        Ok(Value::Object(record))
    }

    /// Returns a record with the answer alone, in the response to given contexts.
    pub(super) fn answer_record(&self, body: &[u8]) -> Result<Value, String> {
        let events = self.events(body)?;
        if let Some(error) = self.reported(&events) {
            return Ok(json!({ "error": error }));
        }
        let answer = self.answer(&events)?;
        let answer = answer.map(|answer| ("answer".to_owned(), answer));
        let stages = ("stages".to_owned(), Value::Object(Map::new()));
        Ok(Value::Object(answer.into_iter().chain([stages]).collect()))
    }

    fn events(&self, body: &[u8]) -> Result<Vec<Value>, String> {
        if let Some(pointer) = &self.stream {
            let text = pointer.text();
            return stream::events(body, text.is_empty())
                .map_err(|reason| format!("with `external.stream` = `{text}` {reason}"));
        }
        let whole = serde_json::from_slice(body).map_err(|error| format!("is not JSON: {error}"));
        Ok(vec![whole?])
    }

    /// Returns the first error that the events report; in a stream with its event.
    fn reported(&self, events: &[Value]) -> Option<String> {
        let mut errors = events.iter().map(reported_error).enumerate();
        let (at, error) = errors.find_map(|(at, error)| Some((at, error?)))?;
        Some(match &self.stream {
            Some(pointer) => format!(
                "event {} of the stream (`external.stream` = `{}`): {error}",
                at + 1,
                pointer.text()
            ),
            None => error,
        })
    }

    fn contexts(&self, event: &Value) -> Result<Value, String> {
        let Some(pointer) = &self.contexts else {
            return own(event, 0).ok_or_else(|| unmapped(event, 0));
        };
        let mut contexts = Vec::new();
        for found in pointer.find_list(event) {
            let context = found.map_err(|miss| missed("contexts", pointer, &miss))?;
            contexts.push(match context {
                Value::Object(fields) => fields.clone(),
                text => Map::from_iter([("text".to_owned(), text.clone())]),
            });
        }
        for (setting, key, pointer) in
            [("doc_ids", "doc_id", &self.doc_ids), ("scores", "score", &self.scores)]
        {
            if let Some(pointer) = pointer {
                add(&mut contexts, (setting, key), pointer, event)?;
            }
        }
        Ok(Value::Array(contexts.into_iter().map(Value::Object).collect()))
    }

    fn answer(&self, events: &[Value]) -> Result<Option<Value>, String> {
        if let Some(pointer) = &self.stream {
            return deltas(pointer, events).map(Some);
        }
        // Without a stream there is one event.
        let event = &events[0];
        let Some(pointer) = &self.answer else {
            return Ok(own(event, 1));
        };
        let mut found = pointer.find(event);
        let has_several = found.iter().filter(|place| place.is_ok()).count() > 1;
        found.sort_by_key(Result::is_err); // stable: the one value, if any, comes first
        let there = match found.into_iter().next() {
            Some(Ok(_)) if has_several => "several values",
            Some(Ok(answer @ (Value::String(_) | Value::Null))) => return Ok(Some(answer.clone())),
            Some(Ok(other)) => kind(other),
            Some(Err(miss)) => return Err(missed("answer", pointer, &miss)),
            None => "an empty list",
        };
        let text = pointer.text();
        Err(format!("has {there} at `external.answer` = `{text}`, not a string"))
    }

    fn stages(&self, event: &Value) -> Result<Value, String> {
        let mut stages = Map::new();
        for (name, pointer) in &self.stages {
            let hits = pointer.find_list(event).into_iter();
            let hits: Result<Vec<Value>, Miss> = hits.map(Result::<&Value, Miss>::cloned).collect();
            let hits = hits.map_err(|miss| missed(&format!("stages.{name}"), pointer, &miss))?;
            stages.insert(name.clone(), Value::Array(hits));
        }
        Ok(Value::Object(stages))
    }
}

/// Returns the error that a response reports.
fn reported_error(event: &Value) -> Option<String> {
    match event.get("error")? {
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Null | Value::Bool(false) | Value::String(_) => None,
        Value::Number(zero) if zero.as_f64() == Some(0.0) => None,
        Value::Array(items) if items.is_empty() => None,
        other => Some(match other.get("message") {
            Some(Value::String(text)) => text.clone(),
            _ => other.to_string(),
        }),
    }
}

fn parsed(setting: &str, text: &str) -> Result<Pointer, Error> {
    Pointer::parse(text).map_err(|reason| wrong_setting(setting, &format!("= `{text}` {reason}")))
}

/// Returns the first event's result that is good, else the first error.
fn first(
    events: &[Value],
    read: impl Fn(&Value) -> Result<Value, String>,
) -> Result<Value, String> {
    let mut error = None;
    for event in events {
        match read(event) {
            Ok(value) => return Ok(value),
            Err(reason) => drop(error.get_or_insert(reason)),
        }
    }
    Err(error.unwrap_or_else(|| "is empty".to_owned()))
}

/// Returns a field of a record that has no pointer; `number` is its place in [`OWN`].
fn own(event: &Value, number: usize) -> Option<Value> {
    OWN[number].1.iter().find_map(|key| event.get(*key)).cloned()
}

fn unmapped(event: &Value, number: usize) -> String {
    let (setting, keys) = OWN[number];
    let pointer = Pointer::parse(&format!("/{}", keys[0])).expect("valid");
    let miss = pointer.find(event).into_iter().find_map(Result::err);
    format!(
        "has no `{}`, and `external.{setting}` is not set: {}",
        keys[0],
        miss.map_or(String::new(), |miss| miss.to_string())
    )
}

fn missed(setting: &str, pointer: &Pointer, miss: &Miss) -> String {
    format!("has nothing at `external.{setting}` = `{}`: {miss}", pointer.text())
}

/// Adds a field to each context; an item without one, or null, has none.
fn add(
    contexts: &mut [Map<String, Value>],
    (setting, key): (&str, &str),
    pointer: &Pointer,
    event: &Value,
) -> Result<(), String> {
    let found = pointer.find_list(event);
    if found.len() != contexts.len() {
        return Err(format!(
            "has {} at `external.{setting}` = `{}`, and {} contexts",
            found.len(),
            pointer.text(),
            contexts.len()
        ));
    }
    if let Some(Err(miss)) = found.first()
        && found.iter().all(Result::is_err)
    {
        return Err(missed(setting, pointer, miss));
    }
    for (context, found) in contexts.iter_mut().zip(found) {
        if let Ok(value) = found
            && !value.is_null()
        {
            context.insert(key.to_owned(), value.clone());
        }
    }
    Ok(())
}

/// Joins the pieces of an answer: strings; null, or an event without the pointer, has none.
fn deltas(pointer: &Pointer, events: &[Value]) -> Result<Value, String> {
    let (mut answer, mut any) = (String::new(), false);
    let text = pointer.text();
    for (at, event) in events.iter().enumerate() {
        for found in pointer.find(event) {
            match found {
                Ok(Value::String(piece)) => {
                    answer.push_str(piece);
                    any = true;
                }
                Err(_) | Ok(Value::Null) => {}
                // With texts as events, the others may hold contexts.
                Ok(_) if text.is_empty() => {}
                Ok(other) => {
                    return Err(format!(
                        "has {} at `external.stream` = `{text}` in event {}, not a string: {event}",
                        kind(other),
                        at + 1
                    ));
                }
            }
        }
    }
    if any {
        return Ok(Value::String(answer));
    }
    let missing = events.iter().flat_map(|event| pointer.find(event));
    let reason = match missing.into_iter().next() {
        Some(Err(miss)) => miss.to_string(),
        Some(Ok(value)) => format!("there is {}", kind(value)),
        None => "there are no events".to_owned(),
    };
    Err(format!(
        "has no piece of an answer at `external.stream` = `{text}`; in the first of {} events, {reason}",
        events.len()
    ))
}

#[cfg(test)]
mod tests;
