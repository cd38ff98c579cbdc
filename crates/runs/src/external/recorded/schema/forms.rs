//! Building blocks of the schema: an object whose fields have several names, and the types of their values.

use schemars::{Schema, json_schema};
use serde_json::{Map, Value, json};

use crate::external::recorded::fields::MOST;
use crate::external::recorded::names::Names;

/// A field, read under the first of its names that is present.
pub(super) struct Field {
    names: Names,
    description: &'static str,
    schema: Value,
}

pub(super) fn field(names: Names, description: &'static str, schema: Value) -> Field {
    Field { names, description, schema }
}

/// Returns an object of `fields` and any other keys, for which all `rules` hold.
pub(super) fn object(description: &str, fields: &[Field], rules: Vec<Value>) -> Schema {
    let mut properties = Map::new();
    let mut all = Vec::new();
    for Field { names, description, schema } in fields {
        let own = names[0];
        properties.insert(own.to_owned(), json!({ "description": description, "allOf": [schema] }));
        let others = names[1..].iter().filter(|name| !name.contains('.'));
        for other in others {
            let alias = json!({ "description": format!("Another name of `{own}`.") });
            properties.entry(*other).or_insert(alias);
        }
        if names.len() > 1 {
            // Its own name has the schema as a property: an error is reported once.
            all.push(json!({ "if": present(own), "else": first(&names[1..], schema, true) }));
        }
    }
    all.extend(rules);
    json_schema!({
        "type": "object", "description": description, "properties": properties, "allOf": all,
    })
}

/// Returns the schema of an object in which the first of `names` that is present has `schema`. `absent`: it may lack all.
pub(super) fn first(names: Names, schema: &Value, absent: bool) -> Value {
    names.iter().rev().fold(
        json!(absent),
        |rest, name| json!({ "if": present(name), "then": at(name, schema), "else": rest }),
    )
}

/// Returns the schema of an object with a field, not null, under one of `names`.
pub(super) fn has(names: Names) -> Value {
    first(names, &json!({ "not": { "type": "null" } }), false)
}

/// Returns the schema of an object with at most one of `names`.
pub(super) fn at_most_one(names: Names) -> Value {
    let pairs = names.iter().enumerate().flat_map(|(at, one)| {
        let others = names[at + 1..].iter();
        others.map(move |other| json!({ "required": [one, other] }))
    });
    json!({ "not": { "anyOf": pairs.collect::<Vec<_>>() } })
}

/// Returns the schema of an object with a field of this name or path.
fn present(name: &str) -> Value {
    match name.split_once('.') {
        None => json!({ "required": [name] }),
        Some((outer, rest)) => {
            let mut inner = present(rest);
            inner["type"] = json!("object");
            json!({ "required": [outer], "properties": { outer: inner } })
        }
    }
}

/// Returns the schema of an object whose field of this name or path has `schema`.
fn at(name: &str, schema: &Value) -> Value {
    match name.split_once('.') {
        None => json!({ "properties": { name: schema } }),
        Some((outer, rest)) => json!({ "properties": { outer: at(rest, schema) } }),
    }
}

pub(super) fn any(forms: &[Value]) -> Value {
    json!({ "anyOf": forms })
}

pub(super) fn list(items: impl Into<Value>) -> Value {
    json!({ "type": "array", "items": items.into() })
}

/// Returns a list of at least one item.
pub(super) fn filled_list(items: impl Into<Value>) -> Value {
    json!({ "type": "array", "minItems": 1, "items": items.into() })
}

pub(super) fn null() -> Value {
    json!({ "type": "null" })
}

pub(super) fn text() -> Value {
    json!({ "type": ["string", "null"] })
}

/// Returns a text that is not blank.
pub(super) fn filled() -> Value {
    json!({ "type": "string", "pattern": "\\S" })
}

pub(super) fn id() -> Value {
    json!({ "type": ["string", "integer", "null"], "minLength": 1 })
}

pub(super) fn number() -> Value {
    json!({ "type": ["number", "null"] })
}

pub(super) fn amount() -> Value {
    json!({ "type": ["number", "null"], "minimum": 0, "maximum": MOST })
}

pub(super) fn count() -> Value {
    json!({ "type": ["integer", "null"], "minimum": 0, "maximum": MOST })
}
