//! The error of a model, a cache or an endpoint.
//!
//! Messages never contain a key, a header's value, or a URL's user info and query: URLs are redacted and excerpts cleaned
//! when the error is created.

use std::time::Duration;

use crate::http::{CallError, Retry};
use ragtriage_core::hint::Hint;
use ragtriage_core::types::ErrorKind;
use ragtriage_encoder::checkpoint::CheckpointError;

/// An error of a call, or of creating what makes it.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// Its cause, as recorded in a trace.
    pub kind: ErrorKind,
    /// True if a spending limit is reached: no further call is allowed.
    pub is_spent: bool,
    /// True if the provider's content filter rejected the prompt; others may pass.
    pub is_refusal: bool,
    /// True if the server may have produced an answer that was not received.
    pub(crate) may_be_billed: bool,
    pub(crate) retry: Retry,
    pub(crate) hint: Option<Box<str>>,
    pub(crate) message: Box<str>,
    pub(crate) source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Creates an error that no further call fixes.
    pub(crate) fn new(message: impl Into<Box<str>>) -> Self {
        Self {
            kind: ErrorKind::Permanent,
            is_spent: false,
            is_refusal: false,
            may_be_billed: false,
            retry: Retry::Stop,
            hint: None,
            message: message.into(),
            source: None,
        }
    }

    /// Creates the error of `model` that `returned` something other than its contract says.
    #[must_use]
    pub fn contract(model: &str, returned: &str) -> Self {
        Self::new(format!("`{model}` returned {returned}"))
    }

    pub(crate) fn hinting(self, hint: impl Into<Box<str>>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    pub(crate) fn caused_by(self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self { source: Some(Box::new(source)), ..self }
    }
}

impl CallError for Error {
    fn retry(&self) -> Retry {
        self.retry
    }

    fn after(self, n_calls: u32) -> Self {
        Self { message: format!("after {n_calls} tries: {}", self.message).into(), ..self }
    }

    fn deadline_passed(deadline: Duration) -> Self {
        crate::http::Error::deadline_passed(deadline).into()
    }
}

impl Hint for Error {
    fn hint(&self) -> Option<String> {
        self.hint.as_deref().map(str::to_owned)
    }
}

impl From<crate::http::Error> for Error {
    fn from(error: crate::http::Error) -> Self {
        Self {
            kind: error.trace_kind(),
            may_be_billed: error.may_be_billed(),
            retry: error.retry(),
            hint: error.hint().map(Into::into),
            ..Self::new(error.to_string()).caused_by(error)
        }
    }
}

impl From<CheckpointError> for Error {
    fn from(error: CheckpointError) -> Self {
        Self { hint: error.hint().map(Into::into), ..Self::new(error.to_string()).caused_by(error) }
    }
}

impl From<tokio::task::JoinError> for Error {
    /// The thread of a model or a cache panicked, or the runtime is shutting down.
    fn from(error: tokio::task::JoinError) -> Self {
        Self::new("the work was interrupted").caused_by(error)
    }
}
