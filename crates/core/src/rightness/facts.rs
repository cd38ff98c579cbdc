//! Key facts: required ones must be stated, forbidden ones must not.

use super::claim::Claim;
use super::parsed::Parsed;
use super::relation::{GoldValue, relation};
use super::scope::rejected;
use super::sort::{Sort, sort};
use super::spot::{Spot, places};
use super::value::Agreement;
use super::verdict::Judgment;
use super::words::negates;
use crate::types::{KeyFact, Question};

/// Judges an answer by the key facts of its question.
pub(super) fn judge(question: &Question, claim: &Claim<'_>) -> Judgment {
    if let Some(fact) = question.required.iter().find(|fact| !states(fact, claim)) {
        return Judgment::wrong(format!(
            "does not state `{}`",
            fact.first().map_or("", String::as_str)
        ));
    }
    if let Some(fact) = question.forbidden.iter().find(|fact| states(fact, claim)) {
        return Judgment::wrong(format!(
            "states the forbidden `{}`",
            fact.first().map_or("", String::as_str)
        ));
    }
    Judgment::right("states every required fact and no forbidden one")
}

fn states(fact: &KeyFact, claim: &Claim<'_>) -> bool {
    fact.iter().any(|wording| states_wording(&Parsed::new(wording), claim))
}

fn states_wording(wording: &Parsed, claim: &Claim<'_>) -> bool {
    let denies = wording.tokens.iter().any(|token| negates(&token.text));
    let is_stated = |place: &Spot| {
        denies
            || follows_preposition(place, claim)
            || !rejected(claim.answer, place.first, place.end)
    };
    if places(wording, claim.answer).iter().any(is_stated) {
        return true;
    }
    let Sort::Value = sort(wording) else {
        return false;
    };
    let target = GoldValue { alternatives: vec![&wording.mentions[0]], exact: false };
    claim.answer.mentions.iter().any(|mention| {
        relation(&target, mention, claim) == Agreement::Same
            && !rejected(claim.answer, mention.first, mention.end)
    })
}

/// Returns true for a time that a denial covers and does not deny: `it has not been raised in sixty years`.
fn follows_preposition(place: &Spot, claim: &Claim<'_>) -> bool {
    let before = place.first.checked_sub(1);
    before.is_some_and(|at| matches!(claim.answer.word(at), "in" | "for" | "since"))
}
