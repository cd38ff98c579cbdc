//! A client with a concurrency limit and a retry policy.

use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::Semaphore;

use super::error::{RemoteError, RemoteModel};
use ragtriage_http::{Backoff, EndpointSettings, JsonEndpoint};

pub(crate) struct RemoteClient {
    model: RemoteModel,
    endpoint: JsonEndpoint,
    permits: Semaphore,
    backoff: Backoff,
}

impl RemoteClient {
    /// Creates the client without making a call.
    pub(crate) fn new(
        model: RemoteModel,
        endpoint: EndpointSettings,
        concurrency: usize,
        backoff: Backoff,
    ) -> Result<Self, RemoteError> {
        let endpoint =
            JsonEndpoint::new(endpoint).map_err(|error| RemoteError::new(model, error))?;
        Ok(Self {
            model,
            endpoint,
            permits: Semaphore::new(concurrency.min(Semaphore::MAX_PERMITS)),
            backoff,
        })
    }

    /// Returns the address without its secrets.
    pub(crate) fn shown_url(&self) -> &str {
        self.endpoint.shown_url()
    }

    /// Creates the error of an answer that is not what was asked for.
    pub(crate) fn wrong_answer(&self, what: String) -> RemoteError {
        let url = self.shown_url().to_owned();
        RemoteError::WrongAnswer { url, what }
    }

    /// Posts a request about `texts` and reads the response.
    pub(crate) async fn post<T: DeserializeOwned>(
        &self,
        request: &impl Serialize,
        texts: &[String],
    ) -> Result<T, RemoteError> {
        let permit = self.permits.acquire().await;
        let _permit = permit.expect("the semaphore is never closed");
        let answer = self.endpoint.post(request, &self.backoff).await;
        answer.map_err(|error| RemoteError::of_call(self.model, texts, error))
    }
}
