//! The rule `auto`: decides by the kind of gold answer.

use super::mention::Mention;
use super::offer::{self, Bench, Target};
use super::reading::Reading;
use super::sort::{Sort, sort};
use super::verdict::{Correctness, Judgment};
use super::{facts, listing, long, phrase, polar};
use crate::types::{Question, QuestionKind};

/// Words that make plain numbers versions.
const VERSION_WORDS: &[&str] = &[
    "version", "versions", "release", "releases", "branch", "branches", "v",
];

/// Judges `answer`, which must be an answer and no abstention. `f1` is its official token F1; from `correct_f1` on it is
/// right where nothing else decides.
#[must_use]
pub fn auto(question: &Question, answer: &str, f1: f64, correct_f1: f64) -> Judgment {
    let asked = Reading::new(&question.text);
    let given = Reading::new(answer);
    if given.tokens.is_empty() {
        return Judgment::wrong("empty");
    }
    let golds: Vec<Reading> = question
        .answers
        .iter()
        .map(|gold| Reading::new(gold))
        .collect();
    let versions = golds.iter().chain([&asked]).any(names_version);
    let bench = Bench {
        question: &asked,
        answer: &given,
        versions,
    };
    if !question.required.is_empty() || !question.forbidden.is_empty() {
        return facts::judge(question, &bench);
    }
    if golds.iter().any(|gold| equals(gold, &given)) {
        return Judgment::right("equals a gold answer");
    }
    let sorts: Vec<Sort> = golds.iter().map(sort).collect();
    if question.kind == QuestionKind::YesNo
        || sorts
            .iter()
            .all(|sort| matches!(sort, Sort::Yes | Sort::No))
    {
        return polar::judge(sorts.contains(&Sort::Yes), &given, &asked);
    }
    let mut verdicts = Vec::new();
    let single: Vec<&Mention> = golds
        .iter()
        .zip(&sorts)
        .filter(|(_, sort)| **sort == Sort::Value)
        .map(|(gold, _)| &gold.mentions[0])
        .collect();
    if !single.is_empty() {
        verdicts.push(offer::judge(
            &[Target {
                alternatives: single,
            }],
            &bench,
        ));
    }
    for (gold, sort) in golds.iter().zip(&sorts) {
        match sort {
            Sort::Values => verdicts.push(offer::judge(&targets(gold), &bench)),
            Sort::Phrase => verdicts.push(phrase_or_list(gold, &bench, f1 >= correct_f1)),
            Sort::Long => verdicts.push(long::judge(gold, &bench)),
            Sort::Value | Sort::Yes | Sort::No => {}
        }
    }
    let best = |correctness: Correctness| {
        verdicts
            .iter()
            .find(|verdict| verdict.correctness == correctness)
    };
    best(Correctness::Right)
        .or_else(|| best(Correctness::Unsure))
        .or_else(|| verdicts.first())
        .cloned()
        .unwrap_or_else(|| Judgment::unsure("nothing to compare with"))
}

fn names_version(reading: &Reading) -> bool {
    reading
        .tokens
        .iter()
        .any(|token| VERSION_WORDS.contains(&token.text.as_str()))
}

fn targets(gold: &Reading) -> Vec<Target<'_>> {
    gold.mentions
        .iter()
        .map(|mention| Target {
            alternatives: vec![mention],
        })
        .collect()
}

fn equals(gold: &Reading, answer: &Reading) -> bool {
    let plain = |reading: &Reading| {
        reading
            .text
            .trim_matches(['.', '"', '\'', ' '])
            .to_lowercase()
    };
    !gold.text.is_empty() && plain(gold) == plain(answer)
}

fn phrase_or_list(gold: &Reading, bench: &Bench<'_>, f1_suffices: bool) -> Judgment {
    let whole = phrase::judge(gold, bench, f1_suffices);
    let items = listing::items(gold);
    if items.len() < 2 || whole.reason.starts_with("contains") {
        return whole;
    }
    listing::judge(&items, bench)
}
