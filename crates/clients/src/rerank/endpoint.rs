//! A reranker behind HTTP: `POST /rerank` in the formats of Cohere and text-embeddings-inference.
//!
//! | form | sent | answered | also spoken by |
//! |---|---|---|---|
//! | `cohere` | `model`, `query`, `documents`, `top_n` | `results` of `index`, `relevance_score` | Jina, vLLM, `LiteLLM`, Infinity, llama.cpp |
//! | `tei` | `query`, `texts`, `raw_scores: true`, `truncate: true` | a list of `index`, `score` | |
//!
//! Passages are sent in batches, several concurrently, each with retries; a batch that the server rejects as too large
//! is split in half. Every passage must receive a score. A changed model behind a name cannot be detected.

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::Reranker;
use crate::Error;
use crate::http::{Client, Endpoint, by_index, in_halves, in_order};
use ragtriage_core::config::RerankApi;
use ragtriage_core::types::TitledText;

/// Part of the fingerprint: raised whenever a change here changes a score.
const ENDPOINT_VERSION: u32 = 1;

/// Returns the maximum number of passages per call: Cohere bills by the hundred, text-embeddings-inference accepts 32
/// (`--max-client-batch-size`).
fn batch_passages(form: RerankApi) -> usize {
    match form {
        RerankApi::Cohere => 100,
        RerankApi::Tei => 32,
    }
}

fn request(form: RerankApi, model: &str, query: &str, passages: &[String]) -> Value {
    match form {
        RerankApi::Cohere => json!({
            "model": model, "query": query, "documents": passages, "top_n": passages.len()
        }),
        RerankApi::Tei => {
            json!({ "query": query, "texts": passages, "raw_scores": true, "truncate": true })
        }
    }
}

/// A server's model as a [`Reranker`].
pub struct RemoteReranker {
    client: Client,
    concurrency: usize,
    form: RerankApi,
    model: String,
    fingerprint: String,
}

impl RemoteReranker {
    /// Checks the settings and creates the client. Makes no calls. `model` is not sent, and may be empty, for the format `tei`.
    pub fn new(endpoint: &Endpoint, form: RerankApi, model: String) -> Result<Self, Error> {
        if model.is_empty() && form != RerankApi::Tei {
            return Err(endpoint.names.bad_setting("model", "is empty"));
        }
        let client = Client::new(endpoint)?;
        let (shown, query) = (client.shown_url(), endpoint.hashed_query());
        let fingerprint =
            format!("endpoint v{ENDPOINT_VERSION} {} {shown}{query} {}", form.name(), json!(model));
        Ok(Self { client, concurrency: endpoint.concurrency, form, model, fingerprint })
    }

    /// Makes one call with retries.
    async fn call(&self, query: &str, passages: &[String]) -> Result<Vec<f32>, Error> {
        let request = request(self.form, &self.model, query, passages);
        let scored: Vec<WireScore> = match self.form {
            RerankApi::Cohere => {
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
impl Reranker for RemoteReranker {
    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    async fn scores(&self, query: &str, passages: &[TitledText<'_>]) -> Result<Vec<f32>, Error> {
        let passages: Vec<String> =
            passages.iter().map(|passage| passage.joined().into_owned()).collect();
        let calls = passages
            .chunks(batch_passages(self.form))
            .map(|batch| in_halves(batch, |passages| self.call(query, passages)));
        // Futures are created here and not by a stream: the compiler cannot prove those to be `Send`.
        in_order(calls.collect(), self.concurrency).await
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
