//! The JSON Schema of all settings, walked by name: the keys of each table, and the ranges and marks that fields of
//! [`Settings`] declare. The marks are `x-resume`, `x-affects` and `x-private`; one on a table holds for every setting in it.

use std::borrow::Cow;
use std::sync::LazyLock;

use serde::Serialize;
use serde_json::{Number, Value};

use super::settings::Settings;

static SCHEMA: LazyLock<Value> = LazyLock::new(|| schemars::schema_for!(Settings).to_value());

fn settings_schema() -> &'static Value {
    &SCHEMA
}

/// Returns the schema of field `name` of a table, or of any key where the table is free.
fn field(table: &'static Value, name: &str) -> Option<&'static Value> {
    let table = definition(table);
    let any = &table["additionalProperties"];
    table["properties"].get(name).or_else(|| any.is_object().then_some(any))
}

/// Follows a reference to the definition of a type.
fn definition(schema: &'static Value) -> &'static Value {
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

/// Returns the JSON type of the setting at `path`, such as `integer`; `None` for a key that is no setting, and for one of several types.
#[must_use]
pub fn type_of(path: &str) -> Option<&'static str> {
    let setting = path.split('.').try_fold(settings_schema(), field)?;
    definition(setting)["type"].as_str()
}

/// The marks of one setting.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SettingMarks {
    /// Changes no trace: speed, cost limits, keys, caches, gates. A resumed run may set it differently.
    pub may_change_on_resume: bool,
    /// Changes the summary of a run, not its traces.
    pub affects_summary_only: bool,
    /// Names an environment variable, and is left out of reports and comparisons.
    pub is_private: bool,
}

/// Returns the marks of `key` (`retrieval.k`), and the rest of the key that the schema does not define because it
/// lies in a free table (`generation.extra_body.x` gives `x`).
#[must_use]
pub fn marks(key: &str) -> (SettingMarks, &str) {
    let mut marks = SettingMarks::default();
    let (mut table, mut rest) = (definition(settings_schema()), key);
    while !rest.is_empty() {
        let (name, behind) = rest.split_once('.').unwrap_or((rest, ""));
        let Some(field) = table["properties"].get(name) else {
            break;
        };
        marks.may_change_on_resume |= field["x-resume"] == "may change";
        marks.affects_summary_only |= field["x-affects"] == "summary";
        marks.is_private |= field["x-private"] == true;
        (table, rest) = (definition(field), behind);
    }
    (marks, rest)
}

/// A value that its setting does not accept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is {value}, {problem}")]
pub struct OutOfRange {
    /// The setting.
    pub name: Cow<'static, str>,
    /// The given value.
    pub value: String,
    /// The violated rule, such as `must be 1 to 1000`.
    pub problem: Cow<'static, str>,
}

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

    #[test]
    fn marks_are_read_from_fields_and_from_the_tables_around_them() {
        let of = |key| marks(key).0;
        assert_eq!(of("retrieval.k"), SettingMarks::default());
        assert!(of("generation.price.prompt").may_change_on_resume);
        assert!(of("cache.dir").may_change_on_resume && of("gates.min.EM@5").may_change_on_resume);
        assert!(of("http.timeout_s").may_change_on_resume);
        assert!(of("evaluation.ks").affects_summary_only);
        assert!(of("generation.headers_env.x").is_private);
        assert!(of("retrieval.dense.api_key_env").is_private);
    }

    #[test]
    fn what_the_schema_does_not_define_is_the_rest() {
        assert_eq!(marks("generation.extra_body.a.b").1, "a.b");
        assert_eq!(marks("sweep.retrieval.k").1, "retrieval.k");
        assert_eq!(marks("retrieval.k").1, "");
        assert_eq!(marks("nonsense.x").1, "nonsense.x");
    }

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
        settings.external.headers_env.extend([header]);
        let error = check(&settings).expect_err("a key").to_string();
        assert!(error.starts_with("`external.headers_env` is not"), "{error}");
    }

    #[test]
    fn a_value_outside_the_range_of_its_field_is_named() {
        for (text, expected) in [
            ("retrieval.k = 0", "`retrieval.k` is 0, must be at least 1"),
            ("dataset.limit = 0", "`dataset.limit` is 0, must be at least 1"),
            ("evaluation.ks = [1, 0]", "`evaluation.ks` is 0, must be at least 1"),
            ("evaluation.ks = []", "`evaluation.ks` is empty, must have at least 1 entry"),
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
            ("tune.tokens = 0", "`tune.tokens` is 0, must be at least 1"),
        ] {
            assert_eq!(refused(text), expected);
        }
    }
}
