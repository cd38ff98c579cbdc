//! Why a generator could not be made or a call failed, sorted by what the caller can do next.
//!
//! No message holds a key, a header's value, or a URL's user info and query: URLs are redacted and excerpts cleaned
//! where the error is made.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::template::TemplateError;

/// What the caller can do about a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// Try again later.
    Transient,
    /// Change the settings or the server; the same call fails again.
    Permanent,
    /// Send fewer tokens.
    TooLong,
    /// The provider's filter turned this prompt down; others may pass.
    Refused,
}

/// Why a call failed, or a generator or template could not be made.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the fields are what the message shows: a redacted URL, an HTTP status, an excerpt")]
pub enum LlmError {
    /// No connection.
    #[error("`{url}` cannot be reached: {reason}")]
    Unreachable { url: String, reason: String },
    /// The connection broke off under way.
    #[error("the connection to `{url}` broke off: {reason}")]
    Broken { url: String, reason: String },
    /// No answer in time.
    #[error("`{url}` gave no answer within {} s", .after.as_secs_f64())]
    TimedOut { url: String, after: Duration },
    /// Status 429, 500, 502, 503 or 504.
    #[error("`{url}` is busy or failing: status {status}: {excerpt}")]
    Busy { url: String, status: u16, excerpt: String, retry_after: Option<Duration> },
    /// The server's certificate is not trusted.
    #[error("the certificate of `{url}` is not trusted: {reason}")]
    Untrusted { url: String, reason: String },
    /// A redirect, which is not followed: the key would go with it.
    #[error("`{url}` redirects elsewhere: status {status}")]
    Redirected { url: String, status: u16 },
    /// Any other error status.
    #[error("`{url}` rejected the call: status {status}: {excerpt}")]
    Rejected { url: String, status: u16, excerpt: String },
    /// The prompt exceeds the model's context.
    #[error("the prompt is too long for `{url}`: status {status}: {excerpt}")]
    TooLong { url: String, status: u16, excerpt: String },
    /// The provider's content filter turned the prompt down.
    #[error("`{url}` refused the prompt: status {status}: {excerpt}")]
    Refused { url: String, status: u16, excerpt: String },
    /// An answer that is none of the protocol.
    #[error("the answer of `{url}` cannot be read: {reason}: {excerpt}")]
    Unreadable { url: String, reason: String, excerpt: String },
    /// Still failing after all tries.
    #[error("after {tries} tries: {last}")]
    GaveUp { tries: u32, last: Box<Self> },
    /// The time for one question is over.
    #[error("no answer within the deadline of {} s", .deadline.as_secs_f64())]
    DeadlinePassed { deadline: Duration },
    /// A setting with a value that cannot be.
    #[error("`generation.{setting}` {reason}")]
    BadSetting { setting: &'static str, reason: String },
    /// A key would go over the network unencrypted.
    #[error("the key would be sent unencrypted to `{host}`")]
    KeyInClear { host: String },
    /// The file of the private certificate authority.
    #[error("cannot read the CA file `{}`", .path.display())]
    CaFile { path: PathBuf, source: io::Error },
    /// The HTTP client could not be made.
    #[error("cannot make an HTTP client: {reason}")]
    Client { reason: String },
    /// The template's file.
    #[error("cannot read the prompt template `{name}`")]
    TemplateFile { name: String, source: io::Error },
    /// The template's text.
    #[error("prompt template `{name}`: {source}")]
    Template { name: String, source: TemplateError },
}

impl LlmError {
    /// What the caller can do.
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Unreachable { .. }
            | Self::Broken { .. }
            | Self::TimedOut { .. }
            | Self::Busy { .. }
            | Self::DeadlinePassed { .. } => ErrorClass::Transient,
            Self::TooLong { .. } => ErrorClass::TooLong,
            Self::Refused { .. } => ErrorClass::Refused,
            Self::GaveUp { last, .. } => last.class(),
            Self::Untrusted { .. }
            | Self::Redirected { .. }
            | Self::Rejected { .. }
            | Self::Unreadable { .. }
            | Self::BadSetting { .. }
            | Self::KeyInClear { .. }
            | Self::CaFile { .. }
            | Self::Client { .. }
            | Self::TemplateFile { .. }
            | Self::Template { .. } => ErrorClass::Permanent,
        }
    }

    /// The remedy, where there is one to name.
    #[must_use]
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Unreachable { .. } => Some(
                "start the server (`ollama serve`, `vllm serve MODEL`, `llama-server -m MODEL.gguf`) or correct \
                 `generation.base_url`; `generation.generator = \"extractive\"` needs none",
            ),
            Self::TimedOut { .. } | Self::DeadlinePassed { .. } => {
                Some("raise `generation.timeout_s` or lower `generation.concurrency`")
            }
            Self::Busy { status: 429, .. } => Some("lower `generation.concurrency`"),
            Self::Untrusted { .. } | Self::Client { .. } => {
                Some("name the certificate authority's PEM file in `generation.ca_file`")
            }
            Self::Redirected { .. } => {
                Some("set `generation.base_url` to where it redirects, if that is to be trusted")
            }
            Self::Rejected { status: 401 | 403, .. } => {
                Some("`generation.api_key_env` names the variable with the key")
            }
            Self::Rejected { status: 404 | 405, .. } => Some(
                "`/chat/completions` is appended to `generation.base_url`, which mostly ends in `/v1`; the model's \
                 name may be wrong as well",
            ),
            Self::TooLong { .. } => Some("lower `generation.context_tokens`, or raise the server's context length"),
            Self::Unreadable { .. } => Some("is there an OpenAI-compatible server at `generation.base_url`?"),
            Self::KeyInClear { .. } => Some("use `https`; plain `http` with a key is for this machine only"),
            Self::TemplateFile { .. } => Some("`generation.prompt` is `short-answer`, `free`, or a file's path"),
            Self::GaveUp { last, .. } => last.hint(),
            Self::Broken { .. }
            | Self::Busy { .. }
            | Self::Rejected { .. }
            | Self::Refused { .. }
            | Self::BadSetting { .. }
            | Self::CaFile { .. }
            | Self::Template { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn giving_up_keeps_the_class_hint_and_words_of_the_last_failure() {
        let last = LlmError::Unreachable { url: "http://localhost:1/v1".into(), reason: "connection refused".into() };
        let hint = last.hint();
        let error = LlmError::GaveUp { tries: 4, last: Box::new(last) };
        assert_eq!(error.class(), ErrorClass::Transient);
        assert_eq!(error.hint(), hint);
        assert_eq!(error.to_string(), "after 4 tries: `http://localhost:1/v1` cannot be reached: connection refused");
    }
}
