//! Calls to the server: each within its deadline, retried after transient failures.

use std::future::Future;
use std::time::Duration;

use qdrant_client::Qdrant;
use qdrant_client::qdrant::PointId;
use tokio::time::{Instant, timeout_at};

use super::failure::CallFailure;
use super::wire;
use crate::Server;
use crate::error::IndexError;

/// Waits before the second, third and fourth attempt.
pub(super) const WAITS: [Duration; 3] =
    [Duration::from_millis(200), Duration::from_millis(800), Duration::from_millis(3_200)];

/// The client, its server and its collection.
pub(super) struct Calls {
    pub(super) client: Qdrant,
    pub(super) url: String,
    pub(super) collection: String,
    timeout: Duration,
}

impl Calls {
    /// Creates a client that is not yet connected.
    pub(super) fn new(server: &Server, collection: String) -> Result<Self, IndexError> {
        let Server { url, api_key, timeout, indexing_timeout: _ } = server;
        server.check()?;
        let built = Qdrant::from_url(url)
            .api_key(api_key.clone())
            // Our deadline expires first; the client's would be retried inside the client.
            .timeout(*timeout * 2)
            .connect_timeout(*timeout * 2)
            .skip_compatibility_check()
            .build();
        // The address was checked: it has neither user nor key in it.
        let client = built
            .map_err(|error| IndexError::Url { url: url.clone(), reason: error.to_string() })?;
        Ok(Self { client, url: url.clone(), collection, timeout: *timeout })
    }

    /// Calls until the server answers, at most four times and until the deadline.
    pub(super) async fn retry<T, F, E>(
        &self,
        action: &'static str,
        call: impl Fn() -> F,
    ) -> Result<T, IndexError>
    where
        F: Future<Output = Result<T, E>>,
        E: Into<CallFailure>,
    {
        self.attempt(action, &WAITS, call)
            .await
            .map_err(|(failure, attempts)| self.error(failure, action, attempts))
    }

    /// Calls once, and again after each of `waits` while the failure is transient. The deadline covers all attempts. A
    /// failure is returned with the number of attempts.
    pub(super) async fn attempt<T, F, E>(
        &self,
        action: &'static str,
        waits: &[Duration],
        call: impl Fn() -> F,
    ) -> Result<T, (CallFailure, usize)>
    where
        F: Future<Output = Result<T, E>>,
        E: Into<CallFailure>,
    {
        let deadline = Instant::now() + self.timeout;
        let mut waits = waits.iter();
        let mut attempts = 1;
        loop {
            let failure = match timeout_at(deadline, call()).await {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(error)) => error.into(),
                Err(_) => CallFailure::late(action),
            };
            let wait = waits.next().map(|wait| failure.asked_wait.unwrap_or_default().max(*wait));
            match wait.filter(|wait| failure.may_pass() && Instant::now() + *wait < deadline) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return Err((failure, attempts)),
            }
            attempts += 1;
        }
    }

    pub(super) fn error(
        &self,
        failure: CallFailure,
        action: &'static str,
        attempts: usize,
    ) -> IndexError {
        failure.into_error(&self.url, &self.collection, action, attempts, self.timeout)
    }

    /// Creates the error of a response that lacks a part that the protocol promises.
    pub(super) fn lacks(&self, what: &'static str) -> IndexError {
        self.invalid(format!("it lacks {what}"))
    }

    /// Creates the error of a response that the protocol does not allow.
    pub(super) fn invalid(&self, problem: String) -> IndexError {
        IndexError::Answer { url: self.url.clone(), collection: self.collection.clone(), problem }
    }

    /// Creates the error of a point that this program did not store.
    pub(super) fn unknown(&self, point: &PointId) -> IndexError {
        IndexError::Foreign {
            collection: self.collection.clone(),
            place: self.url.clone(),
            point: wire::shown(point),
        }
    }
}
