//! Metadata filters of documents: one definition for all retrievers.
//!
//! Qdrant's payload filter has the same meaning; the contract suite of vector stores holds it to [`Filter::matches`].
//! Left out: `or` between fields, full-text and geographic conditions.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Conditions on a document's metadata by field, all of which must hold. An empty filter lets everything through.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Filter {
    /// Field name to condition.
    pub fields: BTreeMap<String, FieldCondition>,
}

/// A condition on a field's value. A field that holds a list meets a condition when any of its items does; a missing field
/// and null meet none but [`FieldCondition::Not`].
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum FieldCondition {
    /// `field = "value"`: equal to it.
    Is(Literal),
    /// `field = ["one", "two"]`: equal to one of them.
    OneOf(Vec<Literal>),
    /// `field = { not = ["one"] }`: no item equal to any of them, or no such field.
    Not(Excluded),
    /// `field = { gte = 2024, lt = 2026 }`: a number within the bounds.
    Within(NumberBounds),
}

impl<'de> Deserialize<'de> for FieldCondition {
    /// Implemented by hand: a derived untagged enum would accept a list in a list as [`Excluded`], and its errors do
    /// not say what is expected.
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wanted = "expected a string, a finite number, a boolean, a list of these, `{ not = [...] }`, or numbers as `{ gt, gte, lt, lte }`";
        let value = Value::deserialize(deserializer)?;
        let shown = value.to_string();
        Self::read(value)
            .map_err(|_| serde::de::Error::custom(format!("{shown} is not a condition: {wanted}")))
    }
}

/// Values that a field must not have.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Excluded {
    /// The values, at least one.
    pub not: Vec<Literal>,
}

/// A value to compare with. Numbers are compared as 64-bit floats, so that 2 equals 2.0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Literal {
    /// True or false.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A text, equal character for character.
    Text(String),
}

/// Bounds of a number, at least one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NumberBounds {
    /// Greater than.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gt: Option<f64>,
    /// Greater than or equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gte: Option<f64>,
    /// Less than.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lt: Option<f64>,
    /// Less than or equal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lte: Option<f64>,
}

impl Filter {
    /// Returns true if there are no conditions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Returns true if a document with this metadata may be found.
    #[must_use]
    pub fn matches(&self, metadata: &BTreeMap<String, Value>) -> bool {
        self.fields.iter().all(|(field, condition)| condition.holds(metadata.get(field)))
    }
}

impl FieldCondition {
    fn read(value: Value) -> Result<Self, serde_json::Error> {
        Ok(match value {
            Value::Array(_) => Self::OneOf(serde_json::from_value(value)?),
            Value::Object(ref fields) if fields.contains_key("not") => {
                Self::Not(serde_json::from_value(value)?)
            }
            // JSON has no infinity: such a bound has become null.
            Value::Object(ref fields) if fields.values().any(Value::is_null) => {
                Self::Is(serde_json::from_value(Value::Null)?)
            }
            Value::Object(_) => Self::Within(serde_json::from_value(value)?),
            value => Self::Is(serde_json::from_value(value)?),
        })
    }

    fn holds(&self, value: Option<&Value>) -> bool {
        let items = items(value);
        match self {
            Self::Is(literal) => literal.equals_any(items),
            Self::OneOf(literals) => literals.iter().any(|literal| literal.equals_any(items)),
            Self::Not(excluded) => !excluded.not.iter().any(|literal| literal.equals_any(items)),
            Self::Within(bounds) => {
                let mut numbers = items.iter().filter_map(Value::as_f64);
                numbers.any(|number| bounds.hold(number))
            }
        }
    }
}

/// Returns a list's items, any other value alone, and nothing for a missing field.
fn items(value: Option<&Value>) -> &[Value] {
    match value {
        None => &[],
        Some(Value::Array(items)) => items,
        Some(value) => std::slice::from_ref(value),
    }
}

impl Literal {
    fn equals_any(&self, items: &[Value]) -> bool {
        items.iter().any(|item| self.equals(item))
    }

    fn equals(&self, value: &Value) -> bool {
        match self {
            Self::Bool(wanted) => value.as_bool() == Some(*wanted),
            Self::Number(wanted) => value.as_f64() == Some(*wanted),
            Self::Text(wanted) => value.as_str() == Some(wanted),
        }
    }
}

impl NumberBounds {
    fn hold(self, number: f64) -> bool {
        let Self { gt, gte, lt, lte } = self;
        gt.is_none_or(|bound| number > bound)
            && gte.is_none_or(|bound| number >= bound)
            && lt.is_none_or(|bound| number < bound)
            && lte.is_none_or(|bound| number <= bound)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn matches(filter: &str, metadata: Value) -> bool {
        let filter: Filter = toml::from_str(filter).expect("a filter");
        filter.matches(&serde_json::from_value(metadata).expect("a map"))
    }

    #[test]
    fn values_are_equal_lists_hold_any_and_missing_fields_none() {
        assert!(matches("team = \"search\"", json!({"team": "search"})));
        assert!(matches("team = \"search\"", json!({"team": ["ops", "search"]})));
        assert!(!matches("team = \"search\"", json!({"team": "Search"})));
        assert!(!matches("team = \"search\"", json!({})));
        assert!(matches("team = [\"a\", \"b\"]", json!({"team": "b"})));
        assert!(matches("version = 2\nlive = true", json!({"version": 2.0, "live": true})));
        assert!(!matches("version = 2\nlive = true", json!({"version": 2, "live": "true"})));
    }

    #[test]
    fn what_is_excluded_may_be_missing() {
        let filter = "team = { not = [\"ops\", \"web\"] }";
        assert!(matches(filter, json!({"team": "search"})));
        assert!(matches(filter, json!({})));
        assert!(matches(filter, json!({"team": null})));
        assert!(!matches(filter, json!({"team": ["search", "ops"]})));
    }

    #[test]
    fn bounds_are_kept_by_numbers_only() {
        let filter = "year = { gte = 2024, lt = 2026 }";
        assert!(matches(filter, json!({"year": 2024})));
        assert!(matches(filter, json!({"year": [1999, 2025.5]})));
        assert!(!matches(filter, json!({"year": 2026})));
        assert!(!matches(filter, json!({"year": "2025"})));
    }

    #[test]
    fn an_empty_filter_lets_everything_through() {
        assert!(Filter::default().matches(&BTreeMap::new()));
    }

    #[test]
    fn misspelt_bounds_are_refused() {
        for wrong in [
            "year = { from = 2024 }",
            "year = [[2024]]",
            "year = nan",
            "year = { not = 2024 }",
            "year = { lt = inf }",
        ] {
            let error = toml::from_str::<Filter>(wrong).expect_err(wrong).to_string();
            assert!(error.contains("is not a condition: expected"), "{wrong}: {error}");
        }
    }
}
