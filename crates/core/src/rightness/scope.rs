//! Negation and contrast: whether a text denies or sets apart what it mentions.

use super::lex::begins_with;
use super::parsed::Parsed;
use super::tables::WordSet;
use super::words::{CONDITIONALS, CONTRASTS, DENIALS, NEGATION_LIMITS, negates};

/// Returns true if `reading` denies tokens `first..end` or mentions them as a contrast.
pub(super) fn rejected(reading: &Parsed, first: usize, end: usize) -> bool {
    denied_before(reading, first) || contrasted(reading, first) || denied_after(reading, end)
}

/// `not X`, `it is false that X`.
fn denied_before(reading: &Parsed, first: usize) -> bool {
    let start = reading.clause_start(first);
    let conditional =
        |at: usize| reading.tokens[start..at].iter().any(|t| CONDITIONALS.has(&t.text));
    (start..first).rev().take(12).any(|at| {
        let word = reading.word(at);
        let between = &reading.tokens[at + 1..first];
        let limited = between.iter().any(|t| NEGATION_LIMITS.has(&t.text));
        let claims =
            DENIALS.has(word) && between.iter().any(|t| matches!(t.text.as_str(), "that" | "to"));
        let near = !matches!(word, "no" | "without" | "none" | "nobody") || first - at <= 3;
        let modal = at.checked_sub(1).is_some_and(|before| {
            matches!(reading.word(before), "may" | "must" | "should" | "can" | "are")
        });
        let echoes = reading.answers_denial && (modal || word.ends_with("n't") || word == "cannot");
        let number = word == "no"
            && (reading.text[reading.tokens[at].end..].starts_with('.')
                || between.is_empty()
                    && reading.tokens[first].text.starts_with(|c: char| c.is_ascii_digit()));
        (claims || negates(word)) && !limited && near && !echoes && !number && !conditional(at)
    })
}

/// First words of contrasts with a former state.
static PAST_WORDS: WordSet =
    WordSet::new("previously formerly originally initially used the its no");

/// `instead of X`, `previously X`.
fn contrasted(reading: &Parsed, first: usize) -> bool {
    let start = reading.clause_start(first);
    let all_but = first >= 2
        && reading.word(first - 1) == "but"
        && matches!(reading.word(first - 2), "anything" | "everything" | "all");
    all_but
        || CONTRASTS
            .phrases()
            .iter()
            .filter(|phrase| !reading.answers_past || !PAST_WORDS.has(phrase[0]))
            .any(|phrase| {
                let reach = match phrase[0] {
                    "previously" | "formerly" | "originally" | "initially" | "used" => 7,
                    "the" | "its" => 0,
                    _ => 3,
                };
                (first.saturating_sub(phrase.len() + reach).max(start)..first).any(|at| {
                    at + phrase.len() <= first && begins_with(&reading.tokens, at, phrase)
                })
            })
}

/// `X is not it`, `X is wrong`, `X did not`.
fn denied_after(reading: &Parsed, end: usize) -> bool {
    let Some(last) = end.checked_sub(1) else {
        return false;
    };
    let was = reading.tokens[..end]
        .iter()
        .enumerate()
        .any(|(at, t)| matches!(t.text.as_str(), "was" | "were") && reading.same_clause(at, last));
    if was && matches!(reading.word(end), "until" | "till") {
        return true;
    }
    (end..reading.tokens.len()).take(3).take_while(|&at| reading.same_clause(at, last)).any(|at| {
        let (word, next) = (reading.word(at), reading.word(at + 1));
        let verb = matches!(
            word,
            "is" | "was"
                | "are"
                | "were"
                | "be"
                | "did"
                | "does"
                | "do"
                | "would"
                | "has"
                | "had"
                | "can"
                | "will"
        );
        let denies = (word == "no" && next == "longer")
            || (verb && (matches!(next, "not" | "never" | "no") || DENIALS.has(next)))
            || word.ends_with("n't");
        let after = if word.ends_with("n't") { at + 1 } else { at + 2 };
        denies && !NEGATION_LIMITS.has(reading.word(after))
    })
}
