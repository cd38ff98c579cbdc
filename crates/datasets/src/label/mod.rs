//! Labelling: passages pooled from several retrievers, judged without showing which retriever found them.
//!
//! [`label`] takes questions and their pools, asks an [`Annotator`] about one passage at a time, and appends each finished
//! question to a native `questions.jsonl`: graded documents, answering quotes, the answer. The annotator is a person at a
//! terminal (`src/dataset/terminal.rs`; input is parsed by [`command`] and displayed by `report/labelling.rs`). [`agreement`]
//! compares the judgments of two annotators.
//!
//! Nothing here prints, or knows the retriever or the rank of a passage, except for ordering the passages.

mod annotator;
mod evidence;
mod judging;
mod order;
mod session;

pub mod agreement;
pub mod command;

#[cfg(test)]
mod tests;

pub use annotator::{
    Annotator, AnnotatorReply, Closing, LabelProgress, PassageJudgment, Quote, Refused,
    ShownPassage, WantedAnswer,
};
pub use order::{Order, candidates_first, without_same_id};
pub use session::{LabelCounts, Labelling, Stopped, label};

/// The grade of a document that answers the question.
pub const ANSWERS: i32 = 3;
