//! The attributes of an OpenTelemetry span: dotted names, whose numbers are positions in lists.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// The attributes of a span, by dotted names.
pub(super) type Attributes = Map<String, Value>;

/// Attributes, as an object or as OTLP's list of keys and values. Most of a file is these lists, so they are read without their
/// JSON tree. Anything else has no attributes.
#[derive(Default)]
pub(super) struct Read(pub Attributes);

/// An item of OTLP's list; `None` without a key and a value.
#[derive(Default)]
struct Pair(Option<(String, Value)>);

/// OTLP's `AnyValue`: an object with one key that names the type. Integers are strings there.
#[derive(Default)]
struct AnyValue(Value);

#[derive(serde::Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum PairKey {
    Key,
    Value,
    #[serde(other)]
    Other,
}

#[derive(serde::Deserialize)]
#[serde(field_identifier)]
enum ValueKind {
    #[serde(rename = "intValue", alias = "int_value")]
    Integer,
    #[serde(rename = "arrayValue", alias = "array_value")]
    Array,
    #[serde(rename = "kvlistValue", alias = "kvlist_value")]
    Object,
    #[serde(other)]
    Other,
}

/// Implements `Deserialize` by a visitor whose other values are the default.
macro_rules! read_leniently {
    ($read:ident, $visitor:ident, $($visits:item)+) => {
        struct $visitor;

        impl<'de> Visitor<'de> for $visitor {
            type Value = $read;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("attributes")
            }

            $($visits)+

            fn visit_bool<E>(self, _: bool) -> Result<$read, E> {
                Ok($read::default())
            }

            fn visit_i64<E>(self, _: i64) -> Result<$read, E> {
                Ok($read::default())
            }

            fn visit_u64<E>(self, _: u64) -> Result<$read, E> {
                Ok($read::default())
            }

            fn visit_f64<E>(self, _: f64) -> Result<$read, E> {
                Ok($read::default())
            }

            fn visit_str<E>(self, _: &str) -> Result<$read, E> {
                Ok($read::default())
            }

            fn visit_unit<E>(self) -> Result<$read, E> {
                Ok($read::default())
            }
        }

        impl<'de> Deserialize<'de> for $read {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_any($visitor)
            }
        }
    };
}

read_leniently! {
    Read,
    ReadVisitor,
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Read, A::Error> {
        let mut attributes = Attributes::new();
        while let Some((key, value)) = map.next_entry()? {
            attributes.insert(key, value);
        }
        Ok(Read(attributes))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Read, A::Error> {
        let mut attributes = Attributes::new();
        while let Some(Pair(pair)) = items.next_element()? {
            attributes.extend(pair);
        }
        Ok(Read(attributes))
    }
}

read_leniently! {
    Pair,
    PairVisitor,
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pair, A::Error> {
        let (mut key, mut value) = (None, None);
        while let Some(name) = map.next_key()? {
            match name {
                PairKey::Key => key = Some(map.next_value::<Value>()?),
                PairKey::Value => value = Some(map.next_value::<AnyValue>()?),
                PairKey::Other => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(Pair(match (key, value) {
            (Some(Value::String(key)), Some(AnyValue(value))) => Some((key, value)),
            _ => None,
        }))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Pair, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Pair::default())
    }
}

read_leniently! {
    AnyValue,
    AnyVisitor,
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<AnyValue, A::Error> {
        let Some(kind) = map.next_key::<ValueKind>()? else {
            return Ok(AnyValue::default());
        };
        let inner: Value = map.next_value()?;
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        let values = |list: &Value| list.get("values").cloned().unwrap_or_default();
        Ok(AnyValue(match (kind, inner) {
            (ValueKind::Integer, Value::String(text)) => {
                text.parse::<i64>().map_or(Value::Null, Value::from)
            }
            (ValueKind::Array, list) => {
                let items: Vec<AnyValue> = serde_json::from_value(values(&list)).unwrap_or_default();
                items.into_iter().map(|AnyValue(value)| value).collect()
            }
            (ValueKind::Object, list) => Value::Object(Read::of(values(&list)).0),
            (_, inner) => inner,
        }))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<AnyValue, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(AnyValue::default())
    }
}

impl Read {
    /// Reads a value that was parsed.
    pub(super) fn of(value: Value) -> Self {
        serde_json::from_value(value).unwrap_or_default()
    }
}

/// Returns the attributes of a list under `prefix`, by position: `prefix.0.rest`.
pub(super) fn indexed<'a, V>(
    attributes: impl IntoIterator<Item = (&'a String, V)>,
    prefix: &str,
) -> BTreeMap<usize, Vec<(&'a str, V)>> {
    let mut items: BTreeMap<usize, Vec<(&str, V)>> = BTreeMap::new();
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
    fields.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
}
