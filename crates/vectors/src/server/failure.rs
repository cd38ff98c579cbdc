//! Meaning of a failed gRPC call: no server, a wrong key, a transient failure, or a refusal.

use std::time::Duration;

use qdrant_client::QdrantError;
use qdrant_client::qdrant::UpdateStatus;

use crate::IndexError;
use crate::error::foreign;

/// One failed call, without the client's types.
pub(super) struct CallFailure {
    /// The gRPC code (grpc.io, "Status codes"); 2, unknown, if the call did not come that far; 0 if the answer does not
    /// confirm the request.
    pub(super) code: i32,
    pub(super) message: String,
    /// Wait that the server asks for.
    pub(super) asked_wait: Option<Duration>,
    /// True if our deadline expired before an answer came.
    pub(super) is_late: bool,
}

impl From<QdrantError> for CallFailure {
    fn from(error: QdrantError) -> Self {
        let failure =
            |code, message: String, asked_wait| Self { code, message, asked_wait, is_late: false };
        match error {
            QdrantError::ResponseError { status } => {
                failure(status.code() as i32, status.message().to_owned(), None)
            }
            QdrantError::ResourceExhaustedError { status, retry_after_seconds } => {
                let wait = Duration::from_secs(retry_after_seconds);
                failure(status.code() as i32, status.message().to_owned(), Some(wait))
            }
            other => failure(2, other.to_string(), None),
        }
    }
}

impl CallFailure {
    /// Creates the failure of an update that the server answered without having applied it.
    pub(super) fn unconfirmed(status: UpdateStatus) -> Self {
        Self {
            code: 0,
            message: format!(
                "an update has status `{}`, expected `{}`",
                status.as_str_name(),
                UpdateStatus::Completed.as_str_name()
            ),
            asked_wait: None,
            is_late: false,
        }
    }

    /// Creates the failure of a call that exceeded our deadline.
    pub(super) fn late(action: &str) -> Self {
        Self {
            code: 4,
            message: format!("no answer to: {action}"),
            asked_wait: None,
            is_late: true,
        }
    }

    /// Returns true if a node of a cluster answered that currently no machine serves a part of the collection: another node does
    /// not answer it, or no replica is active. Qdrant reports that with the codes of internal errors and of an unavailable service,
    /// and it can be recognised only by its text (`lib/collection/src/shards/replica_set`, `transport_channel_pool.rs`, and
    /// `types.rs` for updates, 1.18).
    fn is_lost_node(&self) -> bool {
        let has = |words: &[&str]| words.iter().any(|word| self.message.contains(word));
        let is_not_ready =
            has(&["0 of 0 read operations failed", "no active replica", "enough active replicas"]);
        let is_relayed = has(&["read operations failed", "failed to apply operation"])
            && has(&["tcp connect error", "transport error", "service is currently unavailable"]);
        let is_unconnected = has(&["Failed to connect to"]) && has(&[", error: "]);
        match self.code {
            13 => is_not_ready || is_relayed || is_unconnected,
            14 => is_relayed || is_unconnected,
            _ => false,
        }
    }

    /// Returns true if nothing answered, or nothing that speaks gRPC. The client reports both as internal errors that
    /// can be recognised only by their text (`qdrant-client` 1.18, `channel_pool.rs`; `tonic` 0.12,
    /// `transport/error.rs`).
    pub(super) fn is_no_answer(&self) -> bool {
        if self.is_lost_node() {
            return false;
        }
        let words = [
            "failed to connect",
            "transport error",
            "h2 protocol error",
            "http2 error",
            "error trying to connect",
        ];
        let message = self.message.to_ascii_lowercase();
        self.code == 14
            || (matches!(self.code, 1 | 2 | 13) && words.iter().any(|word| message.contains(word)))
    }

    /// Returns true if the server's disk or quota is full. Qdrant reports that as an internal error (`shard_ops.rs`,
    /// `check_wal_disk_space`) or, for a quota, with the code of rate limits (`errors.rs`, `InsufficientStorage`).
    fn is_full(&self) -> bool {
        let words = ["No space left on device", "Insufficient storage"];
        matches!(self.code, 8 | 13) && words.iter().any(|word| self.message.contains(word))
    }

    /// Returns true for transient failures: unconfirmed, cancelled (the client's own timeout), deadline exceeded,
    /// resource exhausted by a rate limit, aborted, unavailable, a lost node.
    pub(super) fn may_pass(&self) -> bool {
        let is_transient = matches!(self.code, 0 | 1 | 4 | 8 | 10 | 14);
        (is_transient && !self.is_full()) || self.is_no_answer() || self.is_lost_node()
    }

