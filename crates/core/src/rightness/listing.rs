//! Gold answers that list several items: all are needed, in any order.

use super::lex::Shape;
use super::offer::Bench;
use super::phrase::{Place, places};
use super::reading::Reading;
use super::scope::rejected;
use super::verdict::Judgment;
use super::words::has_content;

/// Returns the items of `gold`, if it is a list.
pub(super) fn items(gold: &Reading) -> Vec<String> {
    let joined = gold
        .tokens
        .iter()
        .any(|token| token.is("and") || token.is("&"));
    let commas = gold.tokens.iter().filter(|token| token.is(",")).count();
    let names = gold.tokens.iter().any(|token| token.capital);
    if !joined && (commas == 0 || commas == 1 && names) {
        return Vec::new();
    }
    let mut items = Vec::new();
    let mut start = 0;
    for (at, token) in gold.tokens.iter().enumerate() {
        if token.is("and") || token.is("&") || token.shape == Shape::Mark && token.is(",") {
            items.push(gold.slice(start, at).to_owned());
            start = at + 1;
        }
    }
    items.push(gold.slice(start, gold.tokens.len()).to_owned());
    items.retain(|item| !item.is_empty());
    items
}

/// Judges an answer that must name every item.
pub(super) fn judge(items: &[String], bench: &Bench<'_>) -> Judgment {
    let answer = bench.answer;
    let mut covered: Vec<Place> = Vec::new();
    for item in items {
        let found: Vec<Place> = places(&Reading::new(item), answer)
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
            && covered
                .iter()
                .any(|place| place.first.abs_diff(at) <= 2 && place.first > at)
    });
    if or {
        return Judgment::wrong("offers the items as alternatives");
    }
    match extra(&covered, bench) {
        Some(at) => Judgment::wrong(format!("also offers `{}`", answer.word(at))),
        None => Judgment::right("names every item"),
    }
}

/// Returns the token of an item that the gold answer lacks.
fn extra(covered: &[Place], bench: &Bench<'_>) -> Option<usize> {
    let answer = bench.answer;
    let capitals = covered
        .iter()
        .any(|place| answer.tokens[place.first].capital);
    let inside = |at: usize| {
        covered
            .iter()
            .any(|place| (place.first..place.end).contains(&at))
    };
    (0..answer.tokens.len()).find(|&at| {
        let token = &answer.tokens[at];
        let link = |at: usize| {
            matches!(
                answer.word(at),
                "and" | "," | "&" | "or" | "plus" | "/" | "\n"
            )
        };
        let before = at.checked_sub(1).is_some_and(link)
            && at >= 2
            && (inside(at - 2) || at >= 3 && link(at - 2) && inside(at - 3));
        let after = link(at + 1) && (inside(at + 2) || link(at + 2) && inside(at + 3));
        let kind = token.shape != Shape::Mark
            && (!capitals || token.capital || token.shape != Shape::Word)
            && has_content(&token.text);
        kind && !inside(at) && (before || after) && !bench.question.has(token)
    })
}
