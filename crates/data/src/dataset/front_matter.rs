//! The front matter of a Markdown file, between two lines of `---`: fields that filters can use.
//!
//! Reads the flat YAML subset common in front matter: `key: value`, `key: [one, two]`, and `- item` lines under a key.
//! Nested tables, anchors and multi-line text are skipped key by key; an unreadable field is ignored.

use std::collections::BTreeMap;

use serde_json::Value;

/// Returns the fields of the front matter of `text`; empty without one.
pub(super) fn fields(text: &str) -> BTreeMap<String, Value> {
    let mut fields = BTreeMap::new();
    let mut lines = text.lines();
    if lines.next().is_none_or(|line| line.trim_end() != "---") {
        return fields;
    }
    let mut list: Option<String> = None;
    for line in lines {
        let line = line.trim_end();
        if line == "---" || line == "..." {
            return fields;
        }
        if let (Some(key), Some(item)) = (&list, line.trim_start().strip_prefix("- ")) {
            let items = fields.entry(key.clone()).or_insert_with(|| Value::Array(Vec::new()));
            if let Value::Array(items) = items {
                items.push(scalar(without_comment(item.trim())));
            }
            continue;
        }
        list = None;
        let Some((key, value)) = line.split_once(':').filter(|(key, _)| is_key(key)) else {
            continue;
        };
        match value.trim() {
            // The items of a list follow, or a nested table, which is skipped.
            "" => list = Some(key.to_owned()),
            "|" | ">" | "|-" | ">-" => {}
            unclosed
                if unclosed.starts_with(['[', '{'])
                    && !without_comment(unclosed).ends_with(']') => {}
            value => _ = fields.insert(key.to_owned(), inline(value)),
        }
    }
    // Without a closing rule it is not front matter, but a document that begins with a rule.
    BTreeMap::new()
}

/// Returns true if `key` is a top-level key: indented lines belong to a nested table, comments
/// are skipped.
fn is_key(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
}

fn inline(value: &str) -> Value {
    let value = without_comment(value);
    match value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(items) => parted(items)
            .into_iter()
            .map(str::trim)
            .filter(|item| !item.is_empty())
            .map(scalar)
            .collect(),
        None => scalar(value),
    }
}

/// Bytes of `text` outside quotes, with their offsets.
fn unquoted(text: &str) -> impl Iterator<Item = (usize, u8)> {
    let mut quote = None;
    text.bytes().enumerate().filter(move |&(_, byte)| {
        match (quote, byte) {
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            (None, _) => return true,
            _ => {}
        }
        false
    })
}

/// Splits items at commas outside quotes.
fn parted(items: &str) -> Vec<&str> {
    let commas = unquoted(items).filter(|(_, byte)| *byte == b',').map(|(at, _)| at);
    let mut start = 0;
    let mut parts: Vec<&str> =
        commas.map(|at| &items[std::mem::replace(&mut start, at + 1)..at]).collect();
    parts.push(&items[start..]);
    parts
}

/// Returns the text before ` #` outside quotes.
fn without_comment(text: &str) -> &str {
    let mark = unquoted(text).find(|&(at, byte)| byte == b'#' && text[..at].ends_with([' ', '\t']));
    mark.map_or(text, |(at, _)| text[..at].trim_end())
}

fn scalar(text: &str) -> Value {
    if let Some(inner) = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
        return inner.replace("''", "'").into();
    }
    // YAML's escapes in double quotes are a superset of JSON's; others are left as written.
    if let Some(inner) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        return serde_json::from_str(text).unwrap_or_else(|_| inner.into());
    }
    match text {
        "true" => true.into(),
        "false" => false.into(),
        "null" | "~" => Value::Null,
        // Only JSON numbers: neither `inf` nor a date.
        number => {
            number.parse::<serde_json::Number>().map_or_else(|_| number.into(), Value::Number)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn flat_fields_and_lists_are_read_and_the_rest_is_left() {
        let text = "---\ntitle: \"Pay: again\" # note\nteam: payments # owner\nyear: 2024\nlive: true\ntags: [queue, \"a, b\"] # two\n\
                    services:\n  - checkout\n  - ledger\nnested:\n  key: value\nnote: |\n  text\ndate: 2024-05-01\n---\n# Body\nkey: no\n";
        let expected = json!({
            "title": "Pay: again", "team": "payments", "year": 2024, "live": true, "tags": ["queue", "a, b"],
            "services": ["checkout", "ledger"], "date": "2024-05-01",
        });
        assert_eq!(json!(fields(text)), expected);
    }

    #[test]
    fn a_text_without_a_head_has_no_fields() {
        for text in
            ["", "# Title\nkey: value\n", "---\nkey: value\nno end", "--- x\nkey: value\n---\n"]
        {
            assert!(fields(text).is_empty(), "{text:?}");
        }
    }
}
