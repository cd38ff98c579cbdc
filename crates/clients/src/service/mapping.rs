//! Turns the responses of a service into records, by the configured pointers.

use serde_json::{Map, Value, json};

use super::wrong_setting;
use crate::Error;
use ragtriage_core::config::ExternalSettings;
use ragtriage_data::pointer::{Pointer, kind};

/// Reads responses by pointers.
#[derive(Debug)]
pub(super) struct Mapping {
    contexts: Option<Pointer>,
    stages: Vec<(String, Pointer)>,
    answer: Option<Pointer>,
}

impl Mapping {
    /// Parses the pointers; `None` if none is configured: responses are records.
    pub(super) fn new(settings: &ExternalSettings) -> Result<Option<Self>, Error> {
        let ExternalSettings { contexts, stages, answer, .. } = settings;
        let stages = stages
            .iter()
            .map(|(name, text)| Ok((name.clone(), parsed(&format!("stages.{name}"), text)?)))
            .collect::<Result<Vec<_>, Error>>()?;
        let optional = |setting: &str, text: &Option<String>| {
            text.as_ref().map(|text| parsed(setting, text)).transpose()
        };
        let mapping = Self {
            contexts: optional("contexts", contexts)?,
            stages,
            answer: optional("answer", answer)?,
        };
        let is_set =
            mapping.contexts.is_some() || mapping.answer.is_some() || !mapping.stages.is_empty();
        Ok(is_set.then_some(mapping))
    }

    /// Returns the record in the body of a response: with contexts where the service `retrieves`, else with the answer alone. The
    /// error completes "the response of `url` ...".
    pub(super) fn record(&self, body: &[u8], retrieves: bool) -> Result<Value, String> {
        let response: Value =
            serde_json::from_slice(body).map_err(|error| format!("is not JSON: {error}"))?;
        if let Some(error) = reported_error(&response) {
            return Ok(json!({ "error": error }));
        }
        let mut record = Map::new();
        if retrieves {
            record.insert("contexts".to_owned(), self.contexts(&response)?);
        }
        if let Some(answer) = self.answer(&response)? {
            record.insert("answer".to_owned(), answer);
        }
        if !retrieves || !self.stages.is_empty() {
            let stages = if retrieves { self.stages(&response)? } else { json!({}) };
            record.insert("stages".to_owned(), stages);
        }
        Ok(Value::Object(record))
    }

    fn contexts(&self, response: &Value) -> Result<Value, String> {
        let Some(pointer) = &self.contexts else {
            let own = own(response, &["contexts", "retrieved_contexts"]);
            return own.ok_or_else(|| {
                let pointer = Pointer::parse("/contexts").expect("valid");
                let miss = pointer.find(response).into_iter().find_map(Result::err);
                let miss = miss.unwrap_or_default();
                format!("has no `contexts`, and `external.contexts` is not set: {miss}")
            });
        };
        let found = pointer.find_list(response).into_iter();
        let contexts = found.map(|context| match context {
            Ok(Value::Object(fields)) => Ok(Value::Object(fields.clone())),
            Ok(text) => Ok(json!({ "text": text })),
            Err(miss) => Err(missed("contexts", pointer, &miss)),
        });
        contexts.collect()
    }

    fn answer(&self, response: &Value) -> Result<Option<Value>, String> {
        let Some(pointer) = &self.answer else {
            return Ok(own(response, &["answer", "response"]));
        };
        let mut found = pointer.find(response);
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

    fn stages(&self, response: &Value) -> Result<Value, String> {
        let mut stages = Map::new();
        for (name, pointer) in &self.stages {
            let hits = pointer.find_list(response).into_iter();
            let hits: Result<Vec<Value>, String> =
                hits.map(Result::<&Value, String>::cloned).collect();
            let hits = hits.map_err(|miss| missed(&format!("stages.{name}"), pointer, &miss))?;
            stages.insert(name.clone(), Value::Array(hits));
        }
        Ok(Value::Object(stages))
    }
}

/// Returns the error that a response reports.
fn reported_error(response: &Value) -> Option<String> {
    match response.get("error")? {
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

/// Returns a field of a record that is read without a pointer.
fn own(response: &Value, keys: &[&str]) -> Option<Value> {
    keys.iter().find_map(|key| response.get(*key)).cloned()
}

fn missed(setting: &str, pointer: &Pointer, miss: &str) -> String {
    format!("has nothing at `external.{setting}` = `{}`: {miss}", pointer.text())
}

#[cfg(test)]
mod tests;
