//! Data sets: loaded, written, linted and labelled.
//!
//! [`load`] reads a data set in any of six layouts, [`inspect`] reads all of it and collects every error. [`asked`] loads
//! questions without labels, [`anchor`] labels questions by their reference answers, [`Appended`] appends labelled ones to questions.jsonl, [`export`] writes a data set losslessly,
//! [`question_line`] one question. Downloads are in `fetch`.

pub mod anchor;
pub mod label;
pub mod lint;

mod error;
mod guess;
mod nearest;
mod place;
mod spec;

mod digest;
mod draft;
pub mod globs;
mod inspect;
mod inspection;
mod load;
mod parsed_lines;
mod read;
mod survey;
mod texts;

mod beir;
mod hotpotqa;
mod judgments;
mod smart;
mod smart_records;
mod squad;

mod files;
mod front_matter;
mod jsonl;
mod line;
mod questions;
mod record;

mod appended;
mod queries;
mod question_id;

mod export;

pub use appended::Appended;
pub use error::DatasetError;
pub use export::{ExportLayout, Exported, export};
pub use files::has_document;
pub use guess::guess_format;
pub use inspect::inspect;
pub use inspection::{Inspection, RepeatedQuote};
pub use line::question_line;
pub use load::{asked, documents, load, questions_file};
pub use place::Place;
pub use survey::{Survey, survey, survey_of};
pub use texts::DocumentTexts;
