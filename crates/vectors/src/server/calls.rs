//! Calls to the server: each within its deadline, retried after transient failures, with the meaning of a failure and the
//! checks of an answer that no store may pass on.

use std::collections::HashSet;
use std::future::Future;
use std::hash::Hash;
use std::time::Duration;

use qdrant_client::qdrant::read_consistency::Value::Factor;
use qdrant_client::qdrant::{
    CollectionInfo, CountPointsBuilder, PointId, QueryPoints, RetrievedPoint, ScoredPoint,
    ScrollPoints, UpdateStatus,
};
use qdrant_client::{Qdrant, QdrantError};
use tokio::time::{Instant, timeout_at};

use super::wire;
use crate::{Error, Kind, Server, address};

/// Waits before the second, third and fourth attempt.
pub(super) const WAITS: [Duration; 3] =
    [Duration::from_millis(200), Duration::from_millis(800), Duration::from_millis(3_200)];

const DESCRIBE: &str = "describe a collection";

/// The client, its server and its collection.
pub(super) struct Calls {
    pub(super) client: Qdrant,
    pub(super) collection: String,
    pub(super) server: Server,
}

/// Meaning of a failed call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// Our deadline expired before an answer came.
    Late,
    /// Nothing answered, or nothing that speaks gRPC.
    NoAnswer,
    /// A node of a cluster does not answer another, or no replica is active.
    LostNode,
    /// The server's disk or quota is full.
    Full,
    /// The collection does not exist.
    NotFound,
    /// The key is missing or wrong.
    Denied,
    /// The key lacks a right.
    Forbidden,
    /// The server answered an update without having applied it.
    Unconfirmed,
    /// Cancelled by the client's own timeout, too slow, or aborted.
    Busy,
    /// Limited in rate.
    Limited,
    /// The request does not fit the collection.
    Invalid,
    Refused,
}

/// One failed call, without the client's types.
pub(super) struct Failure {
    pub(super) cause: Cause,
    /// The name of the gRPC status.
    status: String,
    message: String,
    /// Wait that the server asks for.
    asked_wait: Duration,
}

impl From<QdrantError> for Failure {
    fn from(error: QdrantError) -> Self {
        let (status, wait) = match error {
            QdrantError::ResponseError { status } => (status, 0),
            QdrantError::ResourceExhaustedError { status, retry_after_seconds } => {
                (status, retry_after_seconds)
            }
            other => return Self::new(2, "Unknown".to_owned(), other.to_string()),
        };
        let name = format!("{:?}", status.code());
        let failure = Self::new(status.code() as i32, name, status.message().to_owned());
        Self { asked_wait: Duration::from_secs(wait), ..failure }
    }
}

impl Failure {
    /// `code`: of gRPC (grpc.io, "Status codes").
    pub(super) fn new(code: i32, status: String, message: String) -> Self {
        Self { cause: cause(code, &message), status, message, asked_wait: Duration::ZERO }
    }

    fn of(cause: Cause, message: String) -> Self {
        Self { cause, status: String::new(), message, asked_wait: Duration::ZERO }
    }

    /// Creates the failure of an update that the server answered without having applied it.
    pub(super) fn unconfirmed(status: UpdateStatus) -> Self {
        let (found, expected) = (status.as_str_name(), UpdateStatus::Completed.as_str_name());
        let message = format!("an update has status `{found}`, expected `{expected}`");
        Self::of(Cause::Unconfirmed, message)
    }

    /// Returns true for transient failures.
    pub(super) fn may_pass(&self) -> bool {
        use Cause::{Busy, Late, Limited, LostNode, NoAnswer, Unconfirmed};
        matches!(self.cause, Busy | Late | Limited | LostNode | NoAnswer | Unconfirmed)
    }
}

