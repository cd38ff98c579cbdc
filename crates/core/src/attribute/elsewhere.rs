//! An answer in a passage that no label names: another passage that would do, or the same words said of something else.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use super::terms;
use crate::text::answers::AnswerMatcher;

/// What is looked for: an answer string, and beside it a content term of the question. The answer's own words in the question do
/// not count: where it asks which of two it is, they stand in every passage that names one.
pub struct Elsewhere<'a> {
    matcher: AnswerMatcher,
    question: &'a str,
    answers: &'a [String],
    wanted: OnceCell<BTreeSet<String>>,
}

impl<'a> Elsewhere<'a> {
    /// Looks for `answers` to `question`.
    #[must_use]
    pub fn new(question: &'a str, answers: &'a [String]) -> Self {
        Self {
            matcher: AnswerMatcher::new(answers),
            question,
            answers,
            wanted: OnceCell::new(),
        }
    }

    /// The question's content terms without the answers' own words.
    pub fn wanted(&self) -> &BTreeSet<String> {
        self.wanted
            .get_or_init(|| terms::without(terms::of_question(self.question), self.answers))
    }

    /// Whether `text` holds an answer and a content term.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        self.matcher.found_in_text(text) && terms::shares_one(text, self.wanted())
    }
}
