//! A run's files: written so that a kill at any moment loses at most the questions in flight, read back as the only
//! input of scoring, attribution and reports.
//!
//! `run.json` (the [`Manifest`]), `traces.jsonl` (one line per question, appended as it finishes), `passages.jsonl` (each passage
//! that a trace names, once), and files derived from these: `summary.json`, `outcomes.jsonl`, the TREC files, `report.html`.
//! Replies of unfinished questions are in `replies.jsonl` ([`replies`]), replies of a judge in `judge.jsonl` ([`judged`]).

mod checksum;
pub mod external;
mod file;
mod folder;
pub mod judged;
mod lines;
mod manifest;
mod private;
pub mod replies;
mod saved;
mod spent;

pub use crate::error::{Error, Kind};
pub use file::{PRIVATE, SHARED, open_file, read_file, read_text, write_file};
pub use folder::RunFolder;
pub use lines::LineWriter;
pub use manifest::{
    ApproximateIndex, ExternalSource, Manifest, ModelRecord, SCHEMA, SettingDifference, Truncation,
    deciding,
};
pub use private::{is_private, shown};
pub use saved::SavedRun;
pub use spent::spent;
