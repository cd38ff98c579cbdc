//! What a failed gRPC call means: nobody there, a wrong key, something that may pass, or a refusal.

use std::time::Duration;

use crate::index::IndexError;
use crate::index::error::foreign;

/// One failed call, in our words.
pub(super) struct Failure {
    /// The gRPC code (grpc.io, "Status codes"); 2, unknown, where the call did not come that far.
    pub(super) code: i32,
    pub(super) message: String,
    /// What the server asks to wait.
    pub(super) asked_wait: Option<Duration>,
}

impl Failure {
    /// Whether nobody was there to answer, or nobody that speaks gRPC. The client reports both as its own internal
    /// errors, known by their words only (`qdrant-client` 1.18, `channel_pool.rs`; `tonic` 0.12, `transport/error.rs`).
    pub(super) fn is_no_answer(&self) -> bool {
        let words =
            ["failed to connect", "transport error", "h2 protocol error", "http2 error", "error trying to connect"];
        let message = self.message.to_ascii_lowercase();
        self.code == 14 || (matches!(self.code, 1 | 2 | 13) && words.iter().any(|word| message.contains(word)))
    }

    /// Cancelled (the client's own timeout), deadline exceeded, resource exhausted, aborted, unavailable.
    pub(super) fn may_pass(&self) -> bool {
        matches!(self.code, 1 | 4 | 8 | 10 | 14) || self.is_no_answer()
    }

    pub(super) fn into_error(self, url: &str, action: &'static str, attempts: usize) -> IndexError {
        let url = url.to_owned();
        if self.is_no_answer() {
            return IndexError::Unreachable { url, source: foreign(self.message) };
        }
        let status = code_name(self.code);
        match self.code {
            7 | 16 => IndexError::Denied { url, status, source: foreign(self.message) },
            _ => IndexError::Server { url, action, status, attempts, source: foreign(self.message) },
        }
    }
}

/// The names of gRPC's status codes.
fn code_name(code: i32) -> &'static str {
    const NAMES: [&str; 17] = [
        "ok",
        "cancelled",
        "unknown",
        "invalid argument",
        "deadline exceeded",
        "not found",
        "already exists",
        "permission denied",
        "resource exhausted",
        "failed precondition",
        "aborted",
        "out of range",
        "unimplemented",
        "internal",
        "unavailable",
        "data loss",
        "unauthenticated",
    ];
    usize::try_from(code).ok().and_then(|code| NAMES.get(code).copied()).unwrap_or("unknown")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(code: i32, message: &str) -> Failure {
        Failure { code, message: message.to_owned(), asked_wait: None }
    }

    #[test]
    fn only_what_may_pass_is_asked_again() {
        // Codes of grpc.io: 14 unavailable, 4 deadline exceeded, 8 resource exhausted; 3 invalid argument, 5 not found,
        // 13 internal (which Qdrant gives for a full disk).
        for code in [14, 4, 8] {
            assert!(failure(code, "busy").may_pass(), "{code}");
        }
        for code in [3, 5, 7, 13, 16] {
            assert!(!failure(code, "no").may_pass(), "{code}");
        }
    }

    #[test]
    fn a_connection_that_fails_is_told_from_a_server_that_fails() {
        let refused = failure(13, "Failed to connect to http://localhost:6334/: ConnectionRefused");
        let full = failure(13, "Service internal error: No space left on device");
        let url = "http://localhost:6334";
        assert!(matches!(refused.into_error(url, "search", 4), IndexError::Unreachable { .. }));
        let full = full.into_error(url, "store points", 1);
        assert_eq!(
            full.to_string(),
            "the Qdrant server at `http://localhost:6334` could not store points (gRPC status internal, attempt 1)"
        );
    }

    #[test]
    fn a_wrong_key_is_told_as_such() {
        let error = failure(16, "Must provide an API key").into_error("http://localhost:6334", "search", 1);
        assert!(matches!(error, IndexError::Denied { status: "unauthenticated", .. }), "{error}");
    }
}
