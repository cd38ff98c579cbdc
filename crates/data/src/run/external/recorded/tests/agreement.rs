//! The schema of a record against its reader: it accepts what is read.

use boon::{Compiler, SchemaIndex, Schemas};
use schemars::schema_for;
use serde_json::{Value, json};

use super::{RecordLine, line, names};

thread_local! {
    static SCHEMA: (Schemas, SchemaIndex) = compiled();
}

fn compiled() -> (Schemas, SchemaIndex) {
    let mut schemas = Schemas::new();
    let mut compiler = Compiler::new();
    let schema = schema_for!(RecordLine).to_value();
    compiler.add_resource("record.json", schema).expect("a schema");
    let index = compiler.compile("record.json", &mut schemas).expect("a schema");
    (schemas, index)
}

/// Checks that the schema accepts a record that was read.
pub(super) fn check(text: &str) {
    let value: Value = serde_json::from_str(text).expect("JSON");
    let found = SCHEMA.with(|(schemas, index)| {
        let found = schemas.validate(&value, *index);
        found.map_err(|error| format!("{error:#}"))
    });
    assert_eq!(found, Ok(()), "{text}");
}

/// A record with every part.
fn whole() -> Value {
    json!({
        "id": 1,
        "question": "q",
        "contexts": ["a", { "text": "b", "chunk_id": 3, "doc_id": "d", "score": 0.5 }, [{ "page_content": "c" }, 1]],
        "stages": {
            "bm25": [{ "doc_id": "d", "start": 1, "end": 1, "tokens": 2, "parts": { "idf": 1.5 } }],
            "dense": { "query": "q", "hits": [], "exact_search": { "hits": ["a"], "seconds": 1 } },
            "search": [{ "hits": ["a"] }],
        },
        "prompt": "p",
        "answer": "x",
        "usage": { "prompt_tokens": 1, "seconds": 0.5, "finish_reason": "stop", "origin": "cached" },
        "arms": {
            "oracle": { "answer": "x", "contexts": ["a"] },
            "closed_book": { "answers": ["x", { "answer": null, "error": "m" }] },
        },
        "error": { "message": "m", "part": "generator" },
    })
}

/// Returns `value` with each of its parts, of any depth, changed by `change` in every way.
fn variants(value: &Value, change: &dyn Fn(&Value) -> Vec<Value>) -> Vec<Value> {
    let mut all = change(value);
    match value {
        Value::Object(fields) => {
            for (key, inner) in fields {
                for other in variants(inner, change) {
                    let mut fields = fields.clone();
                    fields[key] = other;
                    all.push(fields.into());
                }
            }
        }
        Value::Array(items) => {
            for (at, inner) in items.iter().enumerate() {
                for other in variants(inner, change) {
                    let mut items = items.clone();
                    items[at] = other;
                    all.push(items.into());
                }
            }
        }
        _ => {}
    }
    all
}

fn values() -> Vec<Value> {
    let texts = json!([null, true, -1, 0, 7, 1.5, 2_000_000_000, "", " ", "x", [], ["x"], [1], {}, { "text": "x" }, { "message": "x" }]);
    texts.as_array().expect("a list").clone()
}

#[test]
fn the_schema_accepts_what_is_read_whatever_value_is_in_any_place() {
    let replaced = variants(&whole(), &|_| values());
    assert!(replaced.len() > 500, "{}", replaced.len());
    let read = replaced.iter().filter(|record| line(&record.to_string()).is_ok()).count();
    assert!(read > 100 && read < replaced.len() / 2, "{read} of {}", replaced.len());
}

#[test]
fn the_schema_accepts_what_is_read_under_every_name_of_a_field() {
    let own = [names::ANSWERS, names::NAME, names::HITS, names::SECONDS];
    let names = names::RECORD.iter().chain(&names::HIT).chain(&names::USAGE_FIELDS).chain(&own);
    let names: Vec<&str> = names.copied().flatten().copied().chain(["k", "role", "gold"]).collect();
    let added = |value: &Value| -> Vec<Value> {
        let Value::Object(fields) = value else {
            return Vec::new();
        };
        let with = |path: &str, value: &Value| {
            let mut keys = path.rsplit('.').peekable();
            let mut nested = value.clone();
            while let Some(key) = keys.next().filter(|_| keys.peek().is_some()) {
                nested = json!({ key: nested });
            }
            let mut fields = fields.clone();
            fields.insert(path.split('.').next().unwrap_or(path).to_owned(), nested);
            Value::Object(fields)
        };
        names
            .iter()
            .flat_map(|path| values().iter().map(|value| with(path, value)).collect::<Vec<_>>())
            .collect()
    };
    for record in variants(&whole(), &added) {
        let _ = line(&record.to_string());
    }
}
