//! Sorts gold answers by how they are compared.

use super::code::is_code_gold;
use super::lex::TokenShape;
use super::long::LONG;
use super::parsed::{Parsed, content};
use super::value::Value;
use super::words::{FLUFF, WEEKDAYS, stem};
use crate::text::normalise;

/// The way in which a gold answer is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Yes,
    No,
    /// One value.
    Value,
    /// Several values, all needed.
    Values,
    /// A name, phrase or code.
    Phrase,
    /// A long reference answer.
    Long,
}

/// Returns the sort of `gold`.
pub(super) fn sort(gold: &Parsed) -> Sort {
    let plain = normalise::official(&gold.text);
    match plain.as_str() {
        "yes" | "true" => return Sort::Yes,
        "no" | "false" => return Sort::No,
        _ if plain.split(' ').count() > LONG || is_sentence(gold, &plain) => return Sort::Long,
        _ if is_code_gold(gold) || gold.mentions.is_empty() => return Sort::Phrase,
        _ => {}
    }
    match (covered(gold), gold.mentions.len()) {
        (false, _) => Sort::Phrase,
        (true, 1) => Sort::Value,
        (true, _) => Sort::Values,
    }
}

/// Returns true if `gold` is a sentence: a capital letter, a final period and several words.
fn is_sentence(gold: &Parsed, plain: &str) -> bool {
    gold.text.ends_with('.')
        && plain.split(' ').count() > 6
        && gold.tokens.iter().any(|token| token.is_word() && !token.capital())
}

/// Returns true if its values, with their nouns, are all its content.
fn covered(gold: &Parsed) -> bool {
    let nouns: Vec<&String> = gold
        .mentions
        .iter()
        .flat_map(|mention| match &mention.value {
            Value::Amount(amount) => amount.nouns.iter().collect::<Vec<_>>(),
            _ => Vec::new(),
        })
        .collect();
    gold.tokens.iter().enumerate().all(|(at, token)| {
        let inside = gold.mentions.iter().any(|mention| (mention.first..mention.end).contains(&at));
        let counted = gold.tokens.len() == 2 && gold.tokens[0].shape == TokenShape::Digits;
        let noun =
            (!token.capital() || counted) && nouns.iter().any(|noun| *noun == stem(&token.text));
        let weekday = WEEKDAYS.has(&token.text);
        inside
            || noun
            || weekday
            || token.shape == TokenShape::Mark
            || !content(token)
            || FLUFF.has(&token.text)
    })
}
