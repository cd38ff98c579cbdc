//! Parameters and their values as a table names them: `size` for `chunking.size`, `bm25 + dense` for `["bm25","dense"]`.

use std::collections::BTreeMap;

use ragtriage_core::text::sanitize::shortened;
pub(super) use ragtriage_eval::tuning::plain;
use ragtriage_eval::tuning::{RankedTrial, Varied};

/// Characters of a value among others.
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

/// Returns the short names of the varied parameters.
pub(super) fn short_names(varied: &[Varied]) -> Vec<String> {
    unlike(varied.iter().map(|varied| &varied.key))
}

/// Formats `size=256 overlap=32`: all varied values of one trial, in the order in which they were named.
pub(super) fn pairs(varied: &[Varied], values: &BTreeMap<String, String>) -> String {
    joined(varied.iter().map(|varied| &varied.key).zip(short_names(varied)), values)
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

/// Formats the values of the trial with this name among `rows`; the name where it has none, as the default's.
pub(super) fn pairs_of(name: &str, rows: &[RankedTrial], varied: &[Varied]) -> String {
    let row = rows.iter().find(|row| row.name == name);
    let pairs = row.map_or_else(String::new, |row| pairs(varied, &row.values));
    if pairs.is_empty() { name.to_owned() } else { pairs }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn varied(keys: &[&str]) -> Vec<Varied> {
        keys.iter().map(|key| Varied { key: (*key).to_owned(), values: Vec::new() }).collect()
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
        assert_eq!(short_names(&keys), ["size", "retrieval.k", "fusion.k", "overlap", "oversize"]);
        assert_eq!(short_names(&varied(&["k", "retrieval.k"])), ["k", "retrieval.k"]);
    }

    #[test]
    fn a_long_value_is_cut_among_others() {
        let values =
            BTreeMap::from([("separators".to_owned(), format!("[\".\",\"{}\"]", "x".repeat(50)))]);
        // Of the 40 characters 6 are `[".","`, 33 are letters and one is the ellipsis.
        assert_eq!(
            pairs(&varied(&["separators"]), &values),
            format!("separators=[\".\",\"{}…", "x".repeat(33))
        );
    }
}
