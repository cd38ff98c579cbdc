//! The error of this crate, with a hint.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::Path;

use crate::http::{Error as HttpError, Kind};
use ragtriage_core::hint::Hint;
use ragtriage_core::text::causes::with_causes;

/// An error of a download or an installation.
#[derive(Debug)]
pub struct Error {
    message: String,
    hint: Option<String>,
    /// True if another source would fail for the same reason.
    pub(crate) is_local: bool,
    pub(crate) is_transient: bool,
    /// The status of an HTTP response.
    pub(crate) status: Option<u16>,
    source: Option<io::Error>,
}

impl Error {
    pub(crate) fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: Some(hint.into()),
            is_local: false,
            is_transient: false,
            status: None,
            source: None,
        }
    }

    /// Creates an error of this machine: another source would fail for the same reason.
    pub(crate) fn local(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { is_local: true, ..Self::new(message, hint) }
    }

    /// Returns a closure for `map_err` that creates the error of reading or writing `path`.
    pub(crate) fn disk(path: &Path) -> impl Fn(io::Error) -> Self + Copy {
        move |source| Self {
            source: Some(source),
            ..Self::local(
                format!("cannot read or write `{}`", path.display()),
                "check the free disk space and the permissions of the folder",
            )
        }
    }

    /// Takes over the message and the hint of another crate's error.
    pub(crate) fn of(error: &(impl StdError + Hint)) -> Self {
        Self { hint: error.hint(), ..Self::new(with_causes(error), "") }
    }

    /// Takes over a failed transfer.
    pub(crate) fn http(error: &HttpError) -> Self {
        let status = match error.kind {
            Kind::Status(status) => Some(status),
            _ => None,
        };
        Self { is_transient: error.is_transient(), status, ..Self::of(error) }
    }

    /// Returns the error with `hint` in place of a missing one.
    pub(crate) fn or_hint(self, hint: &str) -> Self {
        Self { hint: self.hint.or_else(|| Some(hint.to_owned())), ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_ref().map(|source| source as &(dyn StdError + 'static))
    }
}

impl Hint for Error {
    fn hint(&self) -> Option<String> {
        self.hint.clone()
    }
}
