//! Why a RAG service could not be asked, or gave no answer that can be read.
//!
//! No message holds a key, or a URL's user info and query, nor what a service repeats of them.

use ragtriage_core::hint::Hint;
use ragtriage_core::types::ErrorKind;
use ragtriage_http::HttpError;

/// Why one question got no answer, or the service cannot be asked at all.
#[derive(Debug, thiserror::Error)]
#[allow(
    missing_docs,
    reason = "the fields are what the message shows: a redacted URL, an HTTP status, an excerpt"
)]
pub enum ServiceError {
    /// No answer to be had.
    #[error(transparent)]
    Http(HttpError),
    /// An address that is none.
    #[error("`external.url` {reason}")]
    BadUrl { reason: String },
    /// A key that no header may hold.
    #[error("`external.api_key_env` names a key with characters that are not allowed in a header")]
    BadKey,
    /// An answer of another form.
    #[error("the answer of {reason}")]
    Unreadable { reason: String },
    /// An answer to another question.
    #[error("`{url}` was asked `{asked}` and answered `{answered}`")]
    OtherQuestion {
        url: String,
        asked: String,
        answered: String,
    },
    /// An answer without an answer.
    #[error(
        "`{url}` gave contexts and no `answer`; `generation.generator = \"none\"` is for a service that only retrieves"
    )]
    NoAnswer { url: String },
    /// A record that does not have the question.
    #[error("no recorded answer for this question")]
    NotRecorded,
}

impl ServiceError {
    /// Its cause, as a trace keeps it.
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
