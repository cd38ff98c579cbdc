//! Key facts: required ones must be stated, forbidden ones must not.

use super::evidence::{Case, Ground, Reason, right, wrong};
use super::parsed::Parsed;
use crate::types::{KeyFact, Question};

/// Decides an answer by the key facts of its question.
pub(super) fn decide(question: &Question, asked: &Parsed, answer: &Parsed) -> Reason {
    let states = |fact: &KeyFact| {
        let gold_answers: Vec<Parsed> =
            fact.iter().map(|text| Parsed::new(text, answer.words)).collect();
        gold_answers.iter().any(|gold| {
            Case { question: asked, gold, gold_answers: &gold_answers, answer }.states()
        })
    };
    let name = |fact: &KeyFact| fact.first().cloned().unwrap_or_default();
    if let Some(fact) = question.required.iter().find(|fact| !states(fact)) {
        return wrong(Ground::Absent, name(fact));
    }
    if let Some(fact) = question.forbidden.iter().find(|fact| states(fact)) {
        return wrong(Ground::Forbidden, name(fact));
    }
    right(Ground::AllFacts, "")
}
