//! Labelling: passages pooled from several retrievers, judged without showing which retriever found them.
//!
//! [`label`] takes questions and their pools, asks a person for one line after another, and appends each finished question to a
//! native `questions.jsonl`: graded documents, answering quotes, the answer. Nothing here prints: the caller shows each [`Prompt`]
//! and returns the line that is typed.
//!
//! Nothing here knows the retriever or the rank of a passage, except for ordering the passages.

mod evidence;
mod judging;
mod order;
mod session;

#[cfg(test)]
mod tests;

use std::io;

pub use order::candidates_first;
pub use session::{LabelCounts, Stopped, label};

use ragtriage_core::text::sentences;
use ragtriage_core::types::{ByteRange, Document, Question};

/// The grade of a document that answers the question.
pub const ANSWERS: i32 = 3;

/// The commands, a line each, with a tab before their descriptions; in help order.
pub const COMMANDS: &str = include_str!("commands.txt");

/// What a person is shown before a line is read.
#[derive(Clone, Copy, Debug)]
pub enum Prompt<'a> {
    /// A passage to judge.
    Passage(&'a ShownPassage<'a>),
    /// The whole document of the passage that is still to be judged.
    Document(&'a ShownPassage<'a>),
    /// The commands.
    Help,
    /// The typed line is no command.
    UnknownCommand(&'a str),
    /// There is no passage of this session to go back to.
    FirstPassage,
    /// The question is not unanswerable.
    AlreadyAnswered,
    /// The words of the passage's document that answer; after words that do not occur there, with these.
    Words(&'a ShownPassage<'a>, Option<Refused<'a>>),
    /// Help on giving words.
    WordsHelp,
    /// The next line of words that come in several; an empty one ends them.
    MoreWords,
    /// The short answer: wordings as they occur in the evidence, `yes` or `no`, or none for a free-form answer.
    Answer(WantedAnswer<'a>),
    /// Help on giving an answer.
    AnswerHelp,
    /// The end of a question that no shown passage answers.
    Close(&'a Question),
}

/// Shows a prompt and returns the line that is typed, without its end; `None` at the end of the input.
pub type Ask<'a> = dyn FnMut(Prompt<'_>) -> io::Result<Option<String>> + 'a;

/// The reason that a request has no reply.
#[derive(Debug)]
enum Interrupt {
    /// Go back: from the first passage to the previous question.
    Back,
    /// Stop the session.
    Stop,
    /// Nothing can be read.
    Failed(io::Error),
}

impl From<io::Error> for Interrupt {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

fn line(ask: &mut Ask<'_>, prompt: Prompt<'_>) -> Result<String, Interrupt> {
    ask(prompt)?.ok_or(Interrupt::Stop)
}

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
    /// True if a judged passage answers the question.
    pub is_answered: bool,
    /// The grade that it was given before.
    pub judged: Option<i32>,
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
        pieces.map(|piece| ByteRange::new(at + piece.start, at + piece.end)).collect()
    }
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
