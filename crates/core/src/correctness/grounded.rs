//! Values and names of an answer that the packed passages lack.

use std::cell::LazyCell;

use super::parsed::{Parsed, places};
use super::token::Token;
use super::vocabulary::Vocabulary;
use crate::language::Language;

/// Bytes of an answer in which values are looked for.
const LONGEST: usize = 4_000;

/// Returns the values, identifiers and names of the answer that no passage contains, in order, compared as by
/// the rule of correctness.
#[must_use]
pub fn unsupported_values(
    answer: &str,
    passages: &[&str],
    language: &'static Language,
) -> Vec<String> {
    let words = Vocabulary::of(language);
    let answer = Parsed::read(&answer[..answer.floor_char_boundary(LONGEST)], words, true);
    // Most values occur verbatim, and reading passages takes time.
    let parsed: LazyCell<Vec<Parsed>, _> =
        LazyCell::new(|| passages.iter().map(|text| Parsed::new(text, words)).collect());
    let mut missing: Vec<(usize, String)> = Vec::new();
    for mention in answer.mentions.iter().filter(|mention| !mention.is_weak()) {
        let text = answer.slice(mention.first, mention.end);
        if !is_verbatim(&text, passages) && !parsed.iter().any(|passage| passage.states(mention)) {
            missing.push((mention.first, text));
        }
    }
    for (first, end) in names(&answer) {
        let text = answer.slice(first, end);
        let has = |passage: &Parsed| !places(&Parsed::new(&text, words), passage).is_empty();
        let is_value = (first..end).any(|at| answer.mention(at).is_some());
        if !is_value && !is_verbatim(&text, passages) && !parsed.iter().any(has) {
            missing.push((first, text));
        }
    }
    missing.sort_unstable();
    missing.into_iter().map(|(_, text)| text).collect()
}

/// Returns true if a passage contains `text` as it is, between characters that are no letters, digits or parts of numbers.
fn is_verbatim(text: &str, passages: &[&str]) -> bool {
    let continues = |c: char| c.is_alphanumeric() || ".,-:/%".contains(c);
    let is_whole = |passage: &str, at: usize| {
        // A full stop or a comma may end a sentence or a clause.
        let behind = passage[at + text.len()..].trim_start_matches(['.', ',']);
        !passage[..at].ends_with(continues) && !behind.starts_with(continues)
    };
    passages.iter().any(|passage| passage.match_indices(text).any(|(at, _)| is_whole(passage, at)))
}

/// Returns identifiers, and capitalised words that begin no sentence, as ranges of tokens.
fn names(answer: &Parsed) -> Vec<(usize, usize)> {
    let tokens = &answer.tokens;
    let starts =
        |at: usize| at == 0 || !answer.is_same_sentence(at - 1, at) || tokens[at - 1].is_symbol();
    let is_name = |at: usize| {
        let token = &tokens[at];
        let is_code = token.is_word() && token.text.contains(char::is_numeric);
        let is_capital = answer.words.language.names_by_case && token.is_named() && token.content;
        is_code || is_capital && (!starts(at) || tokens.get(at + 1).is_some_and(Token::is_named))
    };
    let mut found: Vec<(usize, usize)> = Vec::new();
    for at in (0..tokens.len()).filter(|at| is_name(*at)) {
        match found.last_mut() {
            Some((_, end)) if *end == at && tokens[at].spaced => *end = at + 1,
            _ => found.push((at, at + 1)),
        }
    }
    found
}
