//! The annotator contract: implemented by a person at a terminal, in tests by a script.

use std::io;

use ragtriage_core::text::sentences;
use ragtriage_core::types::{ByteRange, Document, Question};

/// The position of an annotator in a session, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LabelProgress {
    /// The question.
    pub question: usize,
    /// The number of questions.
    pub n_questions: usize,
    /// The passage.
    pub passage: usize,
    /// The number of passages.
    pub n_passages: usize,
}

/// A passage to judge.
#[derive(Clone, Copy, Debug)]
pub struct ShownPassage<'a> {
    /// The question.
    pub question: &'a Question,
    /// The position in the session.
    pub progress: LabelProgress,
    /// The passage's document.
    pub document: &'a Document,
    /// The passage in it.
    pub range: ByteRange,
    /// True if an earlier judged passage answers the question.
    pub is_answered: bool,
}

impl ShownPassage<'_> {
    /// Returns the passage's text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.document.text[self.range.as_range()]
    }

    /// Returns its sentences, table rows, list items and lines of code in order, as byte ranges of the document, from
    /// which evidence is selected by number.
    #[must_use]
    pub fn pieces(&self) -> Vec<ByteRange> {
        let at = self.range.start;
        let pieces = sentences::split(self.text()).into_iter();
        pieces.map(|piece| ByteRange::new(at + piece.range.start, at + piece.range.end)).collect()
    }
}

/// A decision about a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PassageJudgment {
    /// The relevance grade of its document: 0 not relevant, [`super::ANSWERS`] answers the
    /// question.
    Grade(i32),
    /// No judgment.
    Skip,
    /// Enough passages of this question: the rest is not judged.
    Enough,
    /// Nothing in the documents answers the question.
    Unanswerable,
    /// Repeat the last judgment.
    Back,
    /// Stop the session.
    Stop,
}

/// A reply to a request, or one of the two ways to leave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnnotatorReply<T> {
    /// The requested value.
    Given(T),
    /// Judge the passage again.
    Back,
    /// Stop the session.
    Stop,
}

/// The words of a document that answer a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quote {
    /// This byte range of the document.
    Range(ByteRange),
    /// Every occurrence of these words.
    Words(String),
    /// The document as a whole, without a quote.
    Whole,
}

/// A quote that does not occur in the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused<'a> {
    /// The words.
    pub words: &'a str,
    /// The nearest passage of the document.
    pub nearest: Option<ByteRange>,
}

/// A request for the short answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WantedAnswer<'a> {
    /// Known wordings that do not occur in this passage's evidence; another wording is requested, if there is
    /// one.
    pub known: &'a [String],
    /// The previous answer, which does not occur in the evidence either; given again, it is accepted.
    pub refused: Option<&'a str>,
}

/// A decision about a question that no shown passage answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closing {
    /// Nothing in the documents answers it.
    Unanswerable,
    /// Unknown: the question remains without an answer.
    Open,
    /// Repeat the last judgment.
    Back,
    /// Stop the session.
    Stop,
}

/// Judges passages, one at a time.
///
/// Contract: an annotator repeats a request itself until the input is valid; an error means that it is unavailable. The next
/// request depends on the reply. [`PassageJudgment::Back`] at a question's first passage, and
/// [`PassageJudgment::Unanswerable`] if a passage answers ([`ShownPassage::is_answered`]), have no effect: the passage is
/// shown again.
pub trait Annotator {
    /// Judges a passage.
    fn judge(&mut self, shown: &ShownPassage<'_>) -> io::Result<PassageJudgment>;

    /// Returns the words of the document of `shown` that answer the question, after a grade that says so. Called again with
    /// `refused` until the words occur in the document.
    fn quote(
        &mut self,
        shown: &ShownPassage<'_>,
        refused: Option<Refused<'_>>,
    ) -> io::Result<AnnotatorReply<Quote>>;

    /// Asks for the short answer: wordings as they occur in the evidence, `yes` or `no`, or none for a free-form answer.
    fn answer(
        &mut self,
        shown: &ShownPassage<'_>,
        wanted: WantedAnswer<'_>,
    ) -> io::Result<AnnotatorReply<Vec<String>>>;

    /// Decides about a question that no shown passage answers.
    fn close(&mut self, _question: &Question) -> io::Result<Closing> {
        Ok(Closing::Open)
    }
}
