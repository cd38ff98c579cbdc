//! The JSON Schema of all settings, walked by name.

use std::sync::LazyLock;

use serde_json::Value;

use super::settings::Settings;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| schemars::schema_for!(Settings).to_value());

pub(super) fn settings_schema() -> &'static Value {
    &SCHEMA
}

/// Returns the schema of field `name` of a table, or of any key where the table is free.
pub(super) fn field(table: &'static Value, name: &str) -> Option<&'static Value> {
    let table = definition(table);
    let any = &table["additionalProperties"];
    table["properties"].get(name).or_else(|| any.is_object().then_some(any))
}

/// Follows a reference to the definition of a type.
pub(super) fn definition(schema: &'static Value) -> &'static Value {
    let name = schema["$ref"].as_str().and_then(|target| target.strip_prefix("#/$defs/"));
    name.map_or(schema, |name| &SCHEMA["$defs"][name])
}

/// Returns the keys of the table at `path` in the settings (`""`: the whole); empty for a table of free keys, and for anything else.
#[must_use]
pub fn keys_of(path: &str) -> Vec<&'static str> {
    let mut names = path.split('.').filter(|name| !name.is_empty());
    let table = names.try_fold(settings_schema(), field);
    let table = table.map(definition).filter(|table| !table["additionalProperties"].is_object());
    let keys = table.and_then(|table| table["properties"].as_object());
    keys.map_or_else(Vec::new, |keys| keys.keys().map(String::as_str).collect())
}
