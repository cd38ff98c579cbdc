//! The error of a configuration, a run or a sweep. Errors of single questions are recorded in their traces instead.

use std::error::Error as StdError;
use std::fmt;
use std::path::Path;

use ragtriage_bm25::IndexFileError;
use ragtriage_core::chunk::ChunkError;
use ragtriage_core::config::OutOfRange;
use ragtriage_core::hint::Hint;
use ragtriage_core::text::causes::with_causes;
use ragtriage_core::types::ErrorKind;
use ragtriage_encoder::checkpoint::CheckpointError;
use ragtriage_models::cache::CacheError;
use ragtriage_models::embed::EmbedError;
use ragtriage_models::llm::LlmError;
use ragtriage_models::rerank::RerankError;
use ragtriage_models::service::ServiceError;
use ragtriage_runs::StoreError;
use ragtriage_runs::external::ExternalError;
use ragtriage_vectors::{ExistingError, IndexError};

/// Where the keys of a configuration are listed.
pub(crate) const SEE_DEFAULTS: &str = "`ragtriage config show` shows every key with its default";
const SEE_SCHEMA: &str = "fix the key named above; `ragtriage schema config` documents every key";

/// What a caller distinguishes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A setting: its key, its value, or its combination with others.
    Setting,
    /// A configuration file that does not exist.
    NoFile,
    /// A model of this machine that cannot be used.
    Model,
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

macro_rules! from {
    ($($source:ty: $kind:ident, $hint:expr, $cause:expr;)*) => {$(
        impl From<$source> for Error {
            fn from(error: $source) -> Self {
                let cause: fn(&$source) -> ErrorKind = $cause;
                Self::of(Kind::$kind, cause(&error), &error).or_hint($hint)
            }
        }
    )*};
}

from! {
    EmbedError: Model, SEE_SCHEMA, EmbedError::kind;
    RerankError: Model, SEE_SCHEMA, RerankError::kind;
    CheckpointError: Model, SEE_SCHEMA, |_| ErrorKind::Permanent;
    LlmError: Other, SEE_DEFAULTS, LlmError::kind;
    ServiceError: Other, SEE_DEFAULTS, ServiceError::kind;
    ExternalError: Other, SEE_DEFAULTS, |_| ErrorKind::Permanent;
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Self::of(Kind::Other, ErrorKind::Permanent, &error)
    }
}

impl From<ChunkError> for Error {
    fn from(error: ChunkError) -> Self {
        Self::of(Kind::Setting, ErrorKind::Permanent, &error)
    }
}

impl From<IndexError> for Error {
    fn from(error: IndexError) -> Self {
        ExistingError::from(error).into()
    }
}

impl From<ExistingError> for Error {
    fn from(error: ExistingError) -> Self {
        let ends = matches!(
            error,
            ExistingError::Call(IndexError::Gone { .. }) | ExistingError::Changed { .. }
        );
        let kind = if ends { Kind::EndsRun } else { Kind::Other };
        let error = Self::of(kind, error.kind(), &error).or_hint(SEE_SCHEMA);
        if !ends {
            return error;
        }
        let hint = error.hint.unwrap_or_default();
        let more = "with `--resume` and the run's name, finished questions are kept";
        Self { hint: Some(format!("{hint}; {more}")), ..error }
    }
}

impl From<CacheError> for Error {
    fn from(error: CacheError) -> Self {
        let hint = error.hint().unwrap_or_default();
        Self::other(with_causes(&error)).with_hint(format!(
            "{hint}, but its responses are paid for again; use `--no-cache` to run without the cache"
        ))
    }
}

impl From<OutOfRange> for Error {
    fn from(error: OutOfRange) -> Self {
        Self::setting(error.to_string()).with_hint(SEE_DEFAULTS)
    }
}

impl From<IndexFileError> for Error {
    fn from(error: IndexFileError) -> Self {
        Self::other(with_causes(&error))
            .with_hint("set `cache.dir` to a writable folder with free space")
    }
}
