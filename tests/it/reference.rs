//! The reference pages name what the program has: every setting with its default, every metric.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::project::Project;
use ragtriage_core::metric::Family;

const SETTINGS: &str = include_str!("../../docs/src/settings.md");
const METRICS: &str = include_str!("../../docs/src/metrics.md");

/// Follows references of a JSON Schema to the definition; keys next to a reference win.
fn resolved(node: &Value, schema: &Value) -> Value {
    let own = node.as_object().expect("an object").clone();
    let options = own.get("anyOf").and_then(Value::as_array);
    let reference = options
        .and_then(|options| options.iter().find_map(|option| option.get("$ref")))
        .or_else(|| own.get("$ref"));
    let Some(reference) = reference.and_then(Value::as_str) else {
        return node.clone();
    };
    let name = reference.rsplit('/').next().expect("a name");
    let mut found = resolved(&schema["$defs"][name], schema);
    found.as_object_mut().expect("an object").extend(own);
    found
}

/// Collects the default of every setting of a schema by its full key.
fn settings(node: &Value, schema: &Value, key: &str, out: &mut BTreeMap<String, Option<Value>>) {
    let node = resolved(node, schema);
    let properties = node.get("properties").and_then(Value::as_object);
    match properties.filter(|properties| !properties.is_empty()) {
        Some(properties) => {
            for (name, child) in properties {
                let dot = if key.is_empty() { "" } else { "." };
                settings(child, schema, &format!("{key}{dot}{name}"), out);
            }
        }
        None => {
            out.insert(key.to_owned(), node.get("default").cloned());
        }
    }
}

/// Reads the rows of the page's tables of settings: the default by key.
fn rows() -> BTreeMap<String, String> {
    let mut table = None;
    let mut rows = BTreeMap::new();
    for line in SETTINGS.lines().filter(|line| !line.trim().is_empty()) {
        if line.starts_with('#') {
            let name = line.split_once("`[").and_then(|(_, rest)| rest.split_once(']'));
            table = name.map(|(name, _)| name);
        }
        let cells: Vec<&str> = line.split(" | ").collect();
        let name = cells[0].strip_prefix("| `").and_then(|name| name.strip_suffix('`'));
        if let (Some(table), Some(name)) = (table, name) {
            rows.insert(format!("{table}.{name}"), cells[2].trim().to_owned());
        }
    }
    rows
}

#[test]
fn the_page_of_settings_has_every_key_and_default_of_the_schema() {
    let outcome = Project::new().call(&["schema", "config"]);
    let schema: Value = serde_json::from_str(&outcome.stdout).expect("a schema");
    let mut known = BTreeMap::new();
    settings(&schema, &schema, "", &mut known);
    let rows = rows();
    assert!(rows.len() > 100, "{} rows", rows.len());
    // `[sweep]` takes any key, and prices are documented once.
    let shared = ["sweep", "judge.price.prompt", "judge.price.completion"];
    let missing = known.keys().filter(|key| !rows.contains_key(*key));
    let missing: Vec<&String> = missing.filter(|key| !shared.contains(&key.as_str())).collect();
    let unknown: Vec<&String> = rows.keys().filter(|key| !known.contains_key(*key)).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "{missing:?} {unknown:?}");
    for (key, default) in &known {
        let (Some(shown), Some(default)) = (rows.get(key), default) else {
            continue;
        };
        if matches!(default, Value::Bool(_) | Value::Number(_) | Value::String(_)) {
            let text = default.as_str().map_or(default.to_string(), str::to_owned);
            let shown = shown.trim_matches('`').trim_matches('"');
            let is_number = shown.parse::<f64>().ok() == default.as_f64();
            assert!(
                shown == text
                    || (default.is_number() && is_number)
                    || (text.is_empty() && !shown.contains('`')),
                "{key}: the page has the default {shown}, the schema {text}"
            );
        }
    }
}

#[test]
fn the_page_of_metrics_has_every_metric() {
    let shown = METRICS.lines().filter_map(|line| line.strip_prefix("| `"));
    let shown = shown.flat_map(|line| {
        let cell = line.split(" | ").next().unwrap_or_default();
        cell.trim_end_matches('`').split("`, `").map(str::to_owned).collect::<Vec<_>>()
    });
    let shown: BTreeSet<String> = shown.filter(|name| !name.starts_with('@')).collect();
    let known = Family::ALL.iter().map(|family| family.name().to_owned());
    assert_eq!(shown, known.collect::<BTreeSet<String>>());
}
