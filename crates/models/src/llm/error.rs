//! Errors of creating or calling a generator, classified by the caller's options.
//!
//! Messages never contain a key, a header's value, or a URL's user info and query: URLs are redacted and excerpts
//! cleaned when the error is created.

use ragtriage_core::hint::Hint;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use ragtriage_core::types::ErrorKind;
use ragtriage_encoder::Kind;
use ragtriage_encoder::checkpoint::CheckpointError;
use ragtriage_http::HttpError;

/// The options of the caller after a failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// Try again later.
    Transient,
    /// Change the settings or the server; an identical call fails again.
    Permanent,
    /// Send fewer tokens.
    TooLong,
    /// The provider's filter rejected this prompt; others may pass.
    Refused,
    /// Stop the run: no further call is allowed.
    Spent,
}

/// A request parameter that a server may reject.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SentParameter {
    /// `max_tokens`: `OpenAI`'s reasoning models expect `max_completion_tokens` instead.
    MaxTokens,
    /// `temperature`: `OpenAI`'s reasoning models accept only 1.
    Temperature,
}

impl SentParameter {
    fn kind(self) -> ErrorKind {
        match self {
            Self::MaxTokens => ErrorKind::RejectsMaxTokens,
            Self::Temperature => ErrorKind::RejectsTemperature,
        }
    }

    fn hint(self) -> &'static str {
        match self {
            Self::MaxTokens => {
                "set `generation.extra_body = { max_completion_tokens = 2048 }` to replace `max_tokens`; add `temperature = 1` there if the temperature is refused as well"
            }
            Self::Temperature => {
                "set `generation.extra_body = { temperature = 1 }` to replace `generation.temperature`"
            }
        }
    }
}

/// An error of a call, or of creating a generator or template.
#[derive(Debug, thiserror::Error)]
#[allow(
    missing_docs,
    reason = "the fields are what the message shows: a redacted URL, an HTTP status, an excerpt"
)]
pub enum LlmError {
    /// The call failed, or its response is unreadable.
    #[error(transparent)]
    Http(HttpError),
    /// A status of [`is_transient_status`](ragtriage_http::is_transient_status).
    #[error("`{url}` is busy or failing: status {status}: {excerpt}")]
    Busy { url: String, status: u16, excerpt: String, retry_after: Option<Duration> },
    /// Any other error status.
    #[error("`{url}` rejected the call: status {status}: {excerpt}")]
    Rejected { url: String, status: u16, excerpt: String, parameter: Option<SentParameter> },
    /// The prompt exceeds the model's context.
    #[error("the prompt is too long for `{url}`: status {status}: {excerpt}")]
    TooLong { url: String, status: u16, excerpt: String },
    /// The provider's content filter rejected the prompt.
    #[error("`{url}` refused the prompt: status {status}: {excerpt}")]
    Refused { url: String, status: u16, excerpt: String },
    /// All attempts failed.
    #[error("after {tries} tries: {last}")]
    GaveUp { tries: u32, last: Box<Self> },
    /// The deadline of one prompt has passed.
    #[error("did not respond within the deadline of {} s", .deadline.as_secs_f64())]
    DeadlinePassed { deadline: Duration },
    /// The call could exceed the run's spending limit.
    #[error(
        "`generation.{setting}` = {limit} does not cover the next call: {spent} used so far, up to {next} needed"
    )]
    Spent { setting: &'static str, limit: String, spent: String, next: String },
    /// A setting with an invalid value.
    #[error("`generation.{setting}` {reason}")]
    BadSetting { setting: &'static str, reason: String },
    /// The file of recorded responses cannot be read.
    #[error("cannot read the recorded responses `{}`", .path.display())]
    ResponsesFile { path: PathBuf, source: io::Error },
    /// A line of the file of recorded responses is invalid.
    #[error("recorded responses `{}`, line {line}: {problem}", .path.display())]
    Responses { path: PathBuf, line: usize, problem: String },
    /// The file of recorded responses has none to this prompt.
    #[error("`{}` has no response to this prompt", .path.display())]
    NotRecorded { path: PathBuf },
    /// The checkpoint of a local reader is missing or unreadable.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The reading thread panicked or the runtime is shutting down.
    #[error("reading was interrupted: {0}")]
    Worker(#[source] tokio::task::JoinError),
    /// The template's file cannot be read.
    #[error("cannot read the prompt template `{name}`")]
    TemplateFile { name: String, source: io::Error },
    /// The template's text is invalid.
    #[error("prompt template `{name}`: {source}")]
    Template { name: String, source: ragtriage_core::Error },
}

impl From<HttpError> for LlmError {
    /// Names the configuration key that caused the error, if any.
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::BadAddress { reason } => Self::bad_setting("base_url", reason),
            HttpError::BadKey => Self::bad_setting(
                "api_key",
                "contains characters that are not allowed in a header (in the key)",
            ),
            HttpError::BadHeaderName { name } => {
                Self::bad_setting("headers_env", format!("has the invalid header name `{name}`"))
            }
            HttpError::BadHeaderValue { name } => Self::bad_setting(
                "headers_env",
                format!("contains characters that are not allowed in a header (in {name})"),
            ),
            HttpError::NoCertificate { path } => {
                Self::bad_setting("ca_file", format!("holds no certificate: `{}`", path.display()))
            }
            error => Self::Http(error),
        }
    }
}

