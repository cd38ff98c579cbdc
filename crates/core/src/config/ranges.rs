//! Ranges of settings, declared on the fields of [`Settings`](super::Settings) and read from its JSON Schema.

use serde::Serialize;
use serde_json::{Number, Value};

use super::out_of_range::OutOfRange;
use super::schema::{field, settings_schema};

/// Checks every value in `value`, which is at `path` in the settings (`""`: all of them), against the range of its field.
///
/// # Errors
/// The first value outside its range, in the order of the fields. A number that is infinite or none is outside any range.
pub fn check_ranges(path: &str, value: &impl Serialize) -> Result<(), OutOfRange> {
    let names = path.split('.').filter(|name| !name.is_empty());
    let schema = names.fold(settings_schema(), |schema, name| {
        field(schema, name).expect("a path in the settings")
    });
    let value = serde_json::to_value(value).expect("settings are plain JSON values");
    check(schema, path, &value)
}

fn check(schema: &'static Value, path: &str, value: &Value) -> Result<(), OutOfRange> {
    if schema["x-private"] == true && !is_name_of_variable(value) {
        // The text may be the key itself, so it is not shown.
        return Err(OutOfRange {
            name: path.to_owned().into(),
            value: "not the name of an environment variable".to_owned(),
            problem: "must name the variable that holds the key, never the key".into(),
        });
    }
    match value {
        Value::Null if is_number(schema) => Err(out_of_range(schema, path, "not a finite number")),
        Value::Number(number) if !contains(schema, number.as_f64().unwrap_or(f64::NAN)) => {
            Err(out_of_range(schema, path, &shown(number)))
        }
        Value::Array(items) => {
            let least = schema["minItems"].as_u64().unwrap_or(0);
            if (items.len() as u64) < least {
                return Err(OutOfRange {
                    name: path.to_owned().into(),
                    value: "empty".to_owned(),
                    problem: "must have at least 1 entry".into(),
                });
            }
            items.iter().try_for_each(|item| check(&schema["items"], path, item))
        }
        Value::Object(table) => table.iter().try_for_each(|(name, value)| {
            let separator = if path.is_empty() { "" } else { "." };
            field(schema, name)
                .map_or(Ok(()), |schema| check(schema, &format!("{path}{separator}{name}"), value))
        }),
        _ => Ok(()),
    }
}

/// Returns true if a text, or each in a table, can be the name of an environment variable.
fn is_name_of_variable(value: &Value) -> bool {
    match value {
        Value::String(name) => {
            let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            name.chars().all(is_word) && !name.starts_with(|c: char| c.is_ascii_digit())
        }
        Value::Object(names) => names.values().all(is_name_of_variable),
        _ => true,
    }
}

/// Writes a whole float without a decimal point.
fn shown(number: &Number) -> String {
    match number.as_f64() {
        Some(value) if number.is_f64() => value.to_string(),
        _ => number.to_string(),
    }
}

fn is_number(schema: &Value) -> bool {
    match &schema["type"] {
        Value::Array(types) => types.iter().any(|name| name == "number"),
        name => name == "number",
    }
}

fn contains(schema: &Value, value: f64) -> bool {
    let least = schema["minimum"].as_f64().unwrap_or(f64::NEG_INFINITY);
    let most = schema["maximum"].as_f64().unwrap_or(f64::INFINITY);
    (least..=most).contains(&value)
}

fn out_of_range(schema: &Value, path: &str, value: &str) -> OutOfRange {
    let limits = [&schema["minimum"], &schema["maximum"]];
    let problem = match limits.map(Value::as_f64) {
        [Some(least), Some(most)] => format!("must be {least} to {most}"),
        [Some(least), None] => format!("must be at least {least}"),
        [None, Some(most)] => format!("must be at most {most}"),
        [None, None] => "must be one".to_owned(),
    };
    OutOfRange { name: path.to_owned().into(), value: value.to_owned(), problem: problem.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Settings;

    fn refused(text: &str) -> String {
        let settings: Settings = toml::from_str(text).expect("settings");
        let error = check_ranges("", &settings).expect_err("out of range");
        error.to_string()
    }

    #[test]
    fn defaults_are_in_range() {
        assert_eq!(check_ranges("", &Settings::default()), Ok(()));
    }

    #[test]
    fn a_key_in_place_of_a_name_is_refused_without_being_shown() {
        let mut settings = Settings::default();
        settings.generation.api_key_env = Some("OPENAI_API_KEY".to_owned());
        let check = |settings: &Settings| check_ranges("", settings);
        assert_eq!(check(&settings), Ok(()));
        settings.generation.api_key_env = Some("sk-top/secret".to_owned());
        let error = check(&settings).expect_err("a key").to_string();
        assert_eq!(
            error,
            "`generation.api_key_env` is not the name of an environment variable, must name the variable that holds the key, \
             never the key"
        );
        settings.generation.api_key_env = None;
        let header = ("x-key".to_owned(), "sk-top/secret".to_owned());
        settings.judge.headers_env.extend([header]);
        let error = check(&settings).expect_err("a key").to_string();
        assert!(error.starts_with("`judge.headers_env` is not"), "{error}");
    }

    #[test]
    fn a_value_outside_the_range_of_its_field_is_named() {
        for (text, expected) in [
            ("retrieval.k = 0", "`retrieval.k` is 0, must be at least 1"),
            ("dataset.limit = 0", "`dataset.limit` is 0, must be at least 1"),
            ("evaluation.ks = [1, 0]", "`evaluation.ks` is 0, must be at least 1"),
            ("evaluation.ks = []", "`evaluation.ks` is empty, must have at least 1 entry"),
            ("evaluation.correct_f1 = 1.5", "`evaluation.correct_f1` is 1.5, must be 0 to 1"),
            (
                "retrieval.bm25.k1 = nan",
                "`retrieval.bm25.k1` is not a finite number, must be 0 to 1000000",
            ),
            (
                "generation.temperature = inf",
                "`generation.temperature` is not a finite number, must be at least 0",
            ),
            (
                "retrieval.fusion.weights.bm25 = -1.0",
                "`retrieval.fusion.weights.bm25` is -1, must be 0 to 1000000000",
            ),
            (
                "vector_store.hnsw.ef_construct = 3",
                "`vector_store.hnsw.ef_construct` is 3, must be at least 4",
            ),
            ("vector_store.replicas = 0", "`vector_store.replicas` is 0, must be 1 to 1024"),
            ("tune.tokens = 0", "`tune.tokens` is 0, must be at least 1"),
        ] {
            assert_eq!(refused(text), expected);
        }
    }
}
