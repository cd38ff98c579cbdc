//! Errors of calls over HTTP.
//!
//! No message holds a key, a header's value, or a URL's user info and query: URLs are redacted and excerpts cleaned
//! where the error is created.

use ragtriage_core::hint::Hint;
use ragtriage_core::types::ErrorKind;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::backoff::{Abandoned, Backoff, Retry};

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

/// Error of a call, or of creating the client.
#[derive(Debug, thiserror::Error)]
#[allow(
    missing_docs,
    reason = "the fields are what the message shows: a redacted URL, an HTTP status, an excerpt"
)]
pub enum HttpError {
    /// No connection could be made.
    #[error("`{url}` cannot be reached: {reason}")]
    Unreachable { url: String, reason: String },
    /// The connection was interrupted.
    #[error("the connection to `{url}` was interrupted: {reason}")]
    Broken { url: String, reason: String },
    /// No answer in time.
    #[error("`{url}` did not respond within {} s", .after.as_secs_f64())]
    TimedOut { url: String, after: Duration },
    /// The server's certificate is not trusted.
    #[error("the certificate of `{url}` is not trusted: {reason}")]
    Untrusted { url: String, reason: String },
    /// A redirect, which is not followed, because it would receive the text and the key.
    #[error("`{url}` redirects to another address: status {status}")]
    Redirected { url: String, status: u16 },
    /// A redirect that a download does not follow.
    #[error("the redirect of `{url}` is not followed: {reason}")]
    NotFollowed { url: String, reason: String },
    /// A part of another version, or another part than the missing one.
    #[error("`{url}` sent a different byte range than requested")]
    WrongPart { url: String },
    /// A downloaded file could not be written.
    #[error("cannot write `{}`", .path.display())]
    Write { path: PathBuf, source: io::Error },
    /// Another process is fetching the file.
    #[error("another process is fetching `{}`", .path.display())]
    Busy { path: PathBuf },
    /// An error status.
    #[error("`{url}` answered with status {status}: {excerpt}")]
    Status { url: String, status: u16, excerpt: String, retry_after: Option<Duration> },
    /// An answer above the maximum size.
    #[error("the response of `{url}` is larger than {} MiB", most_bytes >> 20)]
    TooLarge { url: String, most_bytes: usize },
    /// An answer of another form.
    #[error("the response of `{url}` cannot be read: {reason}: {excerpt}")]
    Unreadable { url: String, reason: String, excerpt: String },
    /// Still failing after all tries.
    #[error("after {tries} tries: {last}")]
    GaveUp { tries: u32, last: Box<Self> },
    /// The deadline for all tries has passed.
    #[error("`{url}` did not respond within the deadline of {} s", .deadline.as_secs_f64())]
    DeadlinePassed { url: String, deadline: Duration },
    /// An invalid address.
    #[error("the address {reason}")]
    BadAddress { reason: String },
    /// A key that is not a valid header value.
    #[error("the key contains characters that are not allowed in a header")]
    BadKey,
    /// An invalid header name.
    #[error("invalid header name `{name}`")]
    BadHeaderName { name: String },
    /// An invalid header value.
    #[error("the value of header `{name}` contains characters that are not allowed")]
    BadHeaderValue { name: String },
    /// A key would go over the network unencrypted.
    #[error("the key would be sent unencrypted to `{host}`")]
    KeyInClear { host: String },
    /// The private certificate authority's file cannot be read.
    #[error("cannot read the CA file `{}`", .path.display())]
    CaFile { path: PathBuf, source: io::Error },
    /// The private certificate authority's file has no certificate.
    #[error("the CA file has no certificate: `{}`", .path.display())]
    NoCertificate { path: PathBuf },
    /// The HTTP client could not be created.
    #[error("cannot make an HTTP client: {reason}")]
    Client { reason: String },
}

impl HttpError {
    /// Creates the error of a transport failure without its URL: `reason` is its message. `connect_timeout` is the
    /// timeout of the connection, `timeout` that of an answer.
    pub(super) fn of_transport(
        error: &reqwest::Error,
        url: String,
        reason: String,
        connect_timeout: Duration,
        timeout: Duration,
    ) -> Self {
        if error.is_connect() && error.is_timeout() {
            let reason = format!("no connection within {} s", connect_timeout.as_secs_f64());
            Self::Unreachable { url, reason }
        } else if error.is_timeout() {
            Self::TimedOut { url, after: timeout }
        } else if error.is_connect() && reason.to_lowercase().contains("certificate") {
            Self::Untrusted { url, reason: certificate_reason(&reason) }
        } else if error.is_connect() {
            Self::Unreachable { url, reason }
        } else {
            Self::Broken { url, reason }
        }
    }

