//! Groundedness of an answer in the packed passages.

use std::cell::LazyCell;
use std::collections::HashSet;

use super::auto::LONGEST;
use super::code::identifiers;
use super::mention::Mention;
use super::names::{Canon, canonical, occurrences};
use super::parsed::{Parsed, content};
use super::units::BARE;
use super::value::{Agreement, Value, compare};
use crate::text::normalise;

/// Returns K-Precision (Adlakha et al., TACL 2024): the share of the answer's tokens that occur in the passages. `None`
/// for an answer without tokens.
#[must_use]
pub fn groundedness(answer: &str, passages: &[&str]) -> Option<f64> {
    let answer = normalise::official(answer);
    let tokens: Vec<&str> = answer.split(' ').filter(|token| !token.is_empty()).collect();
    // Passages are read as far as a token is missing: most answers are in the first ones.
    let mut missing: HashSet<&str> = tokens.iter().copied().collect();
    for passage in passages {
        if missing.is_empty() {
            break;
        }
        for token in normalise::official(passage).split(' ') {
            missing.remove(token);
        }
    }
    let found = tokens.iter().filter(|token| !missing.contains(**token));
    (!tokens.is_empty()).then(|| found.count() as f64 / tokens.len() as f64)
}

/// Returns the values, identifiers and names of the answer that no passage contains, in order, compared as by
/// the rule `auto`.
#[must_use]
pub fn unsupported_values(answer: &str, passages: &[&str]) -> Vec<String> {
    let answer = Parsed::new(start(answer));
    // Most values occur verbatim, and reading passages takes time.
    let parsed: LazyCell<Vec<ParsedPassage>, _> =
        LazyCell::new(|| passages.iter().map(|text| ParsedPassage::new(text)).collect());
    let mut missing: Vec<(usize, String)> = Vec::new();
    for mention in answer.mentions.iter().filter(|mention| !mention.weak) {
        let text = answer.quote(mention);
        if !is_verbatim(text, passages) && !parsed.iter().any(|passage| passage.has_value(mention))
        {
            missing.push((mention.first, text.to_owned()));
        }
    }
    for (first, end) in identifiers(&answer).into_iter().chain(names(&answer)) {
        let covered =
            answer.mentions.iter().any(|mention| mention.first < end && first < mention.end);
        let words = canonical(&answer.tokens[first..end]);
        if !covered
            && !words.is_empty()
            && !is_verbatim(answer.slice(first, end), passages)
            && !parsed.iter().any(|passage| passage.has_words(&words))
        {
            missing.push((first, answer.slice(first, end).to_owned()));
        }
    }
    missing.sort();
    missing.dedup();
    missing.into_iter().map(|(_, text)| text).collect()
}

/// Returns the first [`LONGEST`] bytes of an answer, in whole characters.
fn start(answer: &str) -> &str {
    &answer[..answer.floor_char_boundary(LONGEST)]
}

/// Returns true if a passage contains `text` as it is, between characters that are no letters, digits or parts of numbers.
fn is_verbatim(text: &str, passages: &[&str]) -> bool {
    passages.iter().any(|passage| {
        let mut places = passage.match_indices(text);
        places.any(|(at, _)| {
            let before = passage[..at].chars().next_back();
            !before.is_some_and(continues) && !is_continued(text, &passage[at + text.len()..])
        })
    })
}

/// Returns true if `behind` goes on with `text`. A full stop or a comma before a space ends it, but for a number, which may be
/// that of a list.
fn is_continued(text: &str, behind: &str) -> bool {
    let mut behind = behind.chars();
    match behind.next() {
        Some('.' | ',') if !text.bytes().all(|byte| byte.is_ascii_digit()) => {
            behind.next().is_some_and(char::is_alphanumeric)
        }
        after => after.is_some_and(continues),
    }
}

fn continues(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | ',' | '-' | ':' | '/' | '%')
}

struct ParsedPassage {
    reading: Parsed,
    words: Vec<Canon>,
}

impl ParsedPassage {
    fn new(text: &str) -> Self {
        let reading = Parsed::new(text);
        let words = canonical(&reading.tokens);
        Self { reading, words }
    }

    fn has_value(&self, wanted: &Mention) -> bool {
        self.reading.mentions.iter().any(|mention| {
            let agreement = compare(&wanted.value, &mention.value, false);
            let bare = matches!(&wanted.value, Value::Amount(amount) if amount.unit == BARE);
            agreement == Agreement::Same || (bare && agreement == Agreement::Partial)
        })
    }

    fn has_words(&self, words: &[Canon]) -> bool {
        !occurrences(words, &self.words).is_empty()
    }
}

/// Returns the names of an answer by tokens: capitalised words, none of them at the start of a sentence.
fn names(answer: &Parsed) -> Vec<(usize, usize)> {
    let starts =
        |at: usize| at == 0 || !answer.same_sentence(at, at - 1) || answer.tokens[at - 1].is_mark();
    let name = |at: usize| {
        let token = &answer.tokens[at];
        token.is_word()
            && token.capital()
            && content(token)
            && (!starts(at)
                || answer.tokens.get(at + 1).is_some_and(|next| next.capital() && next.is_word()))
    };
    let mut found = Vec::new();
    let mut at = 0;
    while at < answer.tokens.len() {
        let mut end = at;
        while end < answer.tokens.len() && name(end) && (end == at || answer.tokens[end].spaced) {
            end += 1;
        }
        if end > at {
            found.push((at, end));
        }
        at = end.max(at + 1);
    }
    found
}
