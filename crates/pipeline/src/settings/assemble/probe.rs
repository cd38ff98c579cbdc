//! The models and services of a configuration, one by one, for checks before a run.
//!
//! A check makes at most one call, without retries: the time of a run's retries would say nothing more.

use super::environment::Environment;
use super::external;
pub use super::generation::endpoint as generator;
pub use super::judge::openai_settings as judge;
use super::recipients::uses_encoder;
use super::retrieval::Wiring;
use crate::Error;
use crate::settings::Resolved;
use ragtriage_clients::embed::{Encoder, Remote, Role};
use ragtriage_clients::http::{Backoff, Endpoint};
use ragtriage_clients::rerank::{self, Reranker};
use ragtriage_core::text::tokens::Tokenizer;
use ragtriage_core::types::{RetrieverName, TitledText};
use ragtriage_encoder::checkpoint::{Checkpoint, CheckpointError};
use ragtriage_vectors::{open_existing, server_version};

/// Text that endpoints are sent.
const TEXT: &str = "check";

/// A model of the configuration that runs in this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalModel<'a> {
    /// The key that names it.
    pub key: &'static str,
    /// Its name or folder.
    pub name: &'a str,
}

/// Returns the models that a run loads into this process.
#[must_use]
pub fn local_models(resolved: &Resolved) -> Vec<LocalModel<'_>> {
    let settings = &resolved.settings;
    let retrieval = &settings.retrieval;
    let is_ours = settings.external.url.is_none();
    let is_dense = is_ours && uses_encoder(settings) && retrieval.dense.endpoint.is_none();
    let counts = is_ours && settings.chunking.tokenizer == Tokenizer::Model;
    let is_late = is_ours && retrieval.retrievers.contains(&RetrieverName::LateInteraction);
    let query_model = retrieval.dense.query_model.as_deref();
    let reranker = settings.rerank.model.as_deref();
    let reranker = reranker.filter(|_| is_ours && settings.rerank.endpoint.is_none());
    let all = [
        ("retrieval.dense.model", (is_dense || counts).then_some(retrieval.dense.model.as_str())),
        ("retrieval.dense.query_model", query_model.filter(|_| is_dense)),
        (
            "retrieval.late_interaction.model",
            is_late.then_some(retrieval.late_interaction.model.as_str()),
        ),
        ("rerank.model", reranker),
    ];
    let used = all.into_iter().filter_map(|(key, name)| Some(LocalModel { key, name: name? }));
    used.collect()
}

/// Opens the checkpoint of `model` and verifies its files, without downloading.
///
/// # Errors
/// A model that is on this machine nowhere, or has other files than its hashes say.
pub async fn checkpoint(
    model: &LocalModel<'_>,
    resolved: &Resolved,
    environment: &Environment,
) -> Result<Checkpoint, CheckpointError> {
    let wiring = Wiring::new(resolved, environment, &|_| {});
    wiring.located_here(model.name).await
}

/// Encodes one word at the embeddings endpoint and returns the dimension of its vector.
///
/// # Errors
/// An unset key, a failed call, another answer than a vector of the configured dimension.
pub async fn encoder(resolved: &Resolved, environment: &Environment) -> Result<usize, Error> {
    let wiring = Wiring::new(resolved, environment, &|_| {});
    let dense = &resolved.settings.retrieval.dense;
    let remote = Remote::open(&once(wiring.encoder_endpoint()?)?, dense).await?;
    // Otherwise opening it has made the call.
    if dense.dimensions.is_some() {
        remote.encode(&[text()], Role::Query, &|_| {}).await?;
    }
    Ok(remote.shape().dimension)
}

/// Scores one passage at the rerank endpoint.
///
/// # Errors
/// An unset key, a failed call, another answer than a score.
pub async fn reranker(resolved: &Resolved, environment: &Environment) -> Result<(), Error> {
    let endpoint = Wiring::new(resolved, environment, &|_| {}).reranker_endpoint()?;
    let rerank = &resolved.settings.rerank;
    let model = rerank.model.clone().unwrap_or_default();
    let endpoint = rerank::RemoteReranker::new(&once(endpoint)?, rerank.form, model)?;
    endpoint.scores(TEXT, &[text()]).await?;
    Ok(())
}

/// Returns the version of the vector store's server, which has accepted the key.
///
/// # Errors
/// An unset key, no answer, a refused key.
pub async fn vector_server(
    resolved: &Resolved,
    environment: &Environment,
) -> Result<String, Error> {
    let server = Wiring::new(resolved, environment, &|_| {}).server()?;
    Ok(server_version(&server).await?)
}

/// Opens the existing collection, and returns the version of its server.
///
/// # Errors
/// As [`vector_server`]; no such collection, or one without the configured vectors.
pub async fn collection(resolved: &Resolved, environment: &Environment) -> Result<String, Error> {
    let server = Wiring::new(resolved, environment, &|_| {}).collection_server()?;
    let version = server_version(&server).await?;
    open_existing(&server, &resolved.settings.retrieval.collection, None).await?;
    Ok(version)
}

/// Connects to the external RAG without asking a question, which may cost tokens.
///
/// # Errors
/// An unset key, no answer, a refused key.
pub async fn service(resolved: &Resolved, environment: &Environment) -> Result<(), Error> {
    let service = external::connected(resolved, environment)?;
    Ok(service.reach().await?)
}

/// Returns the endpoint with one try in place of several.
fn once(endpoint: Option<Endpoint>) -> Result<Endpoint, Error> {
    let endpoint = endpoint.ok_or_else(|| Error::setting("no endpoint is configured"))?;
    Ok(Endpoint { backoff: Backoff::new(1, endpoint.timeout), ..endpoint })
}

fn text() -> TitledText<'static> {
    TitledText { title: "", text: TEXT }
}