impl LlmError {
    pub(super) fn bad_setting(setting: &'static str, reason: impl Into<String>) -> Self {
        Self::BadSetting { setting, reason: reason.into() }
    }

    /// Returns the caller's options.
    #[must_use]
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Http(error) if error.is_transient() => ErrorClass::Transient,
            Self::Busy { .. } | Self::DeadlinePassed { .. } => ErrorClass::Transient,
            Self::TooLong { .. } => ErrorClass::TooLong,
            Self::Refused { .. } => ErrorClass::Refused,
            Self::Spent { .. } => ErrorClass::Spent,
            Self::GaveUp { last, .. } => last.class(),
            Self::Http(_)
            | Self::Rejected { .. }
            | Self::BadSetting { .. }
            | Self::Checkpoint(_)
            | Self::Worker(_)
            | Self::ResponsesFile { .. }
            | Self::Responses { .. }
            | Self::NotRecorded { .. }
            | Self::TemplateFile { .. }
            | Self::Template { .. } => ErrorClass::Permanent,
        }
    }
}

impl LlmError {
    /// Returns its cause, as recorded in a trace.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Http(error) => error.kind(),
            Self::GaveUp { last, .. } => last.kind(),
            Self::Busy { .. } | Self::DeadlinePassed { .. } => ErrorKind::Transient,
            Self::TooLong { .. } => ErrorKind::TooLong,
            Self::Rejected { status: 400 | 422, parameter, .. } => {
                parameter.map_or(ErrorKind::Permanent, SentParameter::kind)
            }
            Self::Rejected { .. }
            | Self::Refused { .. }
            | Self::Spent { .. }
            | Self::BadSetting { .. }
            | Self::Checkpoint(_)
            | Self::Worker(_)
            | Self::ResponsesFile { .. }
            | Self::Responses { .. }
            | Self::TemplateFile { .. }
            | Self::Template { .. } => ErrorKind::Permanent,
            Self::NotRecorded { .. } => ErrorKind::NotRecorded,
        }
    }
}

