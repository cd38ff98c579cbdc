//! Payloads of an existing collection: the passage that a point describes.

use std::collections::HashMap;

use qdrant_client::qdrant::value::Kind;
use qdrant_client::qdrant::{Struct, Value};
use ragtriage_core::config::CollectionSettings;

use crate::existing::StoredPassage;
use crate::{Error, error};

/// Fields of a payload that an error lists at most.
const MOST_LISTED: usize = 12;

/// Reads the passage of a point.
///
/// # Errors
/// The first configured field without a usable value, with the fields that there are.
pub(super) fn passage(
    point: &str,
    payload: &HashMap<String, Value>,
    settings: &CollectionSettings,
) -> Result<StoredPassage, Error> {
    let CollectionSettings { name, text, document, start, end, .. } = settings;
    let missing = |value: &str, key: &str, path: &str| {
        let has = fields(payload);
        error::permanent(format!(
            "point {point} of collection `{name}` has no {value} in its payload field `{path}`; it has {has}"
        ))
        .with_hint(format!(
            "name one of these in `retrieval.collection.{key}`, or leave such points out by `retrieval.collection.filter`"
        ))
    };
    let offset = |key: &str, path: &Option<String>| {
        let Some(path) = path else { return Ok(None) };
        let offset = at(payload, path).and_then(whole_number);
        offset.map(Some).ok_or_else(|| missing("offset", key, path))
    };
    let identified = |path: &String| {
        let id = at(payload, path).and_then(identifier);
        id.ok_or_else(|| missing("document id", "document", path))
    };
    let read = |path: &String| {
        let text = at(payload, path).and_then(string).filter(|text| !text.trim().is_empty());
        text.ok_or_else(|| missing("text", "text", path))
    };
    Ok(StoredPassage {
        point: point.to_owned(),
        text: Some(text).filter(|path| !path.is_empty()).map(read).transpose()?,
        document: document.as_ref().map(identified).transpose()?,
        offsets: offset("start", start)?.zip(offset("end", end)?),
    })
}

/// Returns the value at a dotted path. A key that itself has a dot is found too.
fn at<'p>(fields: &'p HashMap<String, Value>, path: &str) -> Option<&'p Value> {
    if let Some(value) = fields.get(path) {
        return Some(value);
    }
    path.match_indices('.').find_map(|(dot, _)| match &fields.get(&path[..dot])?.kind {
        Some(Kind::StructValue(Struct { fields })) => at(fields, &path[dot + 1..]),
        _ => None,
    })
}

fn string(value: &Value) -> Option<String> {
    match &value.kind {
        Some(Kind::StringValue(text)) => Some(text.clone()),
        _ => None,
    }
}

/// Returns a document's id: a text, or a whole number as text.
fn identifier(value: &Value) -> Option<String> {
    match &value.kind {
        Some(Kind::StringValue(text)) if !text.is_empty() => Some(text.clone()),
        Some(Kind::IntegerValue(number)) => Some(number.to_string()),
        _ => None,
    }
}

fn whole_number(value: &Value) -> Option<usize> {
    match value.kind {
        Some(Kind::IntegerValue(number)) => usize::try_from(number).ok(),
        _ => None,
    }
}

/// Lists the paths of a payload's fields, sorted.
fn fields(payload: &HashMap<String, Value>) -> String {
    let mut paths = Vec::new();
    collect("", payload, &mut paths);
    paths.sort_unstable();
    let n_more = paths.len().saturating_sub(MOST_LISTED);
    paths.truncate(MOST_LISTED);
    match (paths.is_empty(), n_more) {
        (true, _) => "no payload".to_owned(),
        (false, 0) => paths.join(", "),
        (false, n) => format!("{} and {n} more", paths.join(", ")),
    }
}

fn collect(prefix: &str, fields: &HashMap<String, Value>, paths: &mut Vec<String>) {
    for (name, value) in fields {
        match &value.kind {
            Some(Kind::StructValue(inner)) if !inner.fields.is_empty() => {
                collect(&format!("{prefix}{name}."), &inner.fields, paths);
            }
            _ => paths.push(format!("`{prefix}{name}`")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::double::payload;
    use ragtriage_core::hint::Hint;
    use serde_json::json;

    fn settings(text: &str) -> CollectionSettings {
        CollectionSettings {
            text: text.to_owned(),
            document: Some("metadata.source".to_owned()),
            start: Some("metadata.start".to_owned()),
            end: Some("metadata.end".to_owned()),
            ..CollectionSettings::default()
        }
    }

    #[test]
    fn nested_fields_and_keys_with_dots_are_found() {
        let nested = payload(json!({
            "page_content": "Text.",
            "metadata": { "source": 7, "start": 0, "end": 5 },
        }));
        let dotted = payload(json!({
            "page_content": "Text.", "metadata.source": "7", "metadata": { "start": 0, "end": 5 },
        }));
        let expected = StoredPassage {
            point: "3".to_owned(),
            text: Some("Text.".to_owned()),
            document: Some("7".to_owned()),
            offsets: Some((0, 5)),
        };
        for payload in [nested, dotted] {
            let read = passage("3", &payload, &settings("page_content"));
            assert_eq!(read.expect("read"), expected);
        }
    }

    #[test]
    fn values_of_another_kind_are_missing() {
        let good = json!({ "text": "T", "metadata": { "source": "d", "start": 0, "end": 1 } });
        for (pointer, value, key) in [
            ("/text", json!(" \n"), "text"),
            ("/text", json!(["T"]), "text"),
            ("/metadata/source", json!(""), "document"),
            ("/metadata/start", json!(-1), "start"),
            ("/metadata/end", json!(1.5), "end"),
        ] {
            let mut bad = good.clone();
            *bad.pointer_mut(pointer).expect("there") = value;
            let error = passage("3", &payload(bad), &settings("text")).expect_err(pointer);
            let hint = error.hint().expect("a hint");
            assert!(
                hint.starts_with(&format!("name one of these in `retrieval.collection.{key}`"))
            );
        }
    }

    #[test]
    fn the_fields_of_a_payload_are_listed_by_path() {
        let nested = payload(json!({ "b": { "c": 1, "a": {} }, "a": 0 }));
        assert_eq!(fields(&nested), "`a`, `b.a`, `b.c`");
        assert_eq!(fields(&HashMap::new()), "no payload");
    }
}
