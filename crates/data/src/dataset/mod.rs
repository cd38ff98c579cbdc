//! Data sets: loaded, written, linted and labelled.
//!
//! [`load`] reads a data set in any of six layouts, [`inspect`] returns every error of it. [`asked`] loads
//! questions without labels, [`anchor`] labels questions by their reference answers, [`Appended`] appends labelled ones to
//! questions.jsonl, [`question_line`] writes one question. Downloads are in `fetch`.

pub mod anchor;
pub mod label;
pub mod lint;

mod digest;
mod draft;
mod load;
mod mapped;
pub mod nearest;
mod read;
mod survey;

mod beir;
mod files;
pub mod globs;
pub(crate) mod hotpotqa;
mod jsonl;
mod smart;
mod squad;

mod appended;
mod line;

#[cfg(test)]
mod testing;

pub use crate::error::{Error, Kind, Place};
pub use appended::Appended;
pub use files::has_document;
pub use line::question_line;
pub use load::{
    Candidates, Inspection, asked, documents, inspect, load, load_with, questions_file,
};
pub use survey::{Survey, survey};
