//! Citations in an answer: `[1]`, `[2, 3]`, `(Document 2)`, `passage 4`, `【5】`, `[runbook.md]`.

use std::sync::LazyLock;

use regex::Regex;
use serde_json::Value;

/// What an answer cites.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Citation {
    /// The passage of this number in the prompt, from 1.
    Number(usize),
    /// A document's id or title.
    Name(String),
}

/// The noun before a number.
const NOUN: &str = r"(?:doc(?:ument)?|passage|source|context|chunk|ref(?:erence)?|citation)s?";

/// A bracket with its content, or a number after a noun.
static PLACES: LazyLock<Regex> = LazyLock::new(|| {
    let place = format!(r"(?i)(\[|【|\()([^\[\]【】()]{{1,200}})[\]】)]|\b{NOUN} #?(\d{{1,3}})\b");
    Regex::new(&place).expect("a constant pattern")
});
/// A number, or a range of numbers, after an optional noun.
static NUMBERS: LazyLock<Regex> = LazyLock::new(|| {
    let numbers = format!(r"(?i)^\^?({NOUN}[\s:.#_]*)?#?(\d{{1,3}})(?:\s*[-–]\s*(\d{{1,3}}))?$");
    Regex::new(&numbers).expect("a constant pattern")
});

/// Returns the citations of a reply, in its order, repeated ones too. `is_name` tells ids and titles of documents from other text in
/// brackets. A reply that is a JSON object cites what its `citations`, `sources` or `references` list.
#[must_use]
pub fn citations(reply: &str, is_name: &dyn Fn(&str) -> bool) -> Vec<Citation> {
    let mut found = Vec::new();
    if let Ok(Value::Object(reply)) = serde_json::from_str(reply.trim()) {
        let lists = ["citations", "sources", "references"].iter().filter_map(|key| reply.get(*key));
        for item in lists.filter_map(Value::as_array).flatten() {
            match item {
                Value::String(text) => add(text, true, is_name, &mut found),
                other => found.extend(other.as_u64().map(|n| Citation::Number(n as usize))),
            }
        }
        return found;
    }
    for place in PLACES.captures_iter(reply) {
        let (bracket, content) = (place.get(1).map(|it| it.as_str()), place.get(2));
        match (content.map(|it| it.as_str().trim()), place.get(3)) {
            (Some(name), _) if is_name(name) => found.push(Citation::Name(name.to_owned())),
            (Some(content), _) => {
                let is_marker = bracket != Some("(");
                content
                    .split([',', ';'])
                    .for_each(|item| add(item.trim(), is_marker, is_name, &mut found));
            }
            (None, number) => {
                found.extend(number.and_then(|it| it.as_str().parse().ok()).map(Citation::Number));
            }
        }
    }
    found
}

/// Adds the citation `item`. A number without a noun is one only in square brackets.
fn add(item: &str, is_marker: bool, is_name: &dyn Fn(&str) -> bool, found: &mut Vec<Citation>) {
    let numbers = NUMBERS.captures(item).filter(|it| is_marker || it.get(1).is_some());
    if let Some(numbers) = numbers {
        let number = |at| numbers.get(at).and_then(|it| it.as_str().parse::<usize>().ok());
        let first = number(2).unwrap_or(0);
        found.extend((first..=number(3).unwrap_or(first)).map(Citation::Number));
    } else if is_name(item) {
        found.push(Citation::Name(item.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cited(reply: &str) -> Vec<String> {
        let names = ["runbook.md", "Ferry plan, 2024"];
        let found = citations(reply, &|name| names.contains(&name));
        let text = |citation| match citation {
            Citation::Number(number) => number.to_string(),
            Citation::Name(name) => name,
        };
        found.into_iter().map(text).collect()
    }

    #[test]
    fn markers_nouns_names_and_lists_are_citations() {
        for (reply, expected) in [
            ("Six minutes [1].", "1"),
            ("Six [1][3] or seven [2, 4-6].", "1 3 2 4 5 6"),
            ("Six (Document 2; source #3).", "2 3"),
            ("As passage 4 says, six 【5】.", "4 5"),
            ("Six [^7] [doc: 8].", "7 8"),
            ("Six [runbook.md] (Ferry plan, 2024).", "runbook.md Ferry plan, 2024"),
            (r#"{"answer": "six", "citations": [1, "2", "runbook.md"]}"#, "1 2 runbook.md"),
        ] {
            assert_eq!(cited(reply).join(" "), expected, "{reply}");
        }
    }

    #[test]
    fn other_numbers_and_brackets_are_none() {
        for reply in ["Six (6) minutes in 2024.", "argv[name] (see below)", "[x]", "page 12", ""] {
            assert_eq!(cited(reply), Vec::<String>::new(), "{reply}");
        }
    }
}
