//! The attributes of an OpenTelemetry span: dotted names, whose numbers are positions in lists.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// The attributes of a span, by dotted names.
pub(super) type Attributes = Map<String, Value>;

/// Returns the attributes of a list under `prefix`, by position: `prefix.0.rest`.
pub(super) fn indexed<'a>(
    attributes: &'a Attributes,
    prefix: &str,
) -> BTreeMap<usize, Vec<(&'a str, &'a Value)>> {
    let mut items: BTreeMap<usize, Vec<(&str, &Value)>> = BTreeMap::new();
    for (key, value) in attributes {
        let Some((position, rest)) = key
            .strip_prefix(prefix)
            .and_then(|rest| rest.strip_prefix('.'))
            .and_then(|rest| rest.split_once('.'))
        else {
            continue;
        };
        if let Ok(position) = position.parse() {
            items.entry(position).or_default().push((rest, value));
        }
    }
    items
}

/// Returns the value under `name` in an item of [`indexed`].
pub(super) fn item<'a>(fields: &[(&str, &'a Value)], name: &str) -> Option<&'a Value> {
    fields
        .iter()
        .find(|(key, _)| *key == name)
        .map(|(_, value)| *value)
}
