//! Content terms of a question: the words that a passage on the same subject shares with it.
//!
//! Words by UAX #29, lower-cased, stemmed, without stop words (the analyser's defaults), and without the words that
//! only mark a question: sharing one of those does not make a passage more relevant.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use crate::text::analyse::Analyzer;
use crate::text::answers::AnswerMatcher;
use crate::text::{normalise, sentences};

/// Interrogatives and auxiliaries that are not among Lucene's 33 stop words.
const ASKING: &str = "who whom whose which what when where why how do does did done has have had having can could would \
                      should may might were been being am from many much";

/// The analyser of all questions.
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

/// A search for passages that seem to answer a question: they have more than half of its content terms, and a sentence with an
/// answer string or a required fact and one of them. With one term anywhere in the passage, about half of the findings in SQuAD that were read used
/// the same words about something else. Words of the answers do not count as content terms: in a question that asks which of two
/// things it is, they occur in every passage that names either.
pub struct Elsewhere {
    matcher: AnswerMatcher,
    wanted: BTreeSet<String>,
}

impl Elsewhere {
    /// Looks for those of `answers` that say something, to a question with these content `terms`.
    #[must_use]
    pub fn new(terms: BTreeSet<String>, answers: &[String]) -> Self {
        let telling: Vec<String> =
            answers.iter().filter(|answer| says_something(answer)).cloned().collect();
        Self { matcher: AnswerMatcher::new(&telling), wanted: without(terms, answers) }
    }

    /// Returns the content terms of `text` if it seems to answer the question.
    #[must_use]
    pub fn found_in(&self, text: &str) -> Option<BTreeSet<String>> {
        if !self.matcher.found_in_text(text) {
            return None;
        }
        let found = shared(text, &self.wanted);
        let mut sentences = sentences::split(text).into_iter().map(|piece| &text[piece]);
        let is_answer = |sentence: &str| {
            self.matcher.found_in_text(sentence) && !shared(sentence, &self.wanted).is_empty()
        };
        (found.len() as f64 > SHARED * self.wanted.len() as f64 && sentences.any(is_answer))
            .then_some(found)
    }
}

/// A passage that answers has more than this share of the question's content terms.
const SHARED: f64 = 0.5;

/// Returns true if an occurrence of the answer is informative: `yes`, `no`, and one or two letters or digits occur in any
/// text.
#[must_use]
pub fn says_something(answer: &str) -> bool {
    let answer = normalise::matching(answer);
    answer.chars().filter(|c| c.is_alphanumeric()).count() >= 3 && answer != "yes"
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
