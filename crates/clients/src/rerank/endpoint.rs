//! A reranker behind HTTP: `POST /rerank` in the formats of Cohere, Jina and
//! text-embeddings-inference.
//!
//! | form | sent | answered | also spoken by |
//! |---|---|---|---|
//! | `cohere` | `model`, `query`, `documents`, `top_n` | `results` of `index`, `relevance_score` | vLLM, `LiteLLM` |
//! | `jina` | the same, `return_documents: false` | the same | Infinity, llama.cpp |
//! | `tei` | `query`, `texts`, `raw_scores: true`, `truncate: true` | a list of `index`, `score` | |
//!
//! Passages are sent in batches, several concurrently, each with retries; a batch that the server rejects as too large
//! is split in half. Every passage must receive a score. A changed model behind a name cannot be detected.

use std::path::PathBuf;
use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Reranker;
use crate::Error;
use crate::http::{Backoff, EndpointSettings, Secret, by_index, hashed_query, in_halves};
use crate::remote::{RemoteClient, in_order, is_too_large};
use crate::services::{RERANKER, bad_setting, check_positive};
use ragtriage_core::config::RerankApi;
use ragtriage_core::types::TitledText;

/// Part of the fingerprint: raised whenever a change here changes a score.
const ENDPOINT_VERSION: u32 = 1;

/// Returns the default number of passages per call: Cohere bills by the hundred, text-embeddings-inference
/// accepts 32 (`--max-client-batch-size`).
fn default_batch_passages(form: RerankApi) -> usize {
    match form {
        RerankApi::Cohere | RerankApi::Jina => 100,
        RerankApi::Tei => 32,
    }
}

fn request(form: RerankApi, model: &str, query: &str, passages: &[String]) -> Value {
    let top_n = passages.len();
    match form {
        RerankApi::Cohere => {
            json!({ "model": model, "query": query, "documents": passages, "top_n": top_n })
        }
        RerankApi::Jina => json!({
            "model": model, "query": query, "documents": passages, "top_n": top_n, "return_documents": false
        }),
        RerankApi::Tei => {
            json!({ "query": query, "texts": passages, "raw_scores": true, "truncate": true })
        }
    }
}

/// The settings of a remote reranker. Not `Debug`: the URL may hold user info.
#[derive(Clone)]
pub struct RerankSettings {
    /// Calls are sent to `<url>/rerank`.
    pub url: String,
    /// The API of the server.
    pub form: RerankApi,
    /// The model's name on the server; not sent, and may be empty, for the format `tei`.
    pub model: String,
    /// Sent as a bearer token.
    pub api_key: Option<Secret>,
    /// Maximum number of passages per call.
    pub batch_passages: usize,
    /// Number of concurrent calls.
    pub concurrency: usize,
    /// Timeout of one call.
    pub timeout: Duration,
    /// The retry policy.
    pub backoff: Backoff,
    /// PEM file of certificate authorities trusted in addition to the system's.
    pub ca_file: Option<PathBuf>,
}

impl RerankSettings {
    /// Creates the settings of `model` at `url` with the format's default batch size, four
    /// concurrent calls, four attempts.
    #[must_use]
    pub fn new(url: String, form: RerankApi, model: String) -> Self {
        let timeout = Duration::from_mins(1);
        let (batch_passages, backoff) =
            (default_batch_passages(form), Backoff::new(4, 3 * timeout));
        Self {
            url,
            form,
            model,
            api_key: None,
            batch_passages,
            concurrency: 4,
            timeout,
            backoff,
            ca_file: None,
        }
    }
}

/// A server's model as a [`Reranker`].
pub struct Endpoint {
    client: RemoteClient,
    settings: RerankSettings,
    fingerprint: String,
}

impl Endpoint {
    /// Checks the settings and creates the client. Makes no calls.
    pub fn new(settings: RerankSettings) -> Result<Self, Error> {
        let RerankSettings { url, form, model, .. } = &settings;
        if model.is_empty() && *form != RerankApi::Tei {
            return Err(bad_setting(&RERANKER, "model", "is empty"));
        }
        check_positive(&RERANKER, &[("batch_passages", settings.batch_passages)])?;
        let endpoint = EndpointSettings {
            api_key: settings.api_key.clone(),
            timeout: settings.timeout,
            ca_file: settings.ca_file.clone(),
            ..EndpointSettings::new(url, &RERANKER)?
        };
        let client = RemoteClient::new(endpoint, settings.concurrency, settings.backoff)?;
        let (shown, query) = (client.shown_url(), hashed_query(url));
        let (form, model) = (form.name(), json!(model));
        let fingerprint = format!("endpoint v{ENDPOINT_VERSION} {form} {shown}{query} {model}");
        Ok(Self { client, settings, fingerprint })
    }

    /// Makes one call with retries.
    async fn call(&self, query: &str, passages: &[String]) -> Result<Vec<f32>, Error> {
        let RerankSettings { form, model, .. } = &self.settings;
        let request = request(*form, model, query, passages);
        let scored: Vec<WireScore> = match form {
            RerankApi::Cohere | RerankApi::Jina => {
                let answer: Results = self.client.post(&request, passages).await?;
                answer.results
            }
            RerankApi::Tei => self.client.post(&request, passages).await?,
        };
        let scores = scored.into_iter().map(|given| (given.index, given.score));
        let broken = match by_index(scores, passages.len()) {
            Ok(scores) => match scores.iter().find(|score| !score.is_finite()) {
                None => return Ok(scores),
                Some(score) => format!("the score {score}"),
            },
            Err(what) => what,
        };
        Err(self.client.wrong_answer(&broken))
    }
}

#[async_trait]
impl Reranker for Endpoint {
    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    async fn scores(&self, query: &str, passages: &[TitledText<'_>]) -> Result<Vec<f32>, Error> {
        let passages: Vec<String> =
            passages.iter().map(|passage| passage.joined().into_owned()).collect();
        let calls = passages
            .chunks(self.settings.batch_passages)
            .map(|batch| in_halves(batch, |passages| self.call(query, passages), is_too_large));
        // Futures are created here and not by a stream: the compiler cannot prove those to be `Send`.
        in_order(calls.collect(), self.settings.concurrency).await
    }
}

#[derive(Deserialize)]
struct Results {
    results: Vec<WireScore>,
}

#[derive(Deserialize)]
struct WireScore {
    index: usize,
    #[serde(alias = "relevance_score")]
    score: f32,
}

#[cfg(test)]
mod faults;
#[cfg(test)]
mod tests;
