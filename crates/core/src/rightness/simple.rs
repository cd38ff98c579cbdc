//! The rules `contains` and `recall`, for comparison with the literature.

use super::verdict::Judgment;
use crate::measure::answer::{Scorer, score};
use crate::text::answers::AnswerMatcher;

/// Judges an answer right if it contains a gold answer on word boundaries (Kamalloo et al., ACL 2023).
#[must_use]
pub(super) fn contains(gold_answers: &[String], answer: &str) -> Judgment {
    if AnswerMatcher::new(gold_answers).found_in_text(answer) {
        Judgment::right("contains a gold answer")
    } else {
        Judgment::wrong("contains no gold answer")
    }
}

/// Judges an answer right if it has every token of a gold answer (Adlakha et al., TACL 2024).
#[must_use]
pub(super) fn recall(gold_answers: &[String], answer: &str) -> Judgment {
    let complete = |gold: &String| score(answer, std::slice::from_ref(gold), Scorer::Squad2);
    if gold_answers.iter().map(complete).any(|scores| scores.recall >= 1.0 || scores.em >= 1.0) {
        Judgment::right("has every token of a gold answer")
    } else {
        Judgment::wrong("lacks tokens of every gold answer")
    }
}
