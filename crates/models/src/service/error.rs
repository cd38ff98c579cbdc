//! Errors of calling a RAG service, or of reading its response.
//!
//! Messages never contain a key, or a URL's user info and query, including where a service repeats
//! them.

use ragtriage_core::hint::Hint;
use ragtriage_core::types::ErrorKind;
use ragtriage_http::HttpError;

/// The error of one question, or of calling the service at all.
#[derive(Debug, thiserror::Error)]
#[allow(
    missing_docs,
    reason = "the fields are what the message shows: a redacted URL, an HTTP status, an excerpt"
)]
pub enum ServiceError {
    /// The call failed.
    #[error(transparent)]
    Http(HttpError),
    /// An invalid address.
    #[error("`external.url` {reason}")]
    BadUrl { reason: String },
    /// A key that is not a valid header value.
    #[error("`external.api_key_env` names a key with characters that are not allowed in a header")]
    BadKey,
    /// A response of an unexpected structure.
    #[error("the answer of {reason}")]
    Unreadable { reason: String },
    /// A response to a different question.
    #[error("`{url}` was asked `{asked}` and answered `{answered}`")]
    OtherQuestion {
        url: String,
        asked: String,
        answered: String,
    },
    /// A response without an `answer`.
    #[error(
        "`{url}` gave contexts and no `answer`; `generation.generator = \"none\"` is for a service that only retrieves"
    )]
    NoAnswer { url: String },
    /// A question missing from the record.
    #[error("no recorded answer for this question")]
    NotRecorded,
}

impl ServiceError {
    /// Returns its cause, as recorded in a trace.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Http(error) => error.kind(),
            _ => ErrorKind::Permanent,
        }
    }
}

impl From<HttpError> for ServiceError {
    /// Names the configuration key that caused the error, if any; other errors are passed through
    /// unchanged.
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::BadAddress { reason } => Self::BadUrl { reason },
            HttpError::BadKey => Self::BadKey,
            error => Self::Http(error),
        }
    }
}

impl Hint for ServiceError {
    fn hint(&self) -> Option<String> {
        let hint: Option<&'static str> = match self {
            Self::BadUrl { .. } => Some("write it like `http://localhost:8080/ask`"),
            Self::BadKey => Some("check the variable for a line feed at its end"),
            Self::Http(error @ HttpError::KeyInClear { .. }) => return error.hint(),
            _ => None,
        };
        hint.map(str::to_owned)
    }
}
