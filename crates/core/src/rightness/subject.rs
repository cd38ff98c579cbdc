//! Tells if a value or name is given for the thing that the question asks about.

use std::collections::HashSet;

use super::lex::Shape;
use super::reading::{Reading, content};
use super::words::stem;

/// Counts the question's terms in the clause around tokens `first..end`.
pub(super) fn question_terms(
    question: &Reading,
    answer: &Reading,
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

/// Returns true if the sentence gives tokens `first..end` for something that the question does not ask about: a name
/// that the question lacks while its own names are missing, or a term of the question with another modifier.
pub(super) fn wrong_subject(
    question: &Reading,
    answer: &Reading,
    first: usize,
    end: usize,
) -> bool {
    foreign_name(question, answer, first) || other_modifier(question, answer, first, end)
}

fn foreign_name(question: &Reading, answer: &Reading, first: usize) -> bool {
    let asked = names(question, 0..question.tokens.len());
    if asked.is_empty() || asked.iter().any(|&at| answer.has(&question.tokens[at])) {
        return false;
    }
    let before = names(answer, 0..first);
    before
        .iter()
        .any(|&at| answer.same_sentence(at, first) && !question.has(&answer.tokens[at]))
}

/// Returns the tokens in `range` that are names: capital letters inside a sentence, or identifiers.
fn names(reading: &Reading, range: std::ops::Range<usize>) -> Vec<usize> {
    let inside = |at: usize| {
        at > 0 && reading.same_sentence(at, at - 1) && !reading.tokens[at - 1].is_mark()
    };
    range
        .filter(|&at| {
            let token = &reading.tokens[at];
            token.shape == Shape::Code
                || token.is_word()
                    && token.capital
                    && token.text.len() > 2
                    && inside(at)
                    && content(token)
        })
        .collect()
}

fn other_modifier(question: &Reading, answer: &Reading, first: usize, end: usize) -> bool {
    let pairs = |reading: &Reading, skip: std::ops::Range<usize>| -> Vec<(usize, usize)> {
        (1..reading.tokens.len())
            .filter(|at| !skip.contains(at) && !skip.contains(&(at - 1)))
            .filter(|&at| {
                content(&reading.tokens[at])
                    && content(&reading.tokens[at - 1])
                    && !reading.tokens[at].is_mark()
            })
            .map(|at| (at - 1, at))
            .collect()
    };
    let asked = pairs(question, 0..0);
    pairs(answer, first..end)
        .iter()
        .filter(|(_, head)| answer.same_sentence(*head, first))
        .any(|&(modifier, head)| {
            let head_stem = stem(&answer.tokens[head].text);
            !question.has(&answer.tokens[modifier])
                && asked.iter().any(|&(other, asked_head)| {
                    stem(&question.tokens[asked_head].text) == head_stem
                        && !answer.has(&question.tokens[other])
                })
        })
}
