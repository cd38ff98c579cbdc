//! Separates a reply from the thinking before it.
//!
//! Reasoning models put their thinking first: a block `<think>...</think>` (or `thinking`, `thought`, `reasoning`), only its closing
//! tag where the server's template has written the opening one, or only its opening tag where `max_tokens` ended the
//! reply. Every other tag is text of the answer, which may be about tags itself:
//! 1. a block that begins the reply is dropped, with those that follow it directly; without a closing tag it extends to
//!    the end of the reply. A tag followed by a space and a lower-case letter (`<think> is the tag`) begins a sentence
//!    and no block, and so does a tag that is the whole reply of a model that finished;
//! 2. else a closing tag without any tag before it ends the thinking if it begins a line or directly follows a letter,
//!    a digit or the end of a sentence (`So it is Paris.</think>Paris`);
//! 3. tags between backticks and in code blocks are text. Where a block has no other closing tag, such a one ends it.

use crate::types::Finish;

/// Tags whose content is thinking.
const TAGS: [(&str, &str); 4] = [
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<thought>", "</thought>"),
    ("<reasoning>", "</reasoning>"),
];

/// Returns `raw` without the thinking at its start.
pub fn without_thinking(raw: &str, finish: Finish) -> &str {
    // The lengths in bytes are equal, so offsets are valid in both.
    let lower = raw.to_ascii_lowercase();
    let mut from = behind_block(&lower, 0, finish).or_else(|| behind_unopened(&lower));
    while let Some(next) = from.and_then(|from| behind_block(&lower, from, finish)) {
        from = Some(next);
    }
    &raw[from.unwrap_or(0)..]
}

/// Returns the end of the block that begins at `from`, after white space.
fn behind_block(text: &str, from: usize, finish: Finish) -> Option<usize> {
    let start = text.len() - text[from..].trim_start().len();
    let (open, close) = TAGS.into_iter().find(|(open, _)| text[start..].starts_with(open))?;
    let inside = &text[start + open.len()..];
    let is_sentence =
        inside.strip_prefix(' ').is_some_and(|rest| rest.starts_with(char::is_lowercase));
    let is_answer = finish == Finish::Stop && from == 0 && inside.trim().is_empty();
    if is_sentence || is_answer {
        return None;
    }
    let first = start + open.len();
    let mut closing = text[first..].match_indices(close).map(|(at, _)| first + at).peekable();
    let quoted = closing.peek().copied();
    let at = closing.find(|at| !is_code(&text[first..], at - first));
    Some(at.or(quoted).map_or(text.len(), |at| at + close.len()))
}

/// Returns the end of a closing tag without an opening one, which ends the thinking.
fn behind_unopened(text: &str) -> Option<usize> {
    let is_open = |before: &str| TAGS.iter().any(|(open, _)| before.contains(open));
    let ends = TAGS.into_iter().filter_map(|(_, close)| {
        let mut tags = text.match_indices(close);
        let (at, _) = tags.find(|(at, _)| !is_open(&text[..*at]) && ends_thinking(text, *at))?;
        Some(at + close.len())
    });
    ends.min()
}

fn ends_thinking(text: &str, at: usize) -> bool {
    let before = &text[..at];
    let begins_line = before.rsplit('\n').next().is_some_and(|line| line.trim().is_empty());
    let is_joined = before
        .ends_with(|last: char| last.is_alphanumeric() || matches!(last, '.' | '!' | '?' | '。'));
    (begins_line || is_joined) && !is_code(text, at)
}

/// Returns true if `at` lies in a code block, or between backticks of its line.
fn is_code(text: &str, at: usize) -> bool {
    let before = &text[..at];
    let is_fence = |line: &&str| line.trim_start().starts_with("```");
    let in_block = before.lines().filter(is_fence).count() % 2 == 1;
    let line = before.rsplit('\n').next().unwrap_or_default();
    in_block || line.matches('`').count() % 2 == 1
}
