//! The error of a call, of a download, or of creating a client.
//!
//! No message holds a key, a header's value, or a URL's user info and query: URLs are redacted and excerpts cleaned
//! where the error is created.

use std::io;
use std::path::Path;
use std::time::Duration;

use ragtriage_core::hint::Hint;
use ragtriage_core::types::ErrorKind;

use crate::http::backoff::{CallError, Retry};

/// Lower-cased parts of error messages about a request that is too large (`OpenAI`, text-embeddings-inference, vLLM,
/// gateways). A false match costs some calls, not correctness.
const TOO_LARGE_WORDS: [&str; 9] = [
    "batch size",
    "too large",
    "too many",
    "too long",
    "maximum",
    "at most",
    "exceed",
    "per request",
    "array length",
];

/// An error of a call, or of creating the client.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    pub kind: Kind,
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
    /// The wait that the server asks for before the next call.
    pub(crate) asked_wait: Option<Duration>,
    pub(crate) source: Option<io::Error>,
}

/// The cause of an [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
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
    /// A part of another version of a file, or another part than the missing one.
    WrongPart,
    /// An error status.
    Status(u16),
    /// A status that says that the request is too large.
    RequestTooLarge,
    /// An answer above the maximum size.
    AnswerTooLarge,
    /// An answer of another form.
    Unreadable,
    /// A wrong setting or a local failure: no call would help.
    Local,
}

impl Error {
    #[must_use]
    pub fn new(kind: Kind, message: String) -> Self {
        Self { kind, message, hint: None, asked_wait: None, source: None }
    }

    pub(crate) fn local(message: String, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..Self::new(Kind::Local, message) }
    }

    pub(crate) fn write(path: &Path, source: io::Error) -> Self {
        let hint = "check the free disk space and the permissions of the folder";
        let error = Self::local(format!("cannot write `{}`", path.display()), hint);
        Self { source: Some(source), ..error }
    }

    /// Creates the error of a file of a certificate authority that cannot be read.
    pub(crate) fn ca_file(path: &Path, source: io::Error) -> Self {
        let message = format!("cannot read the CA file `{}`", path.display());
        Self { source: Some(source), ..Self::new(Kind::Local, message) }
    }

    pub(crate) fn key_in_clear(host: Option<&str>) -> Self {
        let host = host.unwrap_or_default();
        Self::local(
            format!("the key would be sent unencrypted to `{host}`"),
            "use `https`; plain `http` with a key is for this machine only",
        )
    }

    pub(crate) fn client(reason: &str) -> Self {
        Self::new(Kind::Untrusted, format!("cannot make an HTTP client: {reason}"))
    }

    pub(crate) fn answer_too_large(url: &str, most_bytes: u64) -> Self {
        let most = most_bytes >> 20;
        let message = format!("the response of `{url}` is larger than {most} MiB");
        Self::new(Kind::AnswerTooLarge, message)
    }

    /// Creates the error of a status; 413 (text-embeddings-inference), or a refusal with such a message, says that the
    /// request is too large. llama.cpp uses status 500.
    pub(crate) fn status(
        url: &str,
        status: u16,
        excerpt: &str,
        asked_wait: Option<Duration>,
    ) -> Self {
        let lower = excerpt.to_lowercase();
        let is_too_large = match status {
            413 => true,
            400 | 422 => TOO_LARGE_WORDS.iter().any(|words| lower.contains(words)),
            500 => lower.contains("too large to process"),
            _ => false,
        };
        let kind = if is_too_large { Kind::RequestTooLarge } else { Kind::Status(status) };
        let message = format!("`{url}` answered with status {status}: {excerpt}");
        Self { asked_wait, ..Self::new(kind, message) }
    }

    /// Creates the error of a transport failure without its URL: `reason` is its message. `connect_timeout` is the
    /// timeout of the connection, `timeout` that of an answer.
    pub(crate) fn of_transport(
        error: &reqwest::Error,
        url: &str,
        reason: &str,
        connect_timeout: Duration,
        timeout: Duration,
    ) -> Self {
        let unreachable = |reason: &str| {
            Self::new(Kind::Unreachable, format!("`{url}` cannot be reached: {reason}"))
        };
        if error.is_connect() && error.is_timeout() {
            unreachable(&format!("no connection within {} s", connect_timeout.as_secs_f64()))
        } else if error.is_timeout() {
            let after = timeout.as_secs_f64();
            Self::new(Kind::TimedOut, format!("`{url}` did not respond within {after} s"))
        } else if error.is_connect() && reason.to_lowercase().contains("certificate") {
            let reason = certificate_reason(reason);
            let message = format!("the certificate of `{url}` is not trusted: {reason}");
            Self::new(Kind::Untrusted, message)
        } else if error.is_connect() {
            unreachable(reason)
        } else {
            let message = format!("the connection to `{url}` was interrupted: {reason}");
            Self::new(Kind::Interrupted, message)
        }
    }

    /// Returns its cause, as stored in a trace.
    #[must_use]
    pub fn trace_kind(&self) -> ErrorKind {
        match self.kind {
            Kind::Unreachable => ErrorKind::Unreachable,
            Kind::RequestTooLarge => ErrorKind::TooLong,
            _ if self.is_transient() => ErrorKind::Transient,
            _ => ErrorKind::Permanent,
        }
    }

    /// Returns true if the same call may succeed later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self.kind {
            Kind::Unreachable | Kind::Interrupted | Kind::WrongPart | Kind::TimedOut => true,
            Kind::Status(status) => is_transient_status(status),
            _ => false,
        }
    }

    /// Returns true if the server may have produced an answer that was not received.
    #[must_use]
    pub fn may_be_billed(&self) -> bool {
        matches!(
            self.kind,
            Kind::TimedOut | Kind::Interrupted | Kind::Unreadable | Kind::AnswerTooLarge
        )
    }
}

