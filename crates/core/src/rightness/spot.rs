//! Places where an answer has a gold answer.

use super::code;
use super::lex::TokenShape;
use super::names::{Canon, canonical, occurrences};
use super::parsed::Parsed;
use super::scope::rejected;

/// Token range of an occurrence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) first: usize,
    pub(super) end: usize,
}

pub(super) fn denied(answer: &Parsed, place: Spot) -> bool {
    let than = (1..=4).filter(|back| place.first >= *back).any(|back| {
        let at = place.first - back;
        answer.word(at) == "than" && answer.same_clause(at, place.first)
    });
    than || rejected(answer, place.first, place.end)
}

/// Returns the places where the answer has the gold answer.
pub(super) fn places(gold: &Parsed, answer: &Parsed) -> Vec<Spot> {
    if code::is_code_gold(gold) {
        let by_bytes =
            code::occurrences(&gold.text, &answer.text).into_iter().map(|(start, end)| Spot {
                first: answer.tokens.iter().position(|token| token.end > start).unwrap_or(0),
                end: answer
                    .tokens
                    .iter()
                    .rposition(|token| token.start < end)
                    .map_or(0, |last| last + 1),
            });
        let found: Vec<Spot> = by_bytes.collect();
        if !found.is_empty() || gold.tokens.iter().any(|token| token.shape == TokenShape::Code) {
            return found;
        }
    }
    let words = canonical(&answer.tokens);
    let mut wanted = canonical(&gold.tokens);
    if wanted.is_empty() {
        wanted = literal(gold);
        return in_tokens(&wanted, &literal(answer));
    }
    let code = code::is_code_gold(gold);
    let spelled = |place: &Spot| {
        !code || !answer.tokens[place.first..place.end].iter().any(|token| token.is("-"))
    };
    in_tokens(&wanted, &words).into_iter().filter(spelled).collect()
}

fn in_tokens(wanted: &[Canon], words: &[Canon]) -> Vec<Spot> {
    occurrences(wanted, words)
        .into_iter()
        .map(|(first, end)| Spot { first: words[first].token, end: words[end - 1].token + 1 })
        .collect()
}

/// Returns every token as it is: for gold answers of titles or articles only.
fn literal(reading: &Parsed) -> Vec<Canon> {
    let word = |(token, t): (usize, &super::lex::Token)| Canon {
        text: t.text.clone(),
        token,
        initials: false,
    };
    reading.tokens.iter().enumerate().map(word).collect()
}
