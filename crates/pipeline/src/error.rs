//! The error of a configuration, a run or a sweep. Errors of single questions are recorded in their traces instead.

use std::error::Error as StdError;
use std::fmt;
use std::path::Path;

use ragtriage_bm25::IndexFileError;
use ragtriage_clients::Error as ModelError;
use ragtriage_core::config::OutOfRange;
use ragtriage_core::hint::Hint;
use ragtriage_core::text::causes::with_causes;
use ragtriage_core::types::ErrorKind;
use ragtriage_encoder::checkpoint::CheckpointError;
use ragtriage_vectors::{Error as VectorError, Kind as VectorErrorKind};

/// Where the keys of a configuration are listed.
pub(crate) const SEE_SCHEMA: &str = "`ragtriage schema config` documents every key";

/// What a caller distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A setting: its key, its value, or its combination with others.
    Setting,
    /// A limit of cost or tokens was reached.
    Limit,
    /// Every other question would fail as well: a collection was deleted, or is no longer the one that was read.
    EndsRun,
    /// Anything else.
    Other,
}

/// An error of a configuration, a run or a sweep.
#[derive(Clone, Debug)]
pub struct Error {
    /// What a caller distinguishes.
    pub kind: Kind,
    /// Its cause, as a trace records it.
    pub(crate) cause: ErrorKind,
    message: String,
    hint: Option<String>,
}

impl Error {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, cause: ErrorKind::Permanent, message: message.into(), hint: None }
    }

    pub(crate) fn other(message: impl Into<String>) -> Self {
        Self::new(Kind::Other, message)
    }

    /// A setting that cannot be used.
    pub(crate) fn setting(message: impl Into<String>) -> Self {
        Self::new(Kind::Setting, message)
    }

    /// A failed operation on a file.
    pub(crate) fn io(action: &str, path: &Path, source: &std::io::Error) -> Self {
        Self::other(format!("cannot {action} `{}`: {source}", path.display()))
    }

    /// A question's task that panicked.
    pub(crate) fn panicked() -> Self {
        Self::other("a question ended in a panic, which is a defect of ragtriage; please report it")
            .with_hint("finished questions are kept; continue with `--resume` and the run's name")
    }

    pub(crate) fn with_hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Adds a hint if there is none.
    pub(crate) fn or_hint(self, hint: &str) -> Self {
        Self { hint: self.hint.or_else(|| Some(hint.to_owned())), ..self }
    }

    /// An error of a setting that `[sweep]` sets.
    pub(crate) fn in_sweep(self) -> Self {
        let lists = "a setting that is a list itself needs a list of lists: `retrieval.retrievers = [[\"bm25\"], [\"bm25\", \"dense\"]]`";
        let hint = self.hint.map_or_else(|| lists.to_owned(), |hint| format!("{hint}; {lists}"));
        Self { message: format!("`[sweep]`: {}", self.message), hint: Some(hint), ..self }
    }

    fn of(kind: Kind, cause: ErrorKind, error: &(impl StdError + Hint)) -> Self {
        Self { kind, cause, message: with_causes(error), hint: error.hint() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for Error {}

impl Hint for Error {
    fn hint(&self) -> Option<String> {
        self.hint.clone()
    }
}

impl From<ModelError> for Error {
    fn from(error: ModelError) -> Self {
        let kind = if error.is_spent { Kind::Limit } else { Kind::Other };
        Self::of(kind, error.kind, &error).or_hint(SEE_SCHEMA)
    }
}

impl From<CheckpointError> for Error {
    fn from(error: CheckpointError) -> Self {
        Self::of(Kind::Other, ErrorKind::Permanent, &error).or_hint(SEE_SCHEMA)
    }
}

impl From<ragtriage_data::run::Error> for Error {
    fn from(error: ragtriage_data::run::Error) -> Self {
        Self::of(Kind::Other, ErrorKind::Permanent, &error)
    }
}

impl From<ragtriage_core::Error> for Error {
    fn from(error: ragtriage_core::Error) -> Self {
        Self::of(Kind::Setting, ErrorKind::Permanent, &error)
    }
}

impl From<VectorError> for Error {
    fn from(error: VectorError) -> Self {
        let ends = error.kind == VectorErrorKind::Changed;
        let kind = if ends { Kind::EndsRun } else { Kind::Other };
        let error = Self::of(kind, error.kind.into(), &error).or_hint(SEE_SCHEMA);
        if !ends {
            return error;
        }
        let hint = error.hint.unwrap_or_default();
        let more = "with `--resume` and the run's name, finished questions are kept";
        Self { hint: Some(format!("{hint}; {more}")), ..error }
    }
}

impl From<OutOfRange> for Error {
    fn from(error: OutOfRange) -> Self {
        Self::setting(error.to_string()).with_hint(SEE_SCHEMA)
    }
}

impl From<IndexFileError> for Error {
    fn from(error: IndexFileError) -> Self {
        Self::other(with_causes(&error))
            .with_hint("set `cache.dir` to a writable folder with free space")
    }
}