impl CallError for Error {
    fn retry(&self) -> Retry {
        match self.kind {
            Kind::Interrupted => Retry::AtOnce,
            _ if self.is_transient() => Retry::Again(self.asked_wait),
            _ => Retry::Stop,
        }
    }

    fn after(self, n_calls: u32) -> Self {
        Self { message: format!("after {n_calls} tries: {}", self.message), ..self }
    }

    fn deadline_passed(deadline: Duration) -> Self {
        let seconds = deadline.as_secs_f64();
        Self::new(Kind::TimedOut, format!("no response within the deadline of {seconds} s"))
    }
}

impl Hint for Error {
    fn hint(&self) -> Option<String> {
        self.hint.clone()
    }
}

/// Returns the reason for refusing a certificate in words: rustls prints most as names of its source, such as `UnknownIssuer` or
/// `Other(OtherError(CaUsedAsEndEntity))`.
fn certificate_reason(reason: &str) -> String {
    let reason = reason.strip_prefix("invalid peer certificate: ").unwrap_or(reason);
    let name = reason.rsplit('(').next().unwrap_or(reason).trim_end_matches(')');
    if reason.contains(' ') {
        return reason.to_owned();
    }
    if name == "CaUsedAsEndEntity" {
        return "it is that of a certificate authority (`CA:TRUE`), not of a server".to_owned();
    }
    let mut words = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(c.to_lowercase());
    }
    words
}

/// Returns true for a status that may change a moment later: 408, 429, and the 5xx except 501 and 505, which mean that
/// the server cannot do what was asked (RFC 9110, section 15.6).
#[must_use]
pub fn is_transient_status(status: u16) -> bool {
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

    #[test]
    fn a_server_that_was_sent_too_much_says_so_in_many_ways() {
        for (code, words) in [
            (413, ""),
            (422, "batch size 64 > maximum allowed batch size 32"),
            (400, "Requested 419124 tokens, max 300000 tokens per request"),
            (400, "This model's maximum context length is 8192 tokens"),
            (500, "input is too large to process. increase the physical batch size"),
        ] {
            let error = Error::status("u", code, words, None);
            assert!(error.kind == Kind::RequestTooLarge && error.retry() == Retry::Stop, "{error}");
        }
        for (code, words) in
            [(400, "no such model"), (429, "too many requests"), (500, "out of memory")]
        {
            let error = Error::status("u", code, words, None);
            assert_eq!(error.kind, Kind::Status(code), "{words}");
        }
    }
}
