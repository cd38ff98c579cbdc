//! JSON Pointers (RFC 6901) with `*` for every item of a list or object. A key that is not there is found in another case, or with other marks.

use serde_json::Value;

use crate::fields::is_same_key;

/// Keys that an error names.
const MOST_KEYS: usize = 12;

/// A pointer as configured.
#[derive(Clone, Debug)]
pub struct Pointer {
    text: String,
    /// Keys, indexes of lists, and `*`.
    steps: Vec<String>,
}

/// Describes the value at `at`, in place of another one.
fn miss(at: &str, value: &Value) -> String {
    let there = match value {
        Value::Object(fields) if fields.is_empty() => "an object without keys".to_owned(),
        Value::Object(fields) => {
            let mut keys: Vec<&str> = fields.keys().map(String::as_str).collect();
            keys.sort_unstable();
            let keys = keys.into_iter().take(MOST_KEYS);
            let keys: Vec<String> = keys.map(|key| format!("`{key}`")).collect();
            let more = if fields.len() > MOST_KEYS { ", ..." } else { "" };
            format!("an object with {}{more}", keys.join(", "))
        }
        Value::Array(items) => format!("a list of {}", items.len()),
        other => kind(other).to_owned(),
    };
    match at {
        "" => format!("there is {there}"),
        at => format!("at `{at}` is {there}"),
    }
}

/// Returns the type of a JSON value with its article.
#[must_use]
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

impl Pointer {
    /// Parses a pointer.
    ///
    /// # Errors
    /// A text that completes "`external.answer` ...".
    pub fn parse(text: &str) -> Result<Self, String> {
        let steps = match text.strip_prefix('/') {
            None if text.is_empty() => Vec::new(),
            None => return Err("must begin with `/`, like `/sources/*/text`".to_owned()),
            Some(steps) => {
                steps.split('/').map(|key| key.replace("~1", "/").replace("~0", "~")).collect()
            }
        };
        Ok(Self { text: text.to_owned(), steps })
    }

    /// Returns the pointer at a key.
    #[must_use]
    pub fn key(key: &str) -> Self {
        let text = format!("/{}", escaped(key));
        Self { text, steps: vec![key.to_owned()] }
    }

    /// Returns its first step; `None` for the pointer at the whole value.
    #[must_use]
    pub fn first(&self) -> Option<&str> {
        self.steps.first().map(String::as_str)
    }

    /// Returns its number of steps.
    pub(crate) fn len(&self) -> usize {
        self.steps.len()
    }

    /// Returns the pointer as configured.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the values that it points at, or why one is missing, in document order. A `*` at null points at nothing.
    #[must_use]
    pub fn find<'v>(&self, value: &'v Value) -> Vec<Result<&'v Value, String>> {
        let mut found = Vec::new();
        visit(&self.steps, value, &String::new, &mut |it| found.push(it.map_err(|miss| miss())));
        found
    }

    /// Returns the values that it points at, and true if none is missing. Describes no miss, which takes longer than the search.
    pub(crate) fn values<'v>(&self, value: &'v Value) -> (Vec<&'v Value>, bool) {
        let (mut found, mut is_whole) = (Vec::new(), true);
        visit(&self.steps, value, &String::new, &mut |it| match it {
            Ok(value) => found.push(value),
            Err(_) => is_whole = false,
        });
        (found, is_whole)
    }

    /// Returns the values of a list: as [`Self::find`], and a single list is replaced by its items, null by none.
    #[must_use]
    pub fn find_list<'v>(&self, value: &'v Value) -> Vec<Result<&'v Value, String>> {
        let found = self.find(value);
        match found.as_slice() {
            [Ok(Value::Array(items))] => items.iter().map(Ok).collect(),
            [Ok(Value::Null)] => Vec::new(),
            _ => found,
        }
    }
}

/// Returns a key as a step of a pointer.
pub(crate) fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// A text that is made where it is needed.
type Text<'t> = &'t dyn Fn() -> String;

/// Passes each value that `steps` lead to from `value`, which is at `at`, to `each`, or why one is missing.
fn visit<'v>(
    steps: &[String],
    value: &'v Value,
    at: Text<'_>,
    each: &mut dyn FnMut(Result<&'v Value, Text<'_>>),
) {
    let Some((step, rest)) = steps.split_first() else { return each(Ok(value)) };
    let mut child = |key: Text<'_>, value: &'v Value| {
        visit(rest, value, &|| format!("{}/{}", at(), key()), each);
    };
    let next = match (step.as_str(), value) {
        ("*", Value::Null) => return,
        ("*", Value::Array(items)) => {
            let items = items.iter().enumerate();
            return items.for_each(|(index, item)| child(&|| index.to_string(), item));
        }
        ("*", Value::Object(fields)) if !fields.is_empty() => {
            return fields.iter().for_each(|(key, item)| child(&|| escaped(key), item));
        }
        (key, Value::Object(fields)) => {
            let same = || fields.iter().find(|(other, _)| is_same_key(key, other));
            fields.get_key_value(key).or_else(same).map(|(key, item)| (key.as_str(), item))
        }
        (key, Value::Array(items)) => {
            let item = key.parse().ok().and_then(|index: usize| items.get(index));
            item.map(|item| (key, item))
        }
        _ => None,
    };
    match next {
        Some((key, item)) => child(&|| escaped(key), item),
        None => each(Err(&|| miss(&at(), value))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn found(pointer: &str, value: &Value) -> Vec<Result<Value, String>> {
        let pointer = Pointer::parse(pointer).expect("a pointer");
        pointer.find(value).into_iter().map(Result::<&Value, String>::cloned).collect()
    }

    #[test]
    fn a_star_is_every_item_and_a_number_is_one() {
        let value = json!({"a": [{"b": 1}, {"b": 2}], "c/d": {"~": 3}, "n": null});
        assert_eq!(found("/a/*/b", &value), [Ok(json!(1)), Ok(json!(2))]);
        assert_eq!(found("/a/1/b", &value), [Ok(json!(2))]);
        assert_eq!(found("/c~1d/~0", &value), [Ok(json!(3))]);
        assert_eq!(found("", &value), [Ok(value.clone())]);
        assert_eq!(found("/n/*", &value), []);
    }

    #[test]
    fn a_miss_names_the_place_and_its_keys() {
        let value = json!({"a": [{"b": 1}, {}], "x": "y"});
        let miss = |pointer| found(pointer, &value).pop().expect("one").expect_err("none");
        assert_eq!(miss("/z"), "there is an object with `a`, `x`");
        assert_eq!(miss("/a/*/b"), "at `/a/1` is an object without keys");
        assert_eq!(miss("/a/b"), "at `/a` is a list of 2");
        assert_eq!(miss("/a/2"), "at `/a` is a list of 2");
        assert_eq!(miss("/x/*"), "at `/x` is a string");
        assert_eq!(found("/a/*/b", &value)[0], Ok(json!(1)));
        assert!(Pointer::parse("a/b").is_err());
    }
}
