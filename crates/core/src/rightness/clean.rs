//! Removes the surroundings of an answer: markup, citations, control tokens, JSON.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};
use serde_json::Value;
use unicode_normalization::UnicodeNormalization;

/// Marks the beginning and the end of bold, code and boxed text. Italic is that of titles.
pub(super) const EMPHASIS: char = '\u{e000}';

/// Returns the regular expression of a constant.
pub(super) fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern")
}

/// Markup with its plain text: control tokens, tags, boxes, fences, links, citations, italic, bold, code; and all before
/// the last label such as `Final answer:`.
static MARKUP: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let steps = [
        (r"<\|[^|<>]{0,40}\|>|</?s>|\[/?INST\]|<(?:eos|bos|end_of_turn|start_of_turn)>", "\n"),
        (
            r"(?ix) < /? (?: b | strong | code | pre | mark | answer | final | final_answer ) \s* /? >",
            "\u{e000}",
        ),
        (r"(?i)</?(?:p|br|ul|li)\s*/?>", "\n"),
        (r"(?i)</?(?:i|u|em|span)\s*/?>", ""),
        (r"\\(?:text|textbf|mathrm)\{([^{}]*)\}", "$1"),
        (r"\$?\\boxed\{((?:[^{}]|\{[^{}]*\})*)\}\$?", "\u{e000}$1\u{e000}"),
        (r"(?m)^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$|```(?:\w+\n)?", "\n\u{e000}\n"),
        (r"\[([^\]\n]+)\]\((?:https?:|#|/)[^)\s]*\)", "$1"),
        (
            r"(?ix) ( ` [^`\n]+ ` | \A (?-i:[a-z_]) [\w.]* \[ \d+ \] \z ) | \s* (?:
                \[ \s* \^? \d+ (?: \s* [,;–-] \s* \^? \d+ )* \s* \] (?: \( [^)\s]* \) )?
              | [\[(] \s* (?: cf\.? | see | from | source s? : )? \s*
                (?: doc | document | passage | source | context | ref | reference | chunk
                | citation ) s? (?: [\s:.\#_-]* [\w-]* \d [\w.,\s-]* )? [\])]
              | \b (?: (?: see | cf\.? | per | in | from ) \s )?
                (?: passage | document | doc | source | chunk ) s? \s \#? \d+ \b
              | \b the \s (?: first | second | third | fourth | fifth | last )
                \s (?: passage | document | source | chunk ) \b
              | 【 [^】]* 】
              | <sup> [^<]* </sup>
            )",
            "$1",
        ),
        (r"(^|[\s(\x22'\u{e000}])[*_]([^\s*_][^*_\n]*?)[*_]($|[\s).,;:!?\x22'\u{e000}])", "$1$2$3"),
        (r"\*\*\*?(.+?)\*\*\*?", "\u{e000}$1\u{e000}"),
        (r"`+([^`\n]+)`+", "\u{e000}$1\u{e000}"),
        ("`", ""),
        (
            r"(?isx) \A (?: .* \n )? [\u{e000}\ \t]*
                (?: (?: the\  )? (?: final | short | correct | direct )\ answer | answer | result | response )
                \u{e000}? [\ \t]* [:=] (.* [^\s\u{e000}] .*) \z",
            "$1",
        ),
    ];
    steps.into_iter().map(|(markup, plain)| (pattern(markup), plain)).collect()
});
/// Finds in one pass whether there is any markup.
static ANY_MARKUP: LazyLock<RegexSet> = LazyLock::new(|| {
    RegexSet::new(MARKUP.iter().map(|(markup, _)| markup.as_str())).expect("patterns of constants")
});
static BULLET: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^[ \t]*(?:[-*+•·>$%]|#{1,6}|\d{1,2}[.)])[ \t]+"));

/// Keys of a JSON object that hold the answer, in order of preference.
const ANSWER_KEYS: [&str; 7] =
    ["answer", "final_answer", "short_answer", "response", "result", "output", "value"];

/// Returns `answer` as plain text with one spelling of dashes, quotes and spaces; emphasis and line breaks are marked.
pub(super) fn clean(answer: &str) -> String {
    let text = characters(answer);
    let mut text = json(text.trim()).unwrap_or(text);
    let steps = if ANY_MARKUP.is_match(&text) { MARKUP.as_slice() } else { &[] };
    for (markup, plain) in steps {
        text = markup.replace_all(&text, *plain).into_owned();
    }
    if text.lines().nth(1).is_some() || text.starts_with(['#', '-', '*']) {
        text = BULLET.replace_all(&text, "").into_owned();
    }
    text.trim().to_owned()
}

/// Typographic characters, and what is read for each; nothing for marks of direction, joiners and private characters.
const SPELLINGS: [(&str, &str); 13] = [
    ("‘’‚′ʼ＇", "'"),
    ("“”„«»″「」『』", "\""),
    ("‐‑‒–−－", "-"),
    ("—―", " - "),
    ("→›▸➜➔", " > "),
    ("…", "..."),
    ("½", ".5"),
    ("¼", ".25"),
    ("¾", ".75"),
    ("×", "x"),
    ("•", "- "),
    ("\u{2028}\u{2029}\u{b}\u{c}", "\n"),
    ("\u{200b}\u{200e}\u{200f}\u{feff}\u{61c}\r\u{e000}", ""),
];

/// Digits of an exponent.
const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/// One spelling of typographic characters; raised digits keep their place as `^2`.
fn characters(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut last = ' ';
    for c in text.chars() {
        let is_digit = |zero: &char| (c as u32).wrapping_sub(*zero as u32) < 10;
        if RAISED.contains(c) && last != '^' && !RAISED.contains(last) {
            out.push('^');
        }
        if "½¼¾".contains(c) && !last.is_ascii_digit() {
            out.push('0');
        }
        if let Some((_, read)) = SPELLINGS.iter().find(|(characters, _)| characters.contains(c)) {
            out.push_str(read);
        } else if let Some(zero) = ['٠', '۰', '०', '๐'].into_iter().find(is_digit) {
            out.extend(char::from_digit(c as u32 - zero as u32, 10));
        } else if c != '\n' && c.is_whitespace() {
            out.push(' ');
        } else if !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}') {
            out.push(c);
        }
        last = c;
    }
    out.nfkc().map(|c| if c == '\u{3bc}' { 'µ' } else { c }).collect()
}

/// Returns the answer that a JSON value holds.
fn json(text: &str) -> Option<String> {
    let inner = text.trim_start_matches("```json").trim_end_matches("```").trim();
    if !inner.starts_with(['{', '[', '"']) {
        return None;
    }
    plain(&serde_json::from_str(inner).ok()?)
}

/// Returns what a JSON value says as text; `None` for nothing.
fn plain(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        Value::Bool(truth) => Some(if *truth { "yes" } else { "no" }.to_owned()),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().filter_map(plain).collect();
            (!items.is_empty()).then(|| items.join(", "))
        }
        Value::Object(fields) => {
            if let Some(answer) = ANSWER_KEYS.iter().find_map(|key| fields.get(*key)) {
                return plain(answer);
            }
            let line = |(key, value): (&String, &Value)| {
                Some(format!("{}: {}", key.replace('_', " "), plain(value)?))
            };
            Some(fields.iter().filter_map(line).collect::<Vec<_>>().join("\n"))
        }
        Value::Number(number) => Some(number.to_string()),
    }
}
