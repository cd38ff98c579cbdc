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

use ragtriage_core::hint::Hint;
use std::path::{Path, PathBuf};

pub use file::{PRIVATE, SHARED, open_file, read_file, read_text, write_file};
pub use folder::RunFolder;
pub use lines::LineWriter;
pub use manifest::{
    ApproximateIndex, ExternalSource, Manifest, ModelRecord, SCHEMA, SettingDifference, Truncation,
    deciding,
};
pub use private::{is_private, shown};
pub use saved::SavedRun;
pub use spent::Spent;

/// Errors of writing or reading a run's files.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The run's name is in use.
    #[error("run folder `{}` already exists", path.display())]
    Exists {
        /// The folder.
        path: PathBuf,
    },
    /// A name that is not a plain file name.
    #[error("invalid run name `{name}`: use letters, digits, `.`, `_` and `-`")]
    BadName {
        /// The given name.
        name: String,
    },
    /// Another process is writing this run.
    #[error("`{}` is being written by another process", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// An I/O error.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// The attempted operation.
        action: &'static str,
        /// The path.
        path: PathBuf,
        /// The I/O error.
        source: std::io::Error,
    },
    /// A corrupted line or file.
    #[error("`{}` line {line} is damaged: {source}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The JSON error.
        source: serde_json::Error,
    },
    /// A line or file with another checksum than when it was written.
    #[error("`{}` line {line} is damaged: its content does not match its checksum", path.display())]
    WrongChecksum {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// Passages named in traces are missing.
    #[error("`{}` lacks {n_missing} passages that the run's traces name", path.display())]
    MissingPassages {
        /// The passages' file.
        path: PathBuf,
        /// Number of dangling references.
        n_missing: usize,
    },
    /// A passage that the file holds twice, with different contents.
    #[error("`{}` has two passages `{id}` with different contents", path.display())]
    TwoPassages {
        /// The passages' file.
        path: PathBuf,
        /// The passage.
        id: Box<str>,
    },
    /// A finished run without the traces of some of its questions.
    #[error("`{}` lacks {n_missing} of the {n_questions} questions of a finished run", path.display())]
    MissingTraces {
        /// The traces' file.
        path: PathBuf,
        /// Number of missing questions.
        n_missing: usize,
        /// Number of questions of the run.
        n_questions: usize,
    },
    /// A configuration with settings of another version.
    #[error("`{}` holds settings that this version does not read: {source}", path.display())]
    UnknownSettings {
        /// The manifest.
        path: PathBuf,
        /// The first unknown setting's error.
        source: serde_json::Error,
    },
    /// A run of another version.
    #[error("`{}` has schema {found}, this program reads {SCHEMA}", path.display())]
    OtherSchema {
        /// The manifest.
        path: PathBuf,
        /// Its schema.
        found: u32,
    },
}

impl StoreError {
    /// Returns a closure that creates the error of a failed `action` on `path`.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl Fn(std::io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_owned(), source }
    }
}

impl Hint for StoreError {
    fn hint(&self) -> Option<String> {
        let hint: Option<&'static str> = match self {
            Self::Exists { .. } => Some("choose another name, or resume that run"),
            Self::InUse { .. } => Some("wait until it ends, or choose another name"),
            Self::BadName { .. } => Some("choose another name"),
            Self::Damaged { .. } => {
                Some("repair or delete that line, or start a new run; nothing was changed")
            }
            Self::WrongChecksum { .. } => {
                Some("restore the file, or start a new run; if you edited it, delete `crc32` there")
            }
            Self::Io { source, .. } => match source.kind() {
                std::io::ErrorKind::StorageFull
                | std::io::ErrorKind::FileTooLarge
                | std::io::ErrorKind::QuotaExceeded => {
                    Some("free some disk space; finished questions are kept")
                }
                std::io::ErrorKind::PermissionDenied => {
                    Some("check the permissions, or choose another folder")
                }
                std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory => {
                    Some("check the path: a run is a folder with a file run.json")
                }
                std::io::ErrorKind::InvalidInput => Some("restore the whole folder, or run again"),
                _ => Some("check that the folder exists and is writable, or choose another"),
            },
            Self::MissingPassages { .. } | Self::TwoPassages { .. } => {
                Some("restore the whole folder, or run again")
            }
            Self::MissingTraces { .. } => {
                Some("restore the whole folder, or resume the run to ask the missing questions")
            }
            Self::UnknownSettings { .. } | Self::OtherSchema { .. } => {
                Some("run again with this version")
            }
        };
        hint.map(str::to_owned)
    }
}