impl Hint for LlmError {
    fn hint(&self) -> Option<String> {
        let hint: Option<&'static str> = match self {
            Self::Http(error) => return http_hint(error),
            Self::DeadlinePassed { .. } => Some(SLOW),
            Self::Busy { status: 429, .. } => {
                Some("raise `generation.deadline_s`, or lower `generation.concurrency`")
            }
            Self::Rejected { status: 401 | 403, .. } => {
                Some("`generation.api_key_env` names the variable with the key")
            }
            Self::Rejected { status: 400 | 422, parameter, .. } => {
                parameter.map(SentParameter::hint)
            }
            Self::Rejected { status: 404 | 405, .. } => Some(
                "`/chat/completions` is appended to `generation.base_url`, which usually ends in `/v1`; check the model name as well",
            ),
            Self::TooLong { .. } => {
                Some("lower `generation.context_tokens`, or raise the server's context length")
            }
            Self::Spent { .. } => Some("raise the limit; finished questions are kept"),
            Self::Checkpoint(error) if error.kind == Kind::Missing => Some(
                "name a folder with `config.json`, `tokenizer.json` and `model.safetensors` as `generation.model`",
            ),
            Self::Checkpoint(_) => Some(
                "name a question-answering checkpoint of the BERT family, or its folder, as `generation.model`",
            ),
            Self::TemplateFile { .. } => {
                Some("`generation.prompt` is `short-answer`, `free`, or a file's path")
            }
            Self::ResponsesFile { .. } => {
                Some("name the file of recorded responses as `generation.responses`")
            }
            Self::Responses { .. } => Some(
                "the first line is a header with `model`; every other line is `{\"key\": ..., \"response\": ...}`",
            ),
            Self::NotRecorded { .. } => Some(NOT_RECORDED),
            Self::GaveUp { last, .. } => return last.hint(),
            Self::Busy { .. }
            | Self::Rejected { .. }
            | Self::Refused { .. }
            | Self::BadSetting { .. }
            | Self::Worker(_)
            | Self::Template { .. } => None,
        };
        hint.map(str::to_owned)
    }
}

/// Returns the setting that replaces a parameter which a server does not accept.
#[must_use]
pub fn kind_hint(kind: ErrorKind) -> Option<&'static str> {
    match kind {
        ErrorKind::RejectsMaxTokens => Some(SentParameter::MaxTokens.hint()),
        ErrorKind::RejectsTemperature => Some(SentParameter::Temperature.hint()),
        ErrorKind::Unreachable
        | ErrorKind::Transient
        | ErrorKind::TooLong
        | ErrorKind::Permanent => None,
        ErrorKind::NotRecorded => Some(NOT_RECORDED),
    }
}

const NOT_RECORDED: &str = "the responses were recorded for other settings; name an endpoint (`generation.generator = \"openai\"`), or a \
     reader for the rest (`generation.fallback`)";

const SLOW: &str = "raise `generation.timeout_s` or lower `generation.concurrency`";

/// Returns the hint, with the names of our settings.
fn http_hint(error: &HttpError) -> Option<String> {
    let hint = match error {
        HttpError::Unreachable { .. } => Some(
            "start the server (`ollama serve`, `vllm serve MODEL`, `llama-server -m MODEL.gguf`) or correct \
             `generation.base_url`; `generation.generator = \"baseline\"` needs none",
        ),
        HttpError::TimedOut { .. } => Some(SLOW),
        HttpError::Untrusted { .. } | HttpError::Client { .. } => Some(
            "name the PEM file of its certificate authority, or of a self-signed certificate without `CA:TRUE`, in `generation.ca_file`",
        ),
        HttpError::Redirected { .. } => {
            Some("set `generation.base_url` to the target of the redirect, if you trust it")
        }
        HttpError::Unreadable { .. } | HttpError::TooLarge { .. } => {
            Some("check that an OpenAI-compatible server runs at `generation.base_url`")
        }
        error => return error.hint(),
    };
    hint.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_parameter_is_answered_with_the_setting_that_replaces_it() {
        for (parameter, setting) in [
            (SentParameter::MaxTokens, "extra_body = { max_completion_tokens = 2048 }"),
            (SentParameter::Temperature, "extra_body = { temperature = 1 }"),
        ] {
            let hint = rejected(Some(parameter)).hint().expect("a hint");
            assert!(hint.contains(setting), "{hint}");
        }
        assert_eq!(rejected(None).hint(), None);
    }

    fn rejected(parameter: Option<SentParameter>) -> LlmError {
        LlmError::Rejected { url: "u".into(), status: 400, excerpt: "no".into(), parameter }
    }

    #[test]
    fn giving_up_keeps_the_class_hint_and_words_of_the_last_failure() {
        let (url, reason) = ("http://localhost:1/v1".into(), "connection refused".into());
        let last = LlmError::Http(HttpError::Unreachable { url, reason });
        let hint = last.hint();
        let error = LlmError::GaveUp { tries: 4, last: Box::new(last) };
        assert_eq!(error.class(), ErrorClass::Transient);
        assert_eq!(error.hint(), hint);
        assert_eq!(
            error.to_string(),
            "after 4 tries: `http://localhost:1/v1` cannot be reached: connection refused"
        );
    }
}
