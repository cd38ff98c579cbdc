//! Yes or no, by a rule that can be said in three sentences.
//!
//! What is asked are the question's terms outside its names; whom it is asked of are the passages whose title holds one
//! of the names. The best sentence of each of those, or of all passages where there is none, must hold at least half
//! the weight of what is asked and have a negation just when the question has one: then it is `yes`, else `no`.

use super::candidates::{Looks, candidates};
use super::score::{Sentence, weigh};
use super::terms::{QuestionTerms, words};
use ragtriage_core::prompt::PromptPassage;

/// Lower-cased words that turn a sentence round, ascending; `n't` besides.
const NEGATIONS: [&str; 10] = [
    "cannot",
    "forbidden",
    "neither",
    "never",
    "no",
    "none",
    "nor",
    "not",
    "unsafe",
    "without",
];

/// Share of what is asked, by weight, that a sentence must hold.
const ENOUGH: f64 = 0.5;

/// Decides it.
pub(super) fn decide(
    question: &str,
    terms: &QuestionTerms,
    weights: &[f64],
    ranked: &[Sentence<'_>],
    passages: &[PromptPassage],
) -> bool {
    let names = names(question);
    let asked = terms.mask(question) & !names.iter().fold(0, |mask, name| mask | terms.mask(name));
    let named = |place: &usize| {
        names
            .iter()
            .any(|name| passages[*place].title.contains(name))
    };
    let subjects: Vec<usize> = (0..passages.len()).filter(named).collect();
    let covers = |sentence: &&Sentence<'_>| {
        weigh(weights, sentence.mask & asked) >= ENOUGH * weigh(weights, asked)
            && negates(sentence.text) == negates(question)
    };
    if subjects.is_empty() {
        return ranked.first().is_some_and(|top| covers(&top));
    }
    subjects.iter().all(|&subject| {
        ranked
            .iter()
            .filter(|sentence| sentence.passage == subject)
            .max_by(|a, b| {
                weigh(weights, a.mask & asked).total_cmp(&weigh(weights, b.mask & asked))
            })
            .is_some_and(|best| covers(&best))
    })
}

/// The question's names, but for the word that opens it.
fn names(question: &str) -> Vec<&str> {
    candidates(question, &words(question))
        .into_iter()
        .filter(|found| matches!(found.looks, Looks::Name | Looks::Quoted | Looks::Code))
        .map(|found| &question[found.range])
        .collect()
}

fn negates(text: &str) -> bool {
    words(text).iter().any(|word| {
        let lower = word.text.to_lowercase();
        NEGATIONS.binary_search(&lower.as_str()).is_ok()
            || lower.ends_with("n't")
            || lower.ends_with("n’t")
    })
}

#[cfg(test)]
mod tests {
    use super::super::score::rank;
    use super::*;

    fn decided(question: &str, text: &str) -> bool {
        let passages = [PromptPassage {
            title: String::new(),
            text: text.to_owned(),
        }];
        let terms = QuestionTerms::of(question);
        let (ranked, weights) = rank(&terms, &passages);
        decide(question, &terms, &weights, &ranked, &passages)
    }

    #[test]
    fn a_negation_on_one_side_turns_the_answer_round() {
        assert!(decided("Is a restart safe?", "A restart is safe."));
        assert!(!decided("Is a restart safe?", "A restart isn't safe."));
        assert!(!decided("Is a restart safe?", "Never call a restart safe."));
        assert!(decided(
            "Is it not safe to restart?",
            "It is not safe to restart."
        ));
    }

    #[test]
    fn a_sentence_that_holds_less_than_half_of_what_is_asked_is_a_no() {
        // One sentence, so that every weight is ln 2: one of three terms is less than half, two are more.
        assert!(!decided(
            "Does the nightly backup replicate?",
            "The backup is full."
        ));
        assert!(decided(
            "Does the nightly backup replicate?",
            "The nightly backup is full."
        ));
    }

    #[test]
    fn the_negations_are_sorted_for_the_binary_search() {
        assert!(NEGATIONS.is_sorted());
    }
}