/// Returns the meaning of a gRPC status. Qdrant and its client report several with the codes of internal errors and of an
/// unavailable service, and they can be recognised only by their text: lost nodes (1.18,
/// `lib/collection/src/shards/replica_set`, `transport_channel_pool.rs`, and `types.rs` for updates), absent servers
/// (`qdrant-client` 1.18, `channel_pool.rs`; `tonic` 0.12, `transport/error.rs`), full disks (`shard_ops.rs`,
/// `check_wal_disk_space`) and quotas (`errors.rs`, `InsufficientStorage`).
fn cause(code: i32, message: &str) -> Cause {
    let has = |words: &[&str]| words.iter().any(|word| message.contains(word));
    let is_not_ready =
        has(&["0 of 0 read operations failed", "no active replica", "enough active replicas"]);
    let is_relayed = has(&["read operations failed", "failed to apply operation"])
        && has(&["tcp connect error", "transport error", "service is currently unavailable"]);
    let is_unconnected = has(&["Failed to connect to"]) && has(&[", error: "]);
    let lower = message.to_ascii_lowercase();
    let is_no_answer = [
        "failed to connect",
        "transport error",
        "h2 protocol error",
        "http2 error",
        "error trying to connect",
    ]
    .iter()
    .any(|words| lower.contains(words));
    match code {
        13 if is_not_ready => Cause::LostNode,
        13 | 14 if is_relayed || is_unconnected => Cause::LostNode,
        14 => Cause::NoAnswer,
        1 | 2 | 13 if is_no_answer => Cause::NoAnswer,
        8 | 13 if has(&["No space left on device", "Insufficient storage"]) => Cause::Full,
        1 | 4 | 10 => Cause::Busy,
        8 => Cause::Limited,
        3 => Cause::Invalid,
        5 => Cause::NotFound,
        // The prefix of rights that a valid key lacks (`errors.rs`, `StorageError::Forbidden`).
        7 if message.starts_with("Forbidden:") => Cause::Forbidden,
        7 | 16 => Cause::Denied,
        _ => Cause::Refused,
    }
}

impl Calls {
    /// Creates a client that is not yet connected.
    pub(super) fn new(server: &Server, collection: String) -> Result<Self, Error> {
        server.check()?;
        let built = Qdrant::from_url(&server.url)
            .api_key(server.api_key.clone())
            // Our deadline expires first; the client's would be retried inside the client.
            .timeout(server.timeout * 2)
            .connect_timeout(server.timeout * 2)
            .skip_compatibility_check()
            .build();
        let client = built.map_err(|error| address::invalid(&server.url, &error.to_string()))?;
        Ok(Self { client, collection, server: server.clone() })
    }

    /// Calls until the server answers, at most four times and until the deadline.
    pub(super) async fn retry<T, F, E>(
        &self,
        action: &str,
        call: impl Fn() -> F,
    ) -> Result<T, Error>
    where
        F: Future<Output = Result<T, E>>,
        E: Into<Failure>,
    {
        self.attempt(action, &WAITS, call)
            .await
            .map_err(|(failure, attempts)| self.error(failure, action, attempts))
    }

