//! Key facts: required ones must be stated, forbidden ones must not.

use super::bench::Bench;
use super::place::{Place, places};
use super::reading::Reading;
use super::relation::{Target, relation};
use super::scope::rejected;
use super::sort::{Sort, sort};
use super::value::Agreement;
use super::verdict::Judgment;
use super::words::negates;
use crate::types::{KeyFact, Question};

/// Judges an answer by the key facts of its question.
pub(super) fn judge(question: &Question, bench: &Bench<'_>) -> Judgment {
    if let Some(fact) = question.required.iter().find(|fact| !states(fact, bench)) {
        return Judgment::wrong(format!(
            "does not state `{}`",
            fact.first().map_or("", String::as_str)
        ));
    }
    if let Some(fact) = question.forbidden.iter().find(|fact| states(fact, bench)) {
        return Judgment::wrong(format!(
            "states the forbidden `{}`",
            fact.first().map_or("", String::as_str)
        ));
    }
    Judgment::right("states every required fact and no forbidden one")
}

fn states(fact: &KeyFact, bench: &Bench<'_>) -> bool {
    fact.iter()
        .any(|wording| states_wording(&Reading::new(wording), bench))
}

fn states_wording(wording: &Reading, bench: &Bench<'_>) -> bool {
    let denies = wording.tokens.iter().any(|token| negates(&token.text));
    let stands = |place: &Place| denies || !rejected(bench.answer, place.first, place.end);
    if places(wording, bench.answer).iter().any(stands) {
        return true;
    }
    let Sort::Value = sort(wording) else {
        return false;
    };
    let target = Target {
        alternatives: vec![&wording.mentions[0]],
        exact: false,
    };
    bench.answer.mentions.iter().any(|mention| {
        relation(&target, mention, bench) == Agreement::Same
            && !rejected(bench.answer, mention.first, mention.end)
    })
}
