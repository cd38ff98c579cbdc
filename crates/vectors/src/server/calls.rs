//! Calls to the server: each within its deadline, retried after transient failures, with the meaning of a failure and the
//! checks of an answer that no store may pass on.

use std::collections::HashSet;
use std::future::Future;
use std::hash::Hash;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use qdrant_client::qdrant::{
    CollectionInfo, CountPointsBuilder, PointId, QueryPoints, RetrievedPoint, ScoredPoint,
    ScrollPoints, UpdateStatus,
};
use qdrant_client::{Qdrant, QdrantError};
use tokio::time::{Instant, timeout_at};

use super::wire;
use crate::{Error, Kind, Server, address, error};

/// Waits before the second, third and fourth attempt.
const WAITS: [Duration; 3] =
    [Duration::from_millis(200), Duration::from_millis(800), Duration::from_millis(3_200)];

const DESCRIBE: &str = "describe a collection";

/// The client, its server and its collection.
pub(super) struct Calls {
    pub(super) client: Qdrant,
    pub(super) collection: String,
    pub(super) server: Server,
    /// True once the server has answered a call. One that never did is reported at once.
    has_answered: AtomicBool,
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
        let server = server.clone();
        Ok(Self { client, collection, server, has_answered: AtomicBool::default() })
    }

    /// Calls until the server answers, at most four times and until the deadline.
    pub(super) async fn call<T, F>(&self, action: &str, call: impl Fn() -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, QdrantError>>,
    {
        let deadline = Instant::now() + self.server.timeout;
        let mut waits = WAITS.iter();
        loop {
            let error = match timeout_at(deadline, call()).await {
                Ok(Ok(answer)) => {
                    self.has_answered.store(true, Ordering::Relaxed);
                    return Ok(answer);
                }
                Ok(Err(error)) => self.error(action, error),
                Err(_) => return Err(self.late(action)),
            };
            let may_pass = match error.kind {
                Kind::Unreachable => self.has_answered.load(Ordering::Relaxed),
                kind => kind == Kind::Transient,
            };
            match waits.next().filter(|wait| may_pass && Instant::now() + **wait < deadline) {
                Some(wait) => tokio::time::sleep(*wait).await,
                None => return Err(error),
            }
        }
    }

    /// Returns the server's description of the collection; `None` if it has none.
    pub(super) async fn described(&self) -> Result<Option<CollectionInfo>, Error> {
        match self.info().await {
            Ok(info) => Ok(Some(info)),
            Err(error) if error.kind == Kind::Changed => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the description of a collection that was there before.
    pub(super) async fn info(&self) -> Result<CollectionInfo, Error> {
        let answer = self.call(DESCRIBE, || self.client.collection_info(&self.collection)).await?;
        answer.result.ok_or_else(|| self.lacks("the collection's description"))
    }

    /// Counts the points, filtered or not: exactly, or as the server's segments report them.
    pub(super) async fn counted(&self, is_exact: bool) -> Result<usize, Error> {
        let count = || self.client.count(CountPointsBuilder::new(&self.collection).exact(is_exact));
        let counted = self.call("count points", count).await?.result;
        let counted = counted.ok_or_else(|| self.lacks("a count"))?;
        Ok(usize::try_from(counted.count).unwrap_or(usize::MAX))
    }

    /// Returns a page of points, and the start of the next one.
    pub(super) async fn scrolled(
        &self,
        request: ScrollPoints,
    ) -> Result<(Vec<RetrievedPoint>, Option<PointId>), Error> {
        let answer = self.call("list points", || self.client.scroll(request.clone())).await?;
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
        let found = self.call("search", || self.client.query(request.clone())).await?.result;
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
        error::permanent(format!(
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
        error::unknown_point(&self.collection, &self.server.url, &wire::shown(point))
    }

    /// Creates the error of a failed call, from the code of its gRPC status (grpc.io, "Status codes").
    fn error(&self, action: &str, error: QdrantError) -> Error {
        let (code, name, message) = match error {
            QdrantError::ResponseError { status }
            | QdrantError::ResourceExhaustedError { status, .. } => {
                (status.code() as i32, format!("{:?}", status.code()), status.message().to_owned())
            }
            other => (2, "Unknown".to_owned(), other.to_string()),
        };
        let Server { url, settings, .. } = &self.server;
        let at = format!("the Qdrant server at `{url}`");
        let of = format!("collection `{}`", self.collection);
        let again = if self.is_ours() {
            "run again: the collection is rebuilt from the vector cache"
        } else {
            "run again when the collection exists"
        };
        let could_not = |kind| {
            let message = format!("{at} could not {action} ({of}, gRPC status {name})");
            Error::of(kind, message).with_hint(self.suspect())
        };
        let error = match code {
            14 => self.no_answer(),
            1 | 2 | 13 if is_no_answer(&message) => self.no_answer(),
            5 => {
                let message = format!("{of} on {at} was deleted while it was in use");
                Error::of(Kind::Changed, message).with_hint(again)
            }
            7 | 16 => error::permanent(format!(
                "{at} refused the API key to {action} ({of}, gRPC status {name})"
            ))
            .with_hint(format!(
                "set `{settings}.api_key_env` to the name of a variable that holds a valid key; a key that may only read is enough for a complete collection"
            )),
            1 | 4 | 8 | 10 | 13 => could_not(Kind::Transient),
            _ => could_not(Kind::Permanent),
        };
        error.because(message)
    }

    fn late(&self, action: &str) -> Error {
        let Server { url, timeout, .. } = &self.server;
        let (seconds, collection) = (timeout.as_secs_f64(), &self.collection);
        let message = format!(
            "the Qdrant server at `{url}` did not {action} within {seconds} s (collection `{collection}`)"
        );
        Error::of(Kind::Transient, message)
            .with_hint(format!("check that the server at `{url}` is Qdrant and not overloaded"))
    }

    /// Creates the error of an update that the server answered without having applied it.
    pub(super) fn unconfirmed(&self, status: UpdateStatus) -> Error {
        let (found, expected) = (status.as_str_name(), UpdateStatus::Completed.as_str_name());
        self.invalid(&format!("an update has status `{found}`, expected `{expected}`"))
    }

    fn no_answer(&self) -> Error {
        let message = format!("no Qdrant server answers at `{}`", self.server.url);
        Error::of(Kind::Unreachable, message).with_hint(self.unreachable())
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

/// Returns true for the texts of absent servers, which the client reports as internal errors (`qdrant-client` 1.18,
/// `channel_pool.rs`; `tonic` 0.12, `transport/error.rs`).
fn is_no_answer(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    [
        "failed to connect",
        "transport error",
        "h2 protocol error",
        "http2 error",
        "error trying to connect",
    ]
    .iter()
    .any(|words| message.contains(words))
}
