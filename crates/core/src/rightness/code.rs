//! Identifiers, paths and commands.

use super::lex::{TokenShape, is_code};
use super::parsed::Parsed;

/// Returns true if the gold answer `gold` is an identifier, path or command.
pub(super) fn is_code_gold(gold: &Parsed) -> bool {
    let chunks: Vec<&str> = gold.text.split_whitespace().collect();
    let hyphened = chunks.len() == 1 && is_hyphened(gold.text.trim_matches(['.', '"', '\'']));
    hyphened
        || gold.tokens.iter().any(|token| token.shape == TokenShape::Code)
            && !gold.tokens.iter().any(|token| token.capital() && token.is_word() && !token.upper())
}

/// `edge-lst`: words of lower-case letters and digits with hyphens.
fn is_hyphened(chunk: &str) -> bool {
    chunk.contains('-')
        && chunk.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        && chunk.split('-').all(|part| !part.is_empty())
        && chunk.starts_with(|c: char| c.is_ascii_lowercase())
}

/// Returns the byte ranges of `gold` in `text` where no identifier goes on; white space is one space, case is ignored
/// except in one-letter flags.
pub(super) fn occurrences(gold: &str, text: &str) -> Vec<(usize, usize)> {
    let gold = gold.trim().trim_end_matches(['.', '/']);
    let (needle, hay) = (gold.to_ascii_lowercase(), text.to_ascii_lowercase());
    if needle.is_empty() {
        return Vec::new();
    }
    hay.match_indices(&needle)
        .map(|(at, found)| (at, at + found.len()))
        .filter(|&(at, end)| bounded(&hay, at, end) && flags_equal(gold, &text[at..end]))
        .collect()
}

fn bounded(text: &str, at: usize, end: usize) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || c == '_';
    let before = text[..at].chars().next_back();
    let mut after = text[end..].chars();
    let (next, second) = (after.next(), after.next());
    let starts = !before.is_some_and(|c| {
        goes_on(c) || matches!(c, '-' | '/' | '.') && !text[at..].starts_with('-')
    });
    let ends = match next {
        Some(c) if goes_on(c) => false,
        Some('-' | '.' | '/' | ':' | '=' | '@') => !second.is_some_and(|c| goes_on(c) || c == '<'),
        _ => true,
    };
    starts && ends
}

/// Returns true if one-letter flags have the same case.
fn flags_equal(gold: &str, found: &str) -> bool {
    gold.split_whitespace()
        .zip(found.split_whitespace())
        .all(|(a, b)| a == b || !(a.starts_with('-') && a.len() == 2))
}

/// Returns the identifiers of `reading` by tokens: first and end.
pub(super) fn identifiers(reading: &Parsed) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < reading.tokens.len() {
        let mut end = at + 1;
        while reading
            .tokens
            .get(end)
            .is_some_and(|t| !t.spaced && (t.is("-") || t.shape != TokenShape::Mark))
        {
            end += 1;
        }
        let chunk = reading.slice(at, end);
        if is_code(chunk) || is_hyphened(chunk) {
            found.push((at, end));
        }
        at = end;
    }
    found
}
