//! Errors of calling a RAG service, or of reading its response.
//!
//! Messages never contain a key, or a URL's user info and query, including where a service repeats
//! them.

use crate::llm::policy::CallError;
use ragtriage_core::hint::Hint;
use ragtriage_core::types::ErrorKind;
use ragtriage_http::{HttpError, Retry};

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
    /// A setting with an invalid value.
    #[error("`external.{setting}` {reason}")]
    BadSetting { setting: String, reason: String },
    /// A response that the configured pointers do not fit.
    #[error("the response of `{url}` {reason}")]
    Unmapped { url: String, reason: String },
    /// A response that reports an error to a request with contexts.
    #[error("`{url}` failed: {reason}")]
    Failed { url: String, reason: String },
    /// A response of an unexpected structure.
    #[error("the answer of {reason}")]
    Unreadable { reason: String },
    /// A response to a different question.
    #[error("`{url}` was asked `{asked}` and answered `{answered}`")]
    OtherQuestion { url: String, asked: String, answered: String },
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
    pub(super) fn bad_setting(setting: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::BadSetting { setting: setting.into(), reason: reason.into() }
    }

    /// Returns its cause, as recorded in a trace.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Http(error) => error.kind(),
            _ => ErrorKind::Permanent,
        }
    }
}

impl CallError for ServiceError {
    fn verdict(&self) -> Retry {
        match self {
            Self::Http(HttpError::Status { status: 429, retry_after, .. }) => {
                Retry::Limited(*retry_after)
            }
            Self::Http(error) => error.verdict(),
            _ => Retry::Stop,
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
            HttpError::BadHeaderName { name } => {
                Self::bad_setting("headers_env", format!("has the invalid header name `{name}`"))
            }
            HttpError::BadHeaderValue { name } => Self::bad_setting(
                "headers_env",
                format!("contains characters that are not allowed in a header (in {name})"),
            ),
            error => Self::Http(error),
        }
    }
}

impl Hint for ServiceError {
    fn hint(&self) -> Option<String> {
        let hint: Option<&'static str> = match self {
            Self::BadUrl { .. } => Some("write it like `http://localhost:8080/ask`"),
            Self::BadKey => Some("check the variable for a line feed at its end"),
            Self::BadSetting { .. } => {
                Some("the documentation shows requests and responses of common servers")
            }
            Self::Unmapped { .. } => {
                Some("compare the pointers of `external` with a response of the service")
            }
            Self::Http(error @ HttpError::KeyInClear { .. }) => return error.hint(),
            _ => None,
        };
        hint.map(str::to_owned)
    }
}
