//! Floor 5, labelling: passages pooled from several retrievers, judged by somebody who is not told which found what.
//!
//! [`label`] takes questions and their pools, asks an [`Annotator`] about one passage at a time, and appends each question to
//! one's own `questions.jsonl` as it is done: graded documents, the quotes that answer, the answer. Annotators are a person at
//! a terminal (`cli/dataset/terminal.rs`, with what is typed parsed by [`command`] and shown by `report/labelling.rs`) and a
//! file of judgments ([`QrelsAnnotator`]). [`agreement`] holds what two of them judged against one another.
//!
//! Nothing here prints, or knows which retriever found a passage or where it ranked it, beyond putting passages in order.

mod annotator;
mod error;
mod evidence;
mod judging;
mod order;
mod qrels;
mod session;

pub mod agreement;
pub mod command;

#[cfg(test)]
mod tests;

pub use annotator::{
    Annotator, AnnotatorReply, Closing, LabelProgress, PassageJudgment, Quote, Refused,
    ShownPassage, WantedAnswer,
};
pub use error::LabelError;
pub use order::{Order, without_same_id};
pub use qrels::QrelsAnnotator;
pub use session::{LabelCounts, Labelling, Stopped, label};

/// The grade of a document that answers the question.
pub const ANSWERS: i32 = 3;
