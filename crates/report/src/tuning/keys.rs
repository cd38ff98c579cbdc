//! Parameters and their values as a table names them: `size` for `chunking.size`, `bm25 + dense` for `["bm25","dense"]`.

use std::collections::BTreeMap;

use ragtriage_core::text::sanitize::shortened;

/// Characters of a value.
const VALUE: usize = 40;

/// Formats `overlap=32 size=256`: the values of one trial, ascending by key.
#[must_use]
pub fn pairs(values: &BTreeMap<String, String>) -> String {
    let pairs = values.iter().map(|(key, value)| format!("{key}={}", shortened(value, VALUE)));
    pairs.collect::<Vec<String>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_value_is_cut() {
        let values =
            BTreeMap::from([("retrievers".to_owned(), format!("[\".\",\"{}\"]", "x".repeat(50)))]);
        // Of the 40 characters 6 are `[".","`, 33 are letters and one is the ellipsis.
        assert_eq!(pairs(&values), format!("retrievers=[\".\",\"{}…", "x".repeat(33)));
    }
}
