//! Decides if a value or name belongs to the subject that the question asks about.

use std::collections::HashSet;

use super::claim::Claim;
use super::lex::TokenShape;
use super::parsed::{Parsed, content};
use super::tables::WordSet;
use super::words::stem;

/// Counts the question's terms in the clause around tokens `first..end`.
pub(super) fn question_terms(
    question: &Parsed,
    answer: &Parsed,
    first: usize,
    end: usize,
) -> usize {
    let terms: HashSet<&str> = (0..answer.tokens.len())
        .filter(|&at| answer.same_clause(at, first) && !(first..end).contains(&at))
        .filter(|&at| content(&answer.tokens[at]) && question.has(&answer.tokens[at]))
        .map(|at| stem(&answer.tokens[at].text))
        .collect();
    terms.len()
}

/// Returns true if the sentence gives what begins at token `first` for something that the question does not ask about: a name
/// that the question lacks while its own names are missing, or a term of the question with another modifier.
pub(super) fn wrong_subject(claim: &Claim<'_>, first: usize) -> bool {
    foreign_name(claim, first) || other_modifier(claim.question, claim.answer, first)
}

fn foreign_name(claim: &Claim<'_>, first: usize) -> bool {
    let (question, answer) = (claim.question, claim.answer);
    let asked = names(question, 0..question.tokens.len());
    if asked.is_empty() || asked.iter().any(|&at| answer.has(&question.tokens[at])) {
        return false;
    }
    let known = |at: usize| {
        question.has(&answer.tokens[at])
            || claim.gold_answers.iter().any(|gold| gold.has(&answer.tokens[at]))
    };
    names(answer, 0..first).iter().any(|&at| answer.same_sentence(at, first) && !known(at))
}

/// Returns the tokens in `range` that are names: capital letters inside a sentence, or identifiers.
fn names(reading: &Parsed, range: std::ops::Range<usize>) -> Vec<usize> {
    let inside = |at: usize| {
        at > 0 && reading.same_sentence(at, at - 1) && !reading.tokens[at - 1].is_mark()
    };
    range
        .filter(|&at| {
            let token = &reading.tokens[at];
            token.shape == TokenShape::Code
                || token.is_word()
                    && token.capital()
                    && token.text.len() > 2
                    && inside(at)
                    && content(token)
        })
        .collect()
}

/// The sentence's subject is a term of the question under another modifier: `the database timeout is` for `the deploy
/// timeout`.
fn other_modifier(question: &Parsed, answer: &Parsed, first: usize) -> bool {
    static VERBS: WordSet =
        WordSet::new("is was are were has takes lasts expires costs runs waits");
    let pair = |reading: &Parsed, at: usize| {
        at > 0 && content(&reading.tokens[at]) && content(&reading.tokens[at - 1])
    };
    (1..first).filter(|&at| answer.same_sentence(at, first) && pair(answer, at)).any(|at| {
        let head = stem(&answer.tokens[at].text);
        VERBS.has(answer.word(at + 1))
            && !question.has(&answer.tokens[at - 1])
            && (1..question.tokens.len()).filter(|&asked| pair(question, asked)).any(|asked| {
                stem(&question.tokens[asked].text) == head
                    && !answer.has(&question.tokens[asked - 1])
            })
    })
}
