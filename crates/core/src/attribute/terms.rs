//! Content terms of a question: the words that a passage on the same subject shares with it.
//!
//! Words by UAX #29, lower-cased, stemmed, without stop words (the analyser's defaults), and without the words that
//! only mark a question: sharing one of those does not make a passage more relevant.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::text::analyse::Analyzer;
use crate::text::answers::AnswerMatcher;

/// Interrogatives and auxiliaries that are not among Lucene's 33 stop words.
const ASKING: &str = "who whom whose which what when where why how do does did done has have had having can could would \
                      should may might were been being am from many much";

/// One analyser for all questions, so that no word is stemmed twice.
static ANALYZER: LazyLock<Analyzer> = LazyLock::new(Analyzer::default);

static ASKING_TERMS: LazyLock<BTreeSet<String>> =
    LazyLock::new(|| ANALYZER.term_list(ASKING).into_iter().collect());

/// Returns the distinct content terms of a question.
#[must_use]
pub fn of_question(text: &str) -> BTreeSet<String> {
    let mut terms: BTreeSet<String> = ANALYZER.term_list(text).into_iter().collect();
    terms.retain(|term| !ASKING_TERMS.contains(term));
    terms
}

/// Returns the members of `wanted` that `text` contains.
#[must_use]
pub fn shared(text: &str, wanted: &BTreeSet<String>) -> BTreeSet<String> {
    let mut shared = BTreeSet::new();
    ANALYZER.terms(text, &mut |term| {
        if wanted.contains(term) && !shared.contains(term) {
            shared.insert(term.to_owned());
        }
    });
    shared
}

/// Returns `wanted` without the terms of `texts`.
#[must_use]
pub fn without(mut wanted: BTreeSet<String>, texts: &[String]) -> BTreeSet<String> {
    for text in texts {
        ANALYZER.terms(text, &mut |term| {
            wanted.remove(term);
        });
    }
    wanted
}

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
        self.wanted.get_or_init(|| without(of_question(self.question), self.answers))
    }

    /// Returns true if `text` holds an answer and a content term.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        self.matcher.found_in_text(text) && !shared(text, self.wanted()).is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_only_ask_are_no_content() {
        // Snowball's English stems: founded -> found, magazine -> magazin.
        let terms: Vec<String> =
            of_question("When was the magazine founded, and why does it matter?")
                .into_iter()
                .collect();
        assert_eq!(terms, ["found", "magazin", "matter"]);
        assert!(of_question("Who is he, and from where?").contains("he"));
    }

    #[test]
    fn sharing_is_by_stems() {
        let wanted = of_question("Which rivers flood?");
        assert_eq!(shared("The river rose.", &wanted).len(), 1);
        assert!(shared("Which was it?", &wanted).is_empty());
        let rest = without(wanted, &["a river".to_owned(), "Flooding".to_owned()]);
        assert!(shared("The river rose.", &rest).is_empty());
    }
}
