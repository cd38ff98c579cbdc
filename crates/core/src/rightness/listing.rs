//! Gold answers that list several items: all are needed, in any order.

use super::claim::Claim;
use super::lex::TokenShape;
use super::parsed::Parsed;
use super::scope::rejected;
use super::spot::{Spot, places};
use super::verdict::Judgment;
use super::words::has_content;

/// Returns the items of `gold`, if it is a list.
pub(super) fn items(gold: &Parsed) -> Vec<String> {
    let joined = gold.tokens.iter().any(|token| token.is("and") || token.is("&"));
    let commas = gold.tokens.iter().filter(|token| token.is(",")).count();
    let names = gold.tokens.iter().any(super::lex::Token::capital);
    if !joined && (commas == 0 || commas == 1 && names) {
        return Vec::new();
    }
    let mut items = Vec::new();
    let mut start = 0;
    for (at, token) in gold.tokens.iter().enumerate() {
        if token.is("and") || token.is("&") || token.shape == TokenShape::Mark && token.is(",") {
            items.push(gold.slice(start, at).to_owned());
            start = at + 1;
        }
    }
    items.push(gold.slice(start, gold.tokens.len()).to_owned());
    items.retain(|item| !item.is_empty());
    items
}

/// Judges an answer that must name every item.
pub(super) fn judge(items: &[String], claim: &Claim<'_>) -> Judgment {
    let answer = claim.answer;
    let mut covered: Vec<Spot> = Vec::new();
    for item in items {
        let found: Vec<Spot> = places(&Parsed::new(item), answer)
            .into_iter()
            .filter(|place| !rejected(answer, place.first, place.end))
            .collect();
        if found.is_empty() {
            return Judgment::wrong(format!("lacks `{item}`"));
        }
        covered.extend(found);
    }
    let or = answer.tokens.iter().enumerate().any(|(at, token)| {
        token.is("or")
            && covered.iter().any(|place| place.end == at)
            && covered.iter().any(|place| place.first.abs_diff(at) <= 2 && place.first > at)
    });
    if or && !answer.answers_denial {
        return Judgment::wrong("offers the items as alternatives");
    }
    match extra(&covered, claim) {
        Some(at) => Judgment::wrong(format!("also offers `{}`", answer.word(at))),
        None => Judgment::right("names every item"),
    }
}

/// Returns the token of an item that the gold answer lacks.
fn extra(covered: &[Spot], claim: &Claim<'_>) -> Option<usize> {
    let answer = claim.answer;
    let capitals = covered.iter().all(|place| answer.tokens[place.first].capital());
    let other = |at: usize| {
        let token = &answer.tokens[at];
        let fits = token.shape != TokenShape::Mark
            && (!capitals || token.capital() || token.shape != TokenShape::Word);
        let inside = covered.iter().any(|place| (place.first..place.end).contains(&at));
        fits && !inside
            && has_content(&token.text)
            && !claim.question.has(token)
            && !matches!(token.text.as_str(), "both" | "respectively")
    };
    covered.iter().find_map(|place| {
        after(answer, place.end)
            .into_iter()
            .chain(before(answer, place.first))
            .find(|&at| other(at))
    })
}

fn links(word: &str) -> bool {
    matches!(
        word,
        "and"
            | ","
            | "&"
            | "or"
            | "plus"
            | "/"
            | "
" | "then"
    )
}

/// Returns the first token of the item after the one that ends at `end`.
fn after(answer: &Parsed, end: usize) -> Option<usize> {
    let mut at = end;
    while !links(answer.word(at)) {
        let skipped = at < end + 3
            && answer
                .tokens
                .get(at)
                .is_some_and(|token| !matches!(token.text.as_str(), "." | ";" | ":" | "!"));
        if !skipped {
            return None;
        }
        at += 1;
    }
    while links(answer.word(at)) || matches!(answer.word(at), "the" | "a" | "an" | "\"" | "also") {
        at += 1;
    }
    (at < answer.tokens.len()).then_some(at)
}

/// Returns the last token of the item before the one that begins at `first`.
fn before(answer: &Parsed, first: usize) -> Option<usize> {
    let mut at = first.checked_sub(1)?;
    while matches!(answer.word(at), "the" | "a" | "an" | "\"" | "also") {
        at = at.checked_sub(1)?;
    }
    if !links(answer.word(at)) {
        return None;
    }
    while links(answer.word(at)) {
        at = at.checked_sub(1)?;
    }
    Some(at)
}
