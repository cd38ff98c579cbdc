//! The attributes of an OpenTelemetry span as nested JSON: dotted names, whose numbers are positions in lists.

use serde_json::{Map, Value};

/// Maximum number of parts of a name; further dots belong to the last part.
const MOST_PARTS: usize = 8;

/// Returns the attributes of a span, and those of its events that it lacks: some instrumentations record messages there.
pub(super) fn attributes(span: &mut Map<String, Value>) -> Value {
    let mut take = |key: &str| span.get_mut(key).map(Value::take).unwrap_or_default();
    let mut nested = Map::new();
    let own = take("attributes");
    let events = match take("events") {
        Value::Array(events) => events,
        _ => Vec::new(),
    };
    let of_events =
        events.into_iter().filter_map(|mut event| Some(event.get_mut("attributes")?.take()));
    for (name, value) in std::iter::once(own).chain(of_events).flat_map(pairs) {
        insert(&mut nested, &name, value);
    }
    with_lists(Value::Object(nested), MOST_PARTS)
}

/// Returns names and values of an object, or of OTLP's list of keys and values. Anything else has none.
fn pairs(attributes: Value) -> Map<String, Value> {
    match attributes {
        Value::Object(fields) => fields,
        Value::Array(items) => items.into_iter().filter_map(pair).collect(),
        _ => Map::new(),
    }
}

fn pair(item: Value) -> Option<(String, Value)> {
    let Value::Object(mut fields) = item else { return None };
    match (fields.shift_remove("key")?, fields.shift_remove("value")?) {
        (Value::String(key), value) => Some((key, any_value(value))),
        _ => None,
    }
}

/// Reads OTLP's `AnyValue`: an object with one key that names the type. Integers are strings there.
fn any_value(value: Value) -> Value {
    let Value::Object(fields) = value else { return Value::Null };
    let Some((kind, inner)) = fields.into_iter().next() else { return Value::Null };
    let values = |mut list: Value| list.get_mut("values").map(Value::take).unwrap_or_default();
    match (kind.as_str(), inner) {
        ("intValue" | "int_value", Value::String(text)) => {
            text.parse::<i64>().map_or(Value::Null, Value::from)
        }
        ("arrayValue" | "array_value", list) => match values(list) {
            Value::Array(items) => items.into_iter().map(any_value).collect(),
            _ => Value::Array(Vec::new()),
        },
        ("kvlistValue" | "kvlist_value", list) => Value::Object(pairs(values(list))),
        (_, inner) => inner,
    }
}

/// Adds a value under a dotted name, unless there is one. Of `a` and `a.b`, the second counts.
fn insert(fields: &mut Map<String, Value>, name: &str, value: Value) {
    let mut at = fields;
    let mut parts = name.splitn(MOST_PARTS, '.').peekable();
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            at.entry(part).or_insert(value);
            return;
        }
        let inner = at.entry(part).or_insert(Value::Null);
        if !inner.is_object() {
            *inner = Value::Object(Map::new());
        }
        let Value::Object(inner) = inner else { return };
        at = inner;
    }
}

/// Makes lists of the objects whose keys are positions, down to `depth`.
fn with_lists(value: Value, depth: usize) -> Value {
    let Value::Object(fields) = value else { return value };
    if depth == 0 {
        return Value::Object(fields);
    }
    let fields = fields.into_iter().map(|(key, inner)| (key, with_lists(inner, depth - 1)));
    let fields: Map<String, Value> = fields.collect();
    if !fields.keys().any(|key| key.parse::<usize>().is_ok()) {
        return Value::Object(fields);
    }
    let items =
        fields.into_iter().filter_map(|(key, inner)| Some((key.parse::<usize>().ok()?, inner)));
    let mut items: Vec<(usize, Value)> = items.collect();
    items.sort_by_key(|(position, _)| *position);
    items.into_iter().map(|(_, inner)| inner).collect()
}