    /// Returns true if the collection does not exist.
    pub(super) fn is_not_found(&self) -> bool {
        self.code == 5
    }

    pub(super) fn into_error(
        self,
        url: &str,
        collection: &str,
        action: &'static str,
        attempts: usize,
        timeout: Duration,
    ) -> IndexError {
        let (url, collection) = (url.to_owned(), collection.to_owned());
        if self.is_late {
            return IndexError::Deadline {
                url,
                collection,
                action,
                seconds: timeout.as_secs_f64(),
            };
        }
        if self.is_lost_node() {
            return IndexError::NodeLost {
                url,
                collection,
                action,
                attempts,
                source: foreign(self.message),
            };
        }
        if self.is_no_answer() {
            return IndexError::Unreachable { url, source: foreign(self.message) };
        }
        if self.is_full() {
            return IndexError::ServerFull {
                url,
                collection,
                action,
                source: foreign(self.message),
            };
        }
        let status = code_name(self.code);
        match self.code {
            0 => IndexError::Answer { url, collection, problem: self.message },
            // The prefix of rights that a valid key lacks (`errors.rs`, `StorageError::Forbidden`).
            7 if self.message.starts_with("Forbidden:") => {
                IndexError::Forbidden { url, collection, action, source: foreign(self.message) }
            }
            7 | 16 => IndexError::Denied { url, status, source: foreign(self.message) },
            5 => IndexError::Gone { collection, url, source: foreign(self.message) },
            _ => IndexError::Server {
                url,
                collection,
                action,
                status,
                attempts,
                source: foreign(self.message),
            },
        }
    }
}

/// Returns the name of a gRPC status code.
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

    fn failure(code: i32, message: &str) -> CallFailure {
        CallFailure { code, message: message.to_owned(), asked_wait: None, is_late: false }
    }

    fn error(failure: CallFailure, action: &'static str, attempts: usize) -> IndexError {
        failure.into_error(
            "http://localhost:6334",
            "ragtriage_ab",
            action,
            attempts,
            Duration::from_millis(2_500),
        )
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
        // Messages of two Qdrant 1.18.3 nodes while another process created the collection.
        assert!(failure(13, "Service internal error: 0 of 0 read operations failed").may_pass());
    }

    #[test]
    fn a_connection_that_fails_is_told_from_a_server_that_fails() {
        let refused = failure(13, "Failed to connect to http://localhost:6334/: ConnectionRefused");
        let full = failure(13, "Service internal error: No space left on device");
        assert!(matches!(error(refused, "search", 4), IndexError::Unreachable { .. }));
        assert_eq!(
            error(full, "store points", 1).to_string(),
            "the Qdrant server at `http://localhost:6334` has no space left to store points (collection `ragtriage_ab`)"
        );
    }

    #[test]
    fn a_lost_node_is_told_from_a_lost_server() {
        // Messages of Qdrant 1.18.3 in a cluster of three, one of them killed.
        let messages = [
            (14, "Failed to connect to http://127.0.0.1:19235/, error: transport error"),
            (
                13,
                "Service internal error: 1 of 1 read operations failed: Tonic status error: code: 'The service is currently \
                 unavailable', message: \"tcp connect error\"",
            ),
            (
                13,
                "Service internal error: 2 out of 3 shards failed to apply operation. First error captured: Service internal \
                 error: Tonic status error: code: 'The service is currently unavailable', message: \"tcp connect error\"",
            ),
        ];
        for (code, message) in messages {
            assert!(failure(code, message).may_pass(), "{message}");
            let error = error(failure(code, message), "search", 4);
            assert!(matches!(error, IndexError::NodeLost { .. }), "{error}");
        }
        let refused =
            failure(13, "Service internal error: 1 of 1 read operations failed: Wrong input");
        assert!(!refused.may_pass());
    }

    #[test]
    fn a_wrong_key_is_told_as_such() {
        let error = error(failure(16, "Must provide an API key"), "search", 1);
        assert!(matches!(error, IndexError::Denied { status: "unauthenticated", .. }), "{error}");
    }

    #[test]
    fn a_collection_that_is_gone_and_an_answer_that_never_came_name_it() {
        let gone =
            error(failure(5, "Collection `ragtriage_ab` doesn't exist!"), "search", 1).to_string();
        assert!(gone.starts_with(
            "collection `ragtriage_ab` on the Qdrant server at `http://localhost:6334` was deleted while it was in use"
        ));
        assert_eq!(
            error(CallFailure::late("search"), "search", 1).to_string(),
            "the Qdrant server at `http://localhost:6334` did not search within 2.5 s (collection `ragtriage_ab`)"
        );
    }
}
