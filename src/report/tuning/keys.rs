//! Settings and their values as a table names them: `size` for `chunking.size`, `bm25 + dense` for `["bm25", "dense"]`.

use std::collections::BTreeMap;

use toml::Value;

use crate::eval::tuning::Varied;

/// Each key by as many of its last parts as tell it from the others.
pub(super) fn short_names(varied: &[Varied]) -> Vec<String> {
    let short = |varied_key: &Varied| {
        let key = varied_key.key.as_str();
        let starts = key.rmatch_indices('.').map(|(dot, _)| dot + 1).chain([0]);
        let ends = |other: &str, tail: &str| {
            other.strip_suffix(tail).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        };
        let is_own = |tail: &&str| varied.iter().filter(|other| ends(&other.key, tail)).count() == 1;
        starts.map(|start| &key[start..]).find(is_own).unwrap_or(key).to_owned()
    };
    varied.iter().map(short).collect()
}

/// A TOML value without its quotes and brackets; what is no TOML as it stands.
pub(super) fn plain(value: &str) -> String {
    fn said(value: &Value) -> String {
        match value {
            Value::String(text) => text.clone(),
            Value::Array(items) if items.is_empty() => "none".to_owned(),
            Value::Array(items) => items.iter().map(said).collect::<Vec<_>>().join(" + "),
            other => other.to_string(),
        }
    }
    value.parse::<Value>().map_or_else(|_| value.to_owned(), |value| said(&value))
}

/// `size=256 overlap=32`: all varied values of one setting.
pub(super) fn pairs(varied: &[Varied], values: &BTreeMap<String, String>) -> String {
    let pair = |(key, name): (&Varied, String)| Some(format!("{name}={}", plain(values.get(&key.key)?)));
    varied.iter().zip(short_names(varied)).filter_map(pair).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varied(keys: &[&str]) -> Vec<Varied> {
        keys.iter().map(|key| Varied { key: (*key).to_owned(), values: Vec::new() }).collect()
    }

    #[test]
    fn a_key_keeps_what_tells_it_from_the_others() {
        let keys = varied(&["chunking.size", "retrieval.k", "retrieval.fusion.k", "overlap", "chunking.oversize"]);
        assert_eq!(short_names(&keys), ["size", "retrieval.k", "fusion.k", "overlap", "oversize"]);
        assert_eq!(short_names(&varied(&["k", "retrieval.k"])), ["k", "retrieval.k"]);
    }

    #[test]
    fn a_value_stands_without_quotes_and_brackets() {
        for (value, expected) in [
            ("256", "256"),
            ("0.75", "0.75"),
            ("\"recursive\"", "recursive"),
            ("[\"bm25\", \"dense\"]", "bm25 + dense"),
            ("[]", "none"),
            ("not = toml", "not = toml"),
        ] {
            assert_eq!(plain(value), expected);
        }
    }
}
