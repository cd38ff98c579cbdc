//! The error of this crate: of a run's files, and of files of other systems.

use std::fmt::{self, Display};
use std::io::{self, ErrorKind};
use std::path::Path;

use ragtriage_core::hint::Hint;

/// A line of an input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Position {
    /// The input's name, as it was given.
    pub file: String,
    /// The line, from 1; `None` if unknown: a JSON text with escapes is not a slice of its file.
    pub line: Option<usize>,
}

impl Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "`{}` line {line}", self.file),
            None => write!(f, "`{}`", self.file),
        }
    }
}

/// Kinds of errors that callers tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The name of a run is in use.
    Exists,
    /// Traces cannot be read, or none of them is a RAG's.
    NotTraces,
    /// Any other.
    Other,
}

/// A message that names file, line and cause, with a hint.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// Its kind.
    pub kind: Kind,
    message: String,
    hint: String,
}

impl Error {
    /// The hint to a record that is none.
    pub(crate) const RECORD: &str = "a line is {\"id\" or \"question\", \"contexts\": [{\"text\", \"doc_id\", \"score\"}] or \"stages\", \"answer\"}; leave out what is not known";

    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { kind: Kind::Other, message: message.into(), hint: hint.into() }
    }

    pub(crate) fn of_kind(self, kind: Kind) -> Self {
        Self { kind, ..self }
    }

    /// Creates the error of a line.
    pub(crate) fn at(position: &Position, message: impl Display, hint: impl Into<String>) -> Self {
        Self::new(format!("{position}: {message}"), hint)
    }

    /// Returns a closure that creates the error of a failed `action` on `path`.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl Fn(io::Error) -> Self {
        move |source| {
            let message = format!("cannot {action} `{}`: {source}", path.display());
            let hint = match source.kind() {
                ErrorKind::StorageFull | ErrorKind::FileTooLarge | ErrorKind::QuotaExceeded => {
                    "free some disk space; finished questions are kept; continue with `--resume`"
                }
                ErrorKind::PermissionDenied => {
                    "check the permissions, or choose another folder with `--out`"
                }
                ErrorKind::NotFound | ErrorKind::NotADirectory => {
                    "check the path: a run is a folder with a file run.json, under evals/runs/ unless `--out` named another folder"
                }
                ErrorKind::InvalidInput => "restore the whole folder, or run again",
                _ => "check that the folder exists and is writable, or choose another with `--out`",
            };
            Self::new(message, hint)
        }
    }

    /// Creates the error of a damaged line or file.
    pub(crate) fn damaged(path: &Path, line: usize, source: &serde_json::Error) -> Self {
        Self::new(
            format!("`{}` line {line} is damaged: {source}", path.display()),
            "repair or delete that line, or start a new run; nothing was changed",
        )
    }

    /// Creates the error of a line or file that was changed.
    pub(crate) fn wrong_checksum(path: &Path, line: usize) -> Self {
        let path = path.display();
        Self::new(
            format!("`{path}` line {line} is damaged: its content does not match its checksum"),
            "restore the file, or start a new run; if you edited it, delete `crc32` there",
        )
    }

    /// Creates the error of a line that is not a JSON object.
    pub(crate) fn json(position: &Position, error: &serde_json::Error) -> Self {
        let (column, reason) = (error.column().max(1), reason(error));
        Self::new(
            format!("{position} column {column}: not a JSON object: {reason}"),
            "write one JSON object per line; JSON has no NaN or Infinity: leave such a score out",
        )
    }

    /// Creates the error of a field of a record.
    pub(crate) fn field(position: &Position, field: &str, expected: impl Display) -> Self {
        Self::at(position, format_args!("`{field}` must be {expected}"), Self::RECORD)
    }
}

impl Hint for Error {
    fn hint(&self) -> Option<String> {
        Some(self.hint.clone())
    }
}

/// Returns the parser's message without its place.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let at = format!(" at line {} column {}", error.line(), error.column());
    message.strip_suffix(&at).unwrap_or(&message).to_owned()
}
