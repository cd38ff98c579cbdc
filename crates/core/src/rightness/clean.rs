//! Strips what surrounds an answer: JSON, code fences, Markdown, citations, lead-ins.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

use super::units::unit;

/// Keys of a JSON object that hold the answer, in order of preference.
const ANSWER_KEYS: &[&str] =
    &["answer", "final_answer", "short_answer", "response", "result", "output", "value"];

fn pattern(text: &str) -> Regex {
    Regex::new(text).expect("a constant pattern")
}

static FENCE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?m)^[ \t]*(?:```|~~~)[\w+-]*[ \t]*$|```(?:\w+\n)?"));
static CITATION: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?ix) \s* (?:
            \[ \s* \^? \d+ (?: \s* [,;–-] \s* \^? \d+ )* \s* \]
          | [\[(] \s* (?: cf\.? | see | from | source s? : )? \s*
            (?: doc | document | passage | source | context | ref | reference | chunk | citation | sources | passages ) s?
            (?: [\s:.\#_-]* [\w-]* \d [\w.,\s-]* )? [\])]
          | [\[(] [^\[\]()]* (?: § | \b(?:section|p\.|page|pp\.) ) \s* \d+ [\])]
          | 【 [^】]* 】
          | <sup> [^<]* </sup>
        )",
    )
});
static LINK: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\[([^\]\n]+)\]\((?:https?:|#|/)[^)\s]*\)"));
static TAG: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)</?(?:b|i|u|em|strong|code|pre|answer|p|br|span|final|final_answer|mark|li|ul)\s*/?>",
    )
});
static BOXED: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\$?\\boxed\{(?:\\text\{)?([^{}]*)\}?\}\$?"));
static EMPHASIS: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"\*{2,3}|(^|[\s(\x22'])[*_]{1,3}(\S)"));
static EMPHASIS_END: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(\S)[*_]{1,3}($|[\s).,;:!?\x22'])"));
static LINE_START: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?m)^[ \t]*(?:[-*+•][ \t]+|#{1,6}[ \t]+|>[ \t]?|1[.)][ \t]+|\$[ \t]+)")
});
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?m)^[ \t]*\d{1,2}[.)][ \t]+"));
static LABEL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?im)^[ \t]*(?:(?:the )?(?:final|short|correct|direct) answer|answer|result|response|a)[ \t]*(?:is[ \t]*)?[:=][ \t]*\n?",
    )
});

/// Returns `answer` in plain text with one spelling of dashes, quotes and spaces.
pub(super) fn clean(answer: &str) -> String {
    let mut text = characters(answer);
    if text.contains("```") || text.contains("~~~") {
        text = FENCE.replace_all(&text, "\n").into_owned();
    }
    if let Some(inner) = json(text.trim()) {
        text = inner;
    }
    if text.contains('\\') {
        text = BOXED.replace_all(&text, "$1").into_owned();
    }
    if text.contains('<') {
        text = TAG.replace_all(&CITATION.replace_all(&text, ""), "").into_owned();
    }
    if text.contains(['[', '(', '【']) {
        text = LINK.replace_all(&text, "$1").into_owned();
        text = CITATION.replace_all(&text, "").into_owned();
    }
    if text.contains(['*', '_']) {
        text = EMPHASIS.replace_all(&text, "$1$2").into_owned();
        text = EMPHASIS_END.replace_all(&text, "$1$2").into_owned();
    }
    text = text.replace('`', "");
    if text
        .lines()
        .any(|line| line.trim_start().starts_with(['-', '*', '+', '•', '#', '>', '1', '$']))
    {
        text = LINE_START.replace_all(&text, "").into_owned();
    }
    if text.trim().contains('\n') {
        text = NUMBERED.replace_all(&text, "").into_owned();
    }
    let text = text.trim();
    if !text.contains([':', '=']) {
        return text.to_owned();
    }
    match LABEL.find_iter(text).last() {
        Some(label) if !text[label.end()..].trim().is_empty() => {
            text[label.end()..].trim().to_owned()
        }
        _ => text.to_owned(),
    }
}

/// Replaces typographic characters and applies NFKC.
fn characters(text: &str) -> String {
    if text.is_ascii() {
        return text.replace('\r', "");
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '‘' | '’' | '‚' | '′' | 'ʼ' => out.push('\''),
            '“' | '”' | '„' | '«' | '»' | '″' => out.push('"'),
            '‐' | '‑' | '‒' | '–' | '−' => out.push('-'),
            '—' | '―' => out.push_str(" - "),
            '…' => out.push_str(" ... "),
            '½' => fraction(&mut out, ".5"),
            '¼' => fraction(&mut out, ".25"),
            '¾' => fraction(&mut out, ".75"),
            '×' => out.push('x'),
            '\u{a0}' | '\u{202f}' | '\u{2009}' => out.push(' '),
            '\u{200b}' | '\u{feff}' | '\r' | '\u{ad}' => {}
            '•' | '·' => out.push_str("- "),
            _ => out.push(c),
        }
    }
    out.nfkc().map(|c| if c == '\u{3bc}' { 'µ' } else { c }).collect()
}

fn fraction(out: &mut String, decimals: &str) {
    if !out.ends_with(|last: char| last.is_ascii_digit()) {
        out.push('0');
    }
    out.push_str(decimals);
}

/// Returns the answer that a JSON value holds.
fn json(text: &str) -> Option<String> {
    if !text.starts_with(['{', '[', '"']) {
        return None;
    }
    plain(&serde_json::from_str(text).ok()?)
}

fn plain(value: &serde_json::Value) -> Option<String> {
    use serde_json::Value;
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(truth) => Some(if *truth { "yes" } else { "no" }.to_owned()),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().filter_map(plain).collect();
            (!items.is_empty()).then(|| items.join(", "))
        }
        Value::Object(fields) => {
            let named = ANSWER_KEYS.iter().find_map(|key| fields.get(*key));
            match named.or_else(|| {
                fields
                    .iter()
                    .next()
                    .filter(|(key, _)| fields.len() == 1 && !key.contains('_'))
                    .map(|(_, value)| value)
            }) {
                Some(field) => plain(field),
                None => Some(pairs(fields)),
            }
        }
        Value::Null => None,
    }
}

/// Renders an object without an answer key as `key: value` sentences.
fn pairs(fields: &serde_json::Map<String, serde_json::Value>) -> String {
    let lines = fields.iter().filter_map(|(key, value)| {
        let value: Cow<'_, str> = plain(value)?.into();
        let suffix = key
            .rsplit('_')
            .next()
            .filter(|last| *last != key && unit(last).is_some())
            .unwrap_or("");
        Some(format!("{}: {value} {suffix}", key.replace('_', " ")))
    });
    lines.collect::<Vec<_>>().join("\n")
}