    /// Calls once, and again after each of `waits` while the failure is transient. The deadline covers all attempts. A
    /// failure is returned with the number of attempts.
    pub(super) async fn attempt<T, F, E>(
        &self,
        action: &str,
        waits: &[Duration],
        call: impl Fn() -> F,
    ) -> Result<T, (Failure, usize)>
    where
        F: Future<Output = Result<T, E>>,
        E: Into<Failure>,
    {
        let deadline = Instant::now() + self.server.timeout;
        let mut waits = waits.iter();
        let mut attempts = 1;
        loop {
            let failure = match timeout_at(deadline, call()).await {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(error)) => error.into(),
                Err(_) => Failure::of(Cause::Late, format!("no answer to: {action}")),
            };
            let wait = waits.next().map(|wait| failure.asked_wait.max(*wait));
            match wait.filter(|wait| failure.may_pass() && Instant::now() + *wait < deadline) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return Err((failure, attempts)),
            }
            attempts += 1;
        }
    }

    /// Returns the server's description of the collection; `None` if it has none. An absent server is reported at once; a
    /// present one may be busy creating this very collection for another process.
    pub(super) async fn described(&self) -> Result<Option<CollectionInfo>, Error> {
        let describe = || self.client.collection_info(&self.collection);
        let found = match self.attempt(DESCRIBE, &[], describe).await {
            Err((Failure { cause: Cause::Busy | Cause::Limited | Cause::LostNode, .. }, _)) => {
                self.attempt(DESCRIBE, &WAITS, describe).await
            }
            found => found,
        };
        match found {
            Ok(answer) => {
                answer.result.map(Some).ok_or_else(|| self.lacks("the collection's description"))
            }
            Err((failure, _)) if failure.cause == Cause::NotFound => Ok(None),
            Err((failure, attempts)) => Err(self.error(failure, DESCRIBE, attempts)),
        }
    }

    /// Returns the description of a collection that was there before.
    pub(super) async fn info(&self) -> Result<CollectionInfo, Error> {
        let answer = self.retry(DESCRIBE, || self.client.collection_info(&self.collection)).await?;
        answer.result.ok_or_else(|| self.lacks("the collection's description"))
    }

    /// Counts the points that `n_replicas` replicas have, filtered or not: exactly, or as the server's segments report them.
    pub(super) async fn counted(&self, is_exact: bool, n_replicas: u64) -> Result<usize, Error> {
        let count = || {
            let request = CountPointsBuilder::new(&self.collection).exact(is_exact);
            self.client.count(request.read_consistency(Factor(n_replicas)))
        };
        let counted = self.retry("count points", count).await?.result;
        let counted = counted.ok_or_else(|| self.lacks("a count"))?;
        Ok(usize::try_from(counted.count).unwrap_or(usize::MAX))
    }

    /// Returns a page of points, and the start of the next one.
    pub(super) async fn scrolled(
        &self,
        request: ScrollPoints,
    ) -> Result<(Vec<RetrievedPoint>, Option<PointId>), Error> {
        let answer = self.retry("list points", || self.client.scroll(request.clone())).await?;
        Ok((answer.result, answer.next_page_offset))
    }

    /// Returns the results of a search with the keys of their points.
    ///
    /// # Errors
    /// More results than the limit; a missing or duplicate id, or one without a key; a score that is not finite; results that
    /// are not ordered by score.
    pub(super) async fn searched<K: Eq + Hash + Clone>(
        &self,
        request: QueryPoints,
        scores_are_distances: bool,
        key: impl Fn(&PointId) -> Result<K, Error>,
    ) -> Result<Vec<(K, f32)>, Error> {
        let limit = request.limit.unwrap_or(0) as usize;
        let found = self.retry("search", || self.client.query(request.clone())).await?.result;
        if found.len() > limit {
            let n = found.len();
            return Err(self.invalid(&format!("{n} search results for a limit of {limit}")));
        }
        let sign = if scores_are_distances { -1.0 } else { 1.0 };
        let mut seen = HashSet::new();
        let mut scored: Vec<(K, f32)> = Vec::with_capacity(found.len());
        for ScoredPoint { id, score: raw, .. } in &found {
            let id = id.as_ref().ok_or_else(|| self.lacks("a point's id"))?;
            let (key, shown, score) = (key(id)?, wire::shown(id), sign * raw);
            if !seen.insert(key.clone()) {
                let problem = format!("duplicate point {shown} in a search result");
                return Err(self.invalid(&problem));
            }
            if !score.is_finite() {
                return Err(self.invalid(&format!("point {shown} has score {raw}")));
            }
            if scored.last().is_some_and(|(_, last)| *last < score) {
                return Err(self.invalid("search results are not ordered by score"));
            }
            scored.push((key, score));
        }
        Ok(scored)
    }

    /// Returns true if the collection is ours to create and to delete.
    fn is_ours(&self) -> bool {
        self.server.settings == "vector_store"
    }

    /// Creates the error of a response that lacks a part that the protocol promises.
    pub(super) fn lacks(&self, what: &str) -> Error {
        self.invalid(&format!("it lacks {what}"))
    }

    /// Creates the error of a response that the protocol does not allow.
    pub(super) fn invalid(&self, problem: &str) -> Error {
        let (url, collection) = (&self.server.url, &self.collection);
        Error::permanent(format!(
            "invalid response of the Qdrant server at `{url}` (collection `{collection}`): {problem}"
        ))
        .with_hint(self.suspect())
    }

    /// Hint about a server that answers in an unexpected way. Never advises to delete a collection of another program.
    fn suspect(&self) -> String {
        let (settings, collection) = (self.server.settings, &self.collection);
        if self.is_ours() {
            format!(
                "check the server's version and log; collection `{collection}` can be deleted and is rebuilt from the vector cache"
            )
        } else {
            format!("check the server's version and log, and `[{settings}]`")
        }
    }

    /// Creates the error of a point that this program did not store.
    pub(super) fn unknown(&self, point: &PointId) -> Error {
        Error::unknown_point(&self.collection, &self.server.url, &wire::shown(point))
    }

    pub(super) fn error(&self, failure: Failure, action: &str, attempts: usize) -> Error {
        let Failure { cause, status, message, .. } = failure;
        let Server { url, settings, timeout, .. } = &self.server;
        let is_ours = self.is_ours();
        let at = format!("the Qdrant server at `{url}`");
        let of = format!("collection `{}`", self.collection);
        let error = match cause {
            Cause::Late => {
                let seconds = timeout.as_secs_f64();
                let message = format!("{at} did not {action} within {seconds} s ({of})");
                return Error::new(Kind::Transient, message).with_hint(format!(
                    "check that the server at `{url}` is Qdrant and not overloaded"
                ));
            }
            Cause::Unconfirmed => return self.invalid(&message),
            Cause::NoAnswer => {
                Error::new(Kind::Unreachable, format!("no Qdrant server answers at `{url}`"))
                    .with_hint(self.unreachable())
            }
            Cause::LostNode => Error::new(
                Kind::Transient,
                format!(
                    "a node of the Qdrant cluster at `{url}` is lost, so it could not {action} ({of}, attempt {attempts})"
                ),
            )
            .with_hint(if is_ours {
                "start the lost node, then run again; a collection with `vector_store.replicas` above 1 is searched without it"
            } else {
                "start the lost node, then run again"
            }),
            Cause::Full => {
                Error::permanent(format!("{at} has no space left to {action} ({of})")).with_hint(
                    "free space on the server's disk or raise its quota, then run again: stored points are reused",
                )
            }
            Cause::NotFound => {
                let message =
                    format!("{of} on {at} was deleted while it was in use");
                Error::new(Kind::Changed, message).with_hint(if is_ours {
                    "run again: the collection is rebuilt from the vector cache"
                } else {
                    "run again when the collection exists"
                })
            }
            Cause::Denied => {
                Error::permanent(format!("{at} refused the API key (gRPC status {status})"))
                    .with_hint(format!(
                        "set `{settings}.api_key_env` to the name of a variable that holds a valid key"
                    ))
            }
            Cause::Forbidden => Error::permanent(format!(
                "the API key for {at} lacks the permission to {action} ({of})"
            ))
            .with_hint(if is_ours {
                format!("name a key that may create and write collections in `{settings}.api_key_env`; reading is enough for a complete collection")
            } else {
                format!("name a key that may read the collection in `{settings}.api_key_env`")
            }),
            Cause::Busy | Cause::Limited | Cause::Invalid | Cause::Refused => Error::new(
                Kind::Transient,
                format!("{at} could not {action} ({of}, gRPC status {status}, attempt {attempts})"),
            )
            .with_hint(match cause {
                _ if !is_ours => self.suspect(),
                Cause::Invalid => format!(
                    "if another program changed {of}, delete it: it is rebuilt from the vector cache"
                ),
                Cause::Limited => {
                    "wait and run again, or raise the rate limit of the server".to_owned()
                }
                _ => "check the server's log, disk and memory, then run again: stored points are reused"
                    .to_owned(),
            }),
        };
        error.because(message)
    }

    /// Returns a hint about starting a server, or about the port that is often mistaken for the gRPC one.
    fn unreachable(&self) -> String {
        let Server { url, settings, .. } = &self.server;
        if url.trim_end_matches('/').ends_with(":6333") {
            format!("set `{settings}.url` to the gRPC port, 6334; 6333 is the REST port")
        } else if self.is_ours() {
            "start one with `docker run -p 6334:6334 qdrant/qdrant:v1.18.0`, or set `vector_store.kind = \"embedded\"`".to_owned()
        } else {
            format!("start the server or correct `{settings}.url`")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_told_by_its_code_and_text() {
        // Codes of grpc.io: 3 invalid argument, 4 deadline exceeded, 5 not found, 7 permission denied, 8 resource exhausted, 13
        // internal, 14 unavailable, 16 unauthenticated. The texts are those of Qdrant 1.18.3 and 1.19, some in a cluster of three
        // nodes, one of them killed.
        let relayed = "Service internal error: 1 of 1 read operations failed: Tonic status error: code: 'The service is currently \
                       unavailable', message: \"tcp connect error\"";
        let unapplied = "Service internal error: 2 out of 3 shards failed to apply operation. First error captured: Service \
                         internal error: Tonic status error: code: 'The service is currently unavailable', message: \"tcp connect error\"";
        let cases = [
            (14, "busy", Cause::NoAnswer),
            (13, "Failed to connect to http://localhost:6334/: ConnectionRefused", Cause::NoAnswer),
            (
                14,
                "Failed to connect to http://127.0.0.1:19235/, error: transport error",
                Cause::LostNode,
            ),
            (13, relayed, Cause::LostNode),
            (13, unapplied, Cause::LostNode),
            (13, "Service internal error: 0 of 0 read operations failed", Cause::LostNode),
            (
                13,
                "Service internal error: 1 of 1 read operations failed: Wrong input",
                Cause::Refused,
            ),
            (13, "Service internal error: No space left on device", Cause::Full),
            (8, "Insufficient storage: Disk usage is at 96%", Cause::Full),
            (8, "Rate limiting exceeded", Cause::Limited),
            (4, "Timeout", Cause::Busy),
            (3, "Wrong input", Cause::Invalid),
            (5, "Collection `c` doesn't exist!", Cause::NotFound),
            (7, "Forbidden: Write access to collection c is required", Cause::Forbidden),
            (7, "no", Cause::Denied),
            (16, "Must provide an API key", Cause::Denied),
        ];
        for (code, message, expected) in cases {
            let failure = Failure::new(code, String::new(), message.to_owned());
            assert_eq!(failure.cause, expected, "{code} {message}");
            let passes =
                [Cause::NoAnswer, Cause::LostNode, Cause::Busy, Cause::Limited].contains(&expected);
            assert_eq!(failure.may_pass(), passes, "{code} {message}");
        }
    }
}
