//! Settings that remain in the run's folder, because reports and comparisons are shared more widely.
//!
//! Fields are marked (`x-private`: names of environment variables). In free tables (`generation.extra_body`, `sweep`) the names
//! decide, since a value alone does not show whether it is a secret. Settings never contain the keys read from the environment.

use ragtriage_core::config::marks;
use serde_json::Value;

/// Matched anywhere in a name.
const ANYWHERE: [&str; 8] =
    ["secret", "passw", "passphrase", "credential", "cookie", "session", "bearer", "signature"];
/// Matched at the end of a word: `apikey`, `authToken`, `oauth`.
const ENDS: [&str; 6] = ["key", "keys", "token", "auth", "pwd", "jwt"];
/// Matched at the start of a word: `Authorization`, not `author`.
const STARTS: [&str; 2] = ["authen", "authori"];
/// Matched as whole words.
const WORDS: [&str; 4] = ["env", "header", "headers", "pass"];

/// Returns true if the setting `path` (`generation.extra_body.auth`, `a.b[0].c`) with this value is private to the run's
/// folder: its field is marked, or it is in a free table under a name like that of a secret.
#[must_use]
pub fn is_private(path: &str, value: &Value) -> bool {
    let (marks, free) = marks(path);
    marks.is_private || is_like_a_key(free, value)
}

/// Returns `value` as it may be shown, with `instead` replacing private values in its tables, in arrays too.
#[must_use]
pub fn shown(path: &str, value: &Value, instead: &str) -> Value {
    if is_private(path, value) { instead.into() } else { shown_inside(value, instead) }
}

fn shown_inside(value: &Value, instead: &str) -> Value {
    match value {
        Value::Object(table) => table
            .iter()
            .map(|(key, value)| {
                let shown = if is_like_a_key(key, value) {
                    instead.into()
                } else {
                    shown_inside(value, instead)
                };
                (key.clone(), shown)
            })
            .collect(),
        Value::Array(items) => items.iter().map(|item| shown_inside(item, instead)).collect(),
        plain => plain.clone(),
    }
}

/// Returns true if any part of a name in a free table resembles the name of a secret.
fn is_like_a_key(path: &str, value: &Value) -> bool {
    let last = path.rsplit('.').next().unwrap_or_default();
    // A token count is not a secret: `max_tokens = 20`.
    let is_count = matches!(value, Value::Null | Value::Bool(_) | Value::Number(_));
    path.split('.').any(smells) || !is_count && words(last).any(|word| word == "tokens")
}

fn smells(name: &str) -> bool {
    let lower = name.to_lowercase();
    ANYWHERE.iter().any(|part| lower.contains(part))
        || words(name).any(|word| {
            ENDS.iter().any(|end| word.ends_with(end))
                || STARTS.iter().any(|start| word.starts_with(start))
                || WORDS.contains(&word.as_str())
        })
}

/// Returns a name's words in lower case: `x-api_keyId` has x, api, key and id.
fn words(name: &str) -> impl Iterator<Item = String> {
    let mut spaced = String::new();
    let mut was_lower = false;
    for c in name.chars() {
        if was_lower && c.is_uppercase() {
            spaced.push(' ');
        }
        was_lower = c.is_lowercase();
        spaced.push(if c.is_alphanumeric() { c } else { ' ' });
    }
    spaced
        .to_lowercase()
        .split(' ')
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect::<Vec<_>>()
        .into_iter()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_smells_of_a_key_is_private_whatever_its_value_is() {
        for name in [
            "generation.api_key_env",
            "generation.headers_env.x",
            "generation.extra_body.headers.x",
            "generation.extra_body.Authorization",
            "generation.extra_body.api-key",
            "generation.extra_body.accessKeyId",
            "generation.extra_body.authToken",
            "generation.extra_body.Set-Cookie",
            "generation.extra_body.session_id",
            "generation.extra_body.secret.x",
            "generation.extra_body.providers[0].auth",
        ] {
            assert!(is_private(name, &json!("X")) && is_private(name, &json!(7)), "{name}");
        }
    }

    #[test]
    fn what_is_no_key_is_shown() {
        for name in [
            "retrieval.k",
            "chunking.tokenizer",
            "retrieval.filter.author",
            "retrieval.filter.keywords",
            "retrieval.fusion.weights.bm25",
        ] {
            assert!(!is_private(name, &json!("X")), "{name}");
        }
        // A number of tokens, none at all, and tokens.
        let tokens = |value: Value| is_private("generation.extra_body.max_tokens", &value);
        assert_eq!(
            [json!(20), Value::Null, json!("X"), json!(["X"])].map(tokens),
            [false, false, true, true]
        );
    }

    #[test]
    fn arrays_are_searched_as_tables_are() {
        let value = json!({"providers": [{"auth": "X", "n": 1}, [{"pin": {"cookie": 7}}], "free"], "tokens": ["X"]});
        let expected = json!({"providers": [{"auth": "-", "n": 1}, [{"pin": {"cookie": "-"}}], "free"], "tokens": "-"});
        assert_eq!(shown("generation.extra_body", &value, "-"), expected);
    }
}
