//! Parameters and their values as a table names them: `size` for `chunking.size`, `bm25 + dense` for `["bm25","dense"]`.

use std::collections::BTreeMap;

use toml::Value;

use ragtriage_core::text::sanitize::shortened;
use ragtriage_eval::tuning::Varied;

/// Characters of a value among others.
const VALUE: usize = 40;

/// Shortens each key to as many of its last parts as distinguish it from the others.
fn unlike<'a>(keys: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let keys: Vec<&str> = keys.into_iter().map(String::as_str).collect();
    keys.iter()
        .map(|key| short(key, &keys).to_owned())
        .collect()
}

fn short<'a>(key: &'a str, all: &[&str]) -> &'a str {
    let starts = key.rmatch_indices('.').map(|(dot, _)| dot + 1).chain([0]);
    starts
        .map(|start| &key[start..])
        .find(|tail| all.iter().filter(|other| ends(other, tail)).count() == 1)
        .unwrap_or(key)
}

fn ends(key: &str, tail: &str) -> bool {
    key.strip_suffix(tail)
        .is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// Returns the short names of the varied parameters.
pub(super) fn short_names(varied: &[Varied]) -> Vec<String> {
    unlike(varied.iter().map(|varied| &varied.key))
}

/// Writes a text without quotes and a list of words without brackets. All else stays as it is: of `["\n\n","."]` or `" "` little could
/// be seen without them.
pub(super) fn plain(value: &str) -> String {
    match value.parse::<Value>() {
        Ok(Value::String(text)) if is_visible(&text) => text,
        Ok(Value::Array(items)) if items.is_empty() => "none".to_owned(),
        Ok(Value::Array(items)) => {
            words(&items).map_or_else(|| value.to_owned(), |words| words.join(" + "))
        }
        _ => value.to_owned(),
    }
}

fn is_visible(text: &str) -> bool {
    !text.is_empty() && text.trim() == text && !text.chars().any(char::is_control)
}

/// Returns the items if all of them are words.
fn words(items: &[Value]) -> Option<Vec<&str>> {
    items
        .iter()
        .map(|item| item.as_str().filter(|text| is_word(text)))
        .collect()
}

fn is_word(text: &str) -> bool {
    text.starts_with(char::is_alphanumeric)
        && text
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | ':'))
}

/// Formats `size=256 overlap=32`: all varied values of one trial, in the order in which they were named.
pub(super) fn pairs(varied: &[Varied], values: &BTreeMap<String, String>) -> String {
    joined(
        varied
            .iter()
            .map(|varied| &varied.key)
            .zip(short_names(varied)),
        values,
    )
}

/// Formats the values of one trial, ascending by key.
#[must_use]
pub fn all_pairs(values: &BTreeMap<String, String>) -> String {
    joined(values.keys().zip(unlike(values.keys())), values)
}

fn joined<'a>(
    keys: impl Iterator<Item = (&'a String, String)>,
    values: &BTreeMap<String, String>,
) -> String {
    let pairs = keys.filter_map(|(key, name)| {
        let value = shortened(&plain(values.get(key)?), VALUE);
        Some(format!("{name}={value}"))
    });
    pairs.collect::<Vec<String>>().join(" ")
}

/// Formats `73eedc37 size=64 recursive dense`: a trial's name with its values of all parameters that took several, words without their keys; the
/// name alone where that is longer than `most` characters.
pub(super) fn named(
    name: &str,
    varied: &[Varied],
    values: &BTreeMap<String, String>,
    most: usize,
) -> String {
    let mut text = name.to_owned();
    for (key, short) in varied
        .iter()
        .zip(short_names(varied))
        .filter(|(key, _)| key.values.len() > 1)
    {
        let Some(value) = values.get(&key.key).map(|value| plain(value)) else {
            continue;
        };
        text.push(' ');
        if !says_enough(&value) {
            text.push_str(&short);
            text.push('=');
        }
        text.push_str(&value);
    }
    if text.chars().count() <= most {
        text
    } else {
        name.to_owned()
    }
}

fn says_enough(value: &str) -> bool {
    value.starts_with(char::is_alphabetic)
        && !["true", "false", "none", "null", "not set"].contains(&value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varied(keys: &[&str]) -> Vec<Varied> {
        keys.iter()
            .map(|key| Varied {
                key: (*key).to_owned(),
                values: Vec::new(),
            })
            .collect()
    }

    #[test]
    fn a_key_keeps_what_tells_it_from_the_others() {
        let keys = varied(&[
            "chunking.size",
            "retrieval.k",
            "retrieval.fusion.k",
            "overlap",
            "chunking.oversize",
        ]);
        assert_eq!(
            short_names(&keys),
            ["size", "retrieval.k", "fusion.k", "overlap", "oversize"]
        );
        assert_eq!(
            short_names(&varied(&["k", "retrieval.k"])),
            ["k", "retrieval.k"]
        );
    }

    #[test]
    fn a_text_stands_without_quotes_a_list_of_words_without_brackets_and_all_else_as_it_is() {
        for (value, expected) in [
            ("256", "256"),
            ("0.75", "0.75"),
            ("\"recursive\"", "recursive"),
            ("[\"bm25\",\"dense\"]", "bm25 + dense"),
            ("[]", "none"),
            ("not set", "not set"),
            ("{\"k\":1}", "{\"k\":1}"),
            (r#"["\n\n","\n","."]"#, r#"["\n\n","\n","."]"#),
            (r#"["bm25","."]"#, r#"["bm25","."]"#),
            (r#"["bm25",""]"#, r#"["bm25",""]"#),
            (r#"["two words"]"#, r#"["two words"]"#),
            ("[1,2]", "[1,2]"),
            ("\" \"", "\" \""),
        ] {
            assert_eq!(plain(value), expected);
        }
    }

    #[test]
    fn a_long_value_is_cut_among_others() {
        let values = BTreeMap::from([(
            "separators".to_owned(),
            format!("[\".\",\"{}\"]", "x".repeat(50)),
        )]);
        // Of the 40 characters 6 are `[".","`, 33 are letters and one is the ellipsis.
        assert_eq!(
            pairs(&varied(&["separators"]), &values),
            format!("separators=[\".\",\"{}…", "x".repeat(33))
        );
    }

    #[test]
    fn a_name_has_the_values_of_what_took_several_where_they_fit() {
        let mut keys = varied(&[
            "chunking.size",
            "overlap",
            "strategy",
            "retrievers",
            "dedup",
        ]);
        for at in [0, 2, 3, 4] {
            keys[at].values = vec![String::new(); 2];
        }
        let values = ["64", "0", "\"recursive\"", "[\"dense\"]", "true"];
        let values: BTreeMap<String, String> = keys
            .iter()
            .map(|key| key.key.clone())
            .zip(values.map(str::to_owned))
            .collect();
        assert_eq!(
            named("73eedc37", &keys, &values, 43),
            "73eedc37 size=64 recursive dense dedup=true"
        );
        assert_eq!(named("73eedc37", &keys, &values, 42), "73eedc37");
    }
}
