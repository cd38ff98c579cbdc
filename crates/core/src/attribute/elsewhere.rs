//! Answers in passages without a label: another valid passage, or the same words about something else.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use super::terms;
use crate::text::answers::AnswerMatcher;

/// A search for passages with both an answer string and a content term of the question. Words of the answers do not
/// count as content terms: in a question that asks which of two things it is, they occur in every passage that names
/// either.
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
        Self { matcher: AnswerMatcher::new(answers), question, answers, wanted: OnceCell::new() }
    }

    /// Returns the question's content terms without the answers' own words.
    pub fn wanted(&self) -> &BTreeSet<String> {
        self.wanted.get_or_init(|| terms::without(terms::of_question(self.question), self.answers))
    }

    /// Returns true if `text` holds an answer and a content term.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        self.matcher.found_in_text(text) && !terms::shared(text, self.wanted()).is_empty()
    }
}
