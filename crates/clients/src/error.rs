//! The error of a call, a download, a model or a cache.
//!
//! Messages never contain a key, a header's value, or a URL's user info and query: URLs are redacted and excerpts cleaned
//! when the error is created.

use std::path::Path;
use std::time::Duration;
use std::{fmt, io};

use ragtriage_core::hint::Hint;
use ragtriage_core::types::ErrorKind;
use ragtriage_encoder::checkpoint::CheckpointError;

/// An error of a call, or of creating what makes it.
#[derive(Debug)]
pub struct Error {
    /// Its cause, as recorded in a trace.
    pub kind: ErrorKind,
    /// True if a spending limit is reached: no further call is allowed.
    pub is_spent: bool,
    /// True if the provider's content filter rejected the prompt; others may pass.
    pub is_refusal: bool,
    /// The fault of the call; `None` for an error of this machine, or of the content of an answer.
    pub(crate) fault: Option<Fault>,
    /// The wait that the server asks for before another call.
    pub(crate) wait: Option<Duration>,
    pub(crate) hint: Option<Box<str>>,
    pub(crate) message: Box<str>,
    pub(crate) source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

/// What went wrong with a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// No connection could be made.
    Unreachable,
    /// The connection was interrupted.
    Interrupted,
    /// No answer in time.
    TimedOut,
    /// The server's certificate is not trusted.
    Untrusted,
    /// A redirect that is not followed.
    Redirected,
    /// An error status.
    Status(u16),
    /// The request is larger than the server or its model takes.
    RequestTooLarge,
    /// The provider's content filter rejected the prompt.
    Refused,
    /// The server rejects every such request, for this reason.
    Rejected(ErrorKind),
    /// An answer above the maximum size.
    AnswerTooLarge,
    /// An answer of another form.
    Unreadable,
}

impl Error {
    /// Creates an error that no further call fixes.
    pub(crate) fn new(message: impl Into<Box<str>>) -> Self {
        Self {
            kind: ErrorKind::Permanent,
            is_spent: false,
            is_refusal: false,
            fault: None,
            wait: None,
            hint: None,
            message: message.into(),
            source: None,
        }
    }

    /// Creates the error of a call.
    pub(crate) fn of(fault: Fault, message: impl Into<Box<str>>) -> Self {
        let kind = match fault {
            Fault::Unreachable => ErrorKind::Unreachable,
            Fault::Interrupted | Fault::TimedOut => ErrorKind::Transient,
            Fault::Status(status) if is_transient_status(status) => ErrorKind::Transient,
            Fault::RequestTooLarge => ErrorKind::TooLong,
            Fault::Rejected(kind) => kind,
            _ => ErrorKind::Permanent,
        };
        let is_refusal = fault == Fault::Refused;
        Self { kind, is_refusal, fault: Some(fault), ..Self::new(message) }
    }

    /// Creates the error of `model` that `returned` something other than its contract says.
    #[must_use]
    pub fn contract(model: &str, returned: &str) -> Self {
        Self::new(format!("`{model}` returned {returned}"))
    }

    /// Returns a closure for `map_err` that creates the error of reading or writing `path`.
    pub(crate) fn disk(path: &Path) -> impl Fn(io::Error) -> Self + Copy {
        move |source| {
            Self::new(format!("cannot read or write `{}`", path.display()))
                .hinting("check the free disk space and the permissions of the folder")
                .caused_by(source)
        }
    }

    /// Takes over the message and the hint of another crate's error.
    pub(crate) fn from_other(error: impl std::error::Error + Hint + Send + Sync + 'static) -> Self {
        Self { hint: error.hint().map(Into::into), ..Self::new(error.to_string()).caused_by(error) }
    }

    pub(crate) fn hinting(self, hint: impl Into<Box<str>>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    /// Adds a hint if there is none.
    pub(crate) fn or_hint(self, hint: &str) -> Self {
        Self { hint: self.hint.or_else(|| Some(hint.into())), ..self }
    }

    pub(crate) fn caused_by(self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self { source: Some(Box::new(source)), ..self }
    }

    /// Returns the error of the last of several calls.
    pub(crate) fn after(self, n_calls: u32) -> Self {
        Self { message: format!("after {n_calls} tries: {}", self.message).into(), ..self }
    }

    /// Creates the error of a first call that did not end before the deadline.
    pub(crate) fn deadline_passed(deadline: Duration) -> Self {
        let seconds = deadline.as_secs_f64();
        Self::of(Fault::TimedOut, format!("no response within the deadline of {seconds} s"))
    }

    /// Returns true if another call may succeed.
    pub(crate) fn is_transient(&self) -> bool {
        matches!(self.kind, ErrorKind::Unreachable | ErrorKind::Transient)
    }

    /// Returns true if the server rejected the call because of its rate.
    pub(crate) fn is_limited(&self) -> bool {
        self.fault == Some(Fault::Status(429))
    }

    /// Returns true if the server may have produced an answer that was not received.
    pub(crate) fn may_be_billed(&self) -> bool {
        matches!(
            self.fault,
            Some(Fault::TimedOut | Fault::Interrupted | Fault::Unreadable | Fault::AnswerTooLarge)
        )
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(self.source.as_deref()? as _)
    }
}

impl Hint for Error {
    fn hint(&self) -> Option<String> {
        self.hint.as_deref().map(str::to_owned)
    }
}

impl From<CheckpointError> for Error {
    fn from(error: CheckpointError) -> Self {
        Self::from_other(error)
    }
}

impl From<tokio::task::JoinError> for Error {
    /// The thread of a model or a cache panicked, or the runtime is shutting down.
    fn from(error: tokio::task::JoinError) -> Self {
        Self::new("the work was interrupted").caused_by(error)
    }
}

/// Returns true for a status that may change a moment later: 408, 429, and the 5xx except 501 and 505, which mean that
/// the server cannot do what was asked (RFC 9110, section 15.6).
pub(crate) fn is_transient_status(status: u16) -> bool {
    matches!(status, 408 | 429 | 500 | 502..=504 | 506..=599)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_busy_or_failing_may_recover_and_a_refusal_does_not() {
        for status in [408, 429, 500, 502, 503, 504, 529] {
            assert!(is_transient_status(status), "{status}");
        }
        for status in [200, 307, 400, 401, 404, 413, 422, 424, 501, 505] {
            assert!(!is_transient_status(status), "{status}");
        }
    }
}
