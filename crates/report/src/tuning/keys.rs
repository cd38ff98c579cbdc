//! Parameters and their values as a table names them: `size` for `chunking.size`, `bm25 + dense` for `["bm25","dense"]`.

use std::collections::BTreeMap;

use ragtriage_core::text::sanitize::shortened;
use ragtriage_eval::tuning::plain;

/// Characters of a value.
const VALUE: usize = 40;

/// Shortens each key to as many of its last parts as distinguish it from the others.
fn unlike<'a>(keys: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let keys: Vec<&str> = keys.into_iter().map(String::as_str).collect();
    keys.iter().map(|key| short(key, &keys).to_owned()).collect()
}

fn short<'a>(key: &'a str, all: &[&str]) -> &'a str {
    let starts = key.rmatch_indices('.').map(|(dot, _)| dot + 1).chain([0]);
    starts
        .map(|start| &key[start..])
        .find(|tail| all.iter().filter(|other| ends(other, tail)).count() == 1)
        .unwrap_or(key)
}

fn ends(key: &str, tail: &str) -> bool {
    key.strip_suffix(tail).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

/// Formats `overlap=32 size=256`: the values of one trial, ascending by key.
#[must_use]
pub fn pairs(values: &BTreeMap<String, String>) -> String {
    let pairs = unlike(values.keys()).into_iter().zip(values.values());
    let pairs = pairs.map(|(name, value)| format!("{name}={}", shortened(&plain(value), VALUE)));
    pairs.collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_keeps_what_tells_it_from_the_others() {
        let short = |keys: &[&str]| {
            unlike(&keys.iter().map(|key| (*key).to_owned()).collect::<Vec<String>>())
        };
        let keys =
            ["chunking.size", "retrieval.k", "retrieval.fusion.k", "overlap", "chunking.oversize"];
        assert_eq!(short(&keys), ["size", "retrieval.k", "fusion.k", "overlap", "oversize"]);
        assert_eq!(short(&["k", "retrieval.k"]), ["k", "retrieval.k"]);
    }

    #[test]
    fn a_long_value_is_cut() {
        let values =
            BTreeMap::from([("retrievers".to_owned(), format!("[\".\",\"{}\"]", "x".repeat(50)))]);
        // Of the 40 characters 6 are `[".","`, 33 are letters and one is the ellipsis.
        assert_eq!(pairs(&values), format!("retrievers=[\".\",\"{}…", "x".repeat(33)));
    }
}