    /// Returns the error after all tries.
    pub(super) fn final_of(failure: Abandoned<Self>, url: &str, backoff: &Backoff) -> Self {
        match failure {
            Abandoned::Final(error) => error,
            Abandoned::GaveUp { tries, last } => Self::GaveUp { tries, last: Box::new(last) },
            Abandoned::OutOfTime => {
                Self::DeadlinePassed { url: url.to_owned(), deadline: backoff.deadline }
            }
        }
    }

    /// Returns its cause, as stored in a trace.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self.last() {
            Self::Unreachable { .. } => ErrorKind::Unreachable,
            error if error.is_transient() => ErrorKind::Transient,
            _ => ErrorKind::Permanent,
        }
    }

    /// Returns true if the same call may succeed later.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Unreachable { .. }
            | Self::Broken { .. }
            | Self::WrongPart { .. }
            | Self::TimedOut { .. }
            | Self::DeadlinePassed { .. } => true,
            Self::Status { status, .. } => is_transient_status(*status),
            Self::GaveUp { last, .. } => last.is_transient(),
            _ => false,
        }
    }

    /// Returns true if the server reports that the request is too large: status 413 (text-embeddings-inference), or a
    /// refusal with such a message. llama.cpp uses status 500.
    #[must_use]
    pub fn is_too_large(&self) -> bool {
        let Self::Status { status, excerpt, .. } = self else {
            return false;
        };
        let excerpt = excerpt.to_lowercase();
        match status {
            413 => true,
            400 | 422 => TOO_LARGE_WORDS.iter().any(|words| excerpt.contains(words)),
            500 => excerpt.contains("too large to process"),
            _ => false,
        }
    }

    /// Returns the consequence for the next try.
    #[must_use]
    pub fn verdict(&self) -> Retry {
        match self {
            error if error.is_too_large() => Retry::Stop,
            Self::Status { status, retry_after, .. } if is_transient_status(*status) => {
                Retry::Again(*retry_after)
            }
            Self::Broken { .. } => Retry::AtOnce,
            error if error.is_transient() => Retry::Again(None),
            _ => Retry::Stop,
        }
    }

    /// Returns the failure of the last call, without the number of tries.
    #[must_use]
    pub fn last(&self) -> &Self {
        match self {
            Self::GaveUp { last, .. } => last.last(),
            error => error,
        }
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

impl Hint for HttpError {
    fn hint(&self) -> Option<String> {
        let hint: Option<&'static str> = match self.last() {
            Self::BadAddress { .. } => Some("write it like `http://localhost:8080/v1`"),
            Self::BadKey => Some("check the variable with the key for a line feed at its end"),
            Self::KeyInClear { .. } => {
                Some("use `https`; plain `http` with a key is for this machine only")
            }
            Self::Redirected { .. } => Some("use the target of the redirect, if you trust it"),
            Self::Write { .. } => {
                Some("check the free disk space and the permissions of the folder")
            }
            Self::Busy { .. } => Some("wait for it to end, then try again"),
            Self::Status { status: 401 | 403, .. } => {
                Some("check the key and the setting that names its variable")
            }
            _ => None,
        };
        hint.map(str::to_owned)
    }
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
        let status = |status, excerpt: &str| {
            let (url, excerpt) = ("u".to_owned(), excerpt.to_owned());
            HttpError::Status { url, status, excerpt, retry_after: None }
        };
        for (code, words) in [
            (413, ""),
            (422, "batch size 64 > maximum allowed batch size 32"),
            (400, "Requested 419124 tokens, max 300000 tokens per request"),
            (400, "This model's maximum context length is 8192 tokens"),
            (500, "input is too large to process. increase the physical batch size"),
        ] {
            let error = status(code, words);
            assert!(error.is_too_large() && error.verdict() == Retry::Stop, "{error}");
        }
        for (code, words) in
            [(400, "no such model"), (429, "too many requests"), (500, "out of memory")]
        {
            assert!(!status(code, words).is_too_large(), "{code} {words}");
        }
    }

    #[test]
    fn giving_up_keeps_what_the_last_failure_was() {
        let last = HttpError::Redirected { url: "http://h".into(), status: 307 };
        let error = HttpError::GaveUp { tries: 2, last: Box::new(last) };
        assert_eq!(
            error.to_string(),
            "after 2 tries: `http://h` redirects to another address: status 307"
        );
        assert!(!error.is_transient() && error.hint().is_some());
        assert!(matches!(error.last(), HttpError::Redirected { .. }));
    }
}
