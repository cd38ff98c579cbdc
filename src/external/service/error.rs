//! Why a RAG service could not be asked, or gave no answer that can be read.
//!
//! No message holds a key, or a URL's user info and query, nor what a service repeats of them.

use std::time::Duration;

/// Why one question got no answer, or the service cannot be asked at all.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what the message shows: a redacted URL, an HTTP status, an excerpt")]
pub enum ServiceError {
    /// An address that is none.
    #[error("`external.url` {reason}")]
    BadUrl { reason: String },
    /// A key that no header may hold.
    #[error("`external.api_key_env` names a key with characters that no header may have")]
    BadKey,
    /// A key would go over the network unencrypted.
    #[error("the key would be sent unencrypted to `{host}`")]
    KeyInClear { host: String },
    /// The HTTP client could not be made.
    #[error("cannot make an HTTP client: {reason}")]
    Client { reason: String },
    /// No connection.
    #[error("`{url}` cannot be reached: {reason}")]
    Unreachable { url: String, reason: String },
    /// The connection broke off under way.
    #[error("the connection to `{url}` broke off: {reason}")]
    Broken { url: String, reason: String },
    /// No answer in time.
    #[error("`{url}` gave no answer within {} s", .after.as_secs_f64())]
    TimedOut { url: String, after: Duration },
    /// An error status.
    #[error("`{url}` answered with status {status}: {excerpt}")]
    Status { url: String, status: u16, excerpt: String },
    /// A redirect, which is not followed: question and key would go with it.
    #[error("`{url}` redirects elsewhere: status {status}")]
    Redirected { url: String, status: u16 },
    /// An answer that is too large to be one.
    #[error("the answer of `{url}` is larger than 8 MiB")]
    TooLarge { url: String },
    /// An answer of another form.
    #[error("the answer of {reason}")]
    Unreadable { reason: String },
    /// An answer to another question.
    #[error("`{url}` was asked `{asked}` and answered `{answered}`")]
    OtherQuestion { url: String, asked: String, answered: String },
    /// An answer without an answer.
    #[error(
        "`{url}` gave contexts and no `answer`; `generation.generator = \"none\"` is for a service that only retrieves"
    )]
    NoAnswer { url: String },
    /// A record that does not have the question.
    #[error("nothing is recorded of this question")]
    NotRecorded,
}

impl ServiceError {
    /// Whether the same call may succeed a moment later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. } | Self::Broken { .. } | Self::TimedOut { .. } => true,
            Self::Status { status, .. } => matches!(status, 408 | 429 | 500 | 502 | 503 | 504),
            Self::BadUrl { .. }
            | Self::BadKey
            | Self::KeyInClear { .. }
            | Self::Client { .. }
            | Self::Redirected { .. }
            | Self::TooLarge { .. }
            | Self::Unreadable { .. }
            | Self::OtherQuestion { .. }
            | Self::NoAnswer { .. }
            | Self::NotRecorded => false,
        }
    }

    /// What to do about it, where it concerns the whole service.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::BadUrl { .. } => Some("write it like `http://localhost:8080/ask`"),
            Self::BadKey => Some("check the variable for a line feed at its end"),
            Self::KeyInClear { .. } => Some("use `https`; plain `http` with a key is for this machine only"),
            _ => None,
        }
    }
}
