//! An encoder behind HTTP: `OpenAI`'s `/v1/embeddings`, also supported by text-embeddings-inference, vLLM, Ollama and
//! llama.cpp.
//!
//! Texts are sent in batches, several concurrently, each with retries; a batch that the server rejects as too large
//! is split in half. A vector's identity is its text, the address, the model's name and the prefix: changed weights
//! behind a name cannot be detected. Tokens are not counted, which only the server could do.

use std::path::PathBuf;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Encoder, Length, OnProgress, Role, VectorShape};
use crate::Error;
use crate::http::{Backoff, EndpointSettings, Secret, by_index, hashed_query, in_halves};
use crate::remote::{RemoteClient, in_order, is_too_large};
use crate::services::{ENCODER, bad_setting, check_positive};
use ragtriage_core::text::numbers::plural;
use ragtriage_core::types::{Similarity, TitledText};

/// Part of the fingerprint: raised whenever a change here changes a vector.
const REMOTE_VERSION: u32 = 1;
/// The text encoded to determine the dimension.
const PROBE: &str = "dimension";
/// Maximum size of a response: 64 MiB are 800 vectors of 4,096 numbers, 20 characters each.
const LARGEST_ANSWER_BYTES: usize = 64 << 20;

/// The settings of a remote encoder. Not `Debug`: the URL may hold user info.
#[derive(Clone)]
pub struct RemoteSettings {
    /// Calls are sent to `<url>/embeddings`, so it ends in `/v1` for most servers.
    pub url: String,
    /// The model's name on the server.
    pub model: String,
    /// Sent as a bearer token.
    pub api_key: Option<Secret>,
    /// Requested if set: models trained for it truncate their vectors (Kusupati et al. 2022).
    pub dimensions: Option<usize>,
    /// Maximum number of texts per call.
    pub batch_texts: usize,
    /// Maximum number of characters per call, unless a single text is longer.
    pub batch_chars: usize,
    /// Number of concurrent calls.
    pub concurrency: usize,
    /// Timeout of one call.
    pub timeout: Duration,
    /// The retry policy.
    pub backoff: Backoff,
    /// Prefix of every query.
    pub query_prefix: String,
    /// Prefix of every passage.
    pub passage_prefix: String,
    /// The similarity that compares vectors.
    pub similarity: Similarity,
    /// PEM file of certificate authorities trusted in addition to the system's.
    pub ca_file: Option<PathBuf>,
}

impl RemoteSettings {
    /// Creates the settings of `model` at `url` with default sizes: 64 texts and 200,000 characters per call, which is
    /// below the limits of 300,000 tokens of `OpenAI` and 2 MB of text-embeddings-inference; four concurrent calls, four
    /// attempts.
    #[must_use]
    pub fn new(url: String, model: String) -> Self {
        let timeout = Duration::from_mins(1);
        Self {
            url,
            model,
            api_key: None,
            dimensions: None,
            batch_texts: 64,
            batch_chars: 200_000,
            concurrency: 4,
            timeout,
            backoff: Backoff::new(4, 3 * timeout),
            query_prefix: String::new(),
            passage_prefix: String::new(),
            similarity: Similarity::Cosine,
            ca_file: None,
        }
    }
}

/// A server's model as an [`Encoder`].
pub struct Remote {
    client: RemoteClient,
    settings: RemoteSettings,
    dimension: usize,
    query_fingerprint: String,
    passage_fingerprint: String,
}

impl Remote {
    /// Checks the settings and, if they omit the dimension, encodes one short text to determine it.
    pub async fn open(settings: RemoteSettings) -> Result<Self, Error> {
        if settings.model.is_empty() {
            return Err(bad_setting(&ENCODER, "model", "is empty"));
        }
        check_positive(
            &ENCODER,
            &[
                ("dimensions", settings.dimensions.unwrap_or(1)),
                ("batch_texts", settings.batch_texts),
                ("batch_chars", settings.batch_chars),
            ],
        )?;
        let endpoint = EndpointSettings {
            api_key: settings.api_key.clone(),
            timeout: settings.timeout,
            ca_file: settings.ca_file.clone(),
            most_bytes: LARGEST_ANSWER_BYTES,
            ..EndpointSettings::new(&settings.url, &ENCODER)?
        };
        let mut remote = Self {
            client: RemoteClient::new(endpoint, settings.concurrency, settings.backoff)?,
            settings,
            dimension: 0,
            query_fingerprint: String::new(),
            passage_fingerprint: String::new(),
        };
        remote.dimension = match remote.settings.dimensions {
            Some(dimension) => dimension,
            None => remote.call(&[PROBE.to_owned()]).await?[0].len(),
        };
        remote.query_fingerprint = remote.describe(&remote.settings.query_prefix);
        remote.passage_fingerprint = remote.describe(&remote.settings.passage_prefix);
        Ok(remote)
    }

    fn describe(&self, prefix: &str) -> String {
        let (url, query) = (self.client.shown_url(), hashed_query(&self.settings.url));
        let (model, dimension) = (json!(self.settings.model), self.dimension);
        let prefix = json!(prefix);
        format!(
            "remote v{REMOTE_VERSION} openai {url}{query} {model} dimension {dimension} prefix {prefix}"
        )
    }

    /// Returns the text sent to the server.
    fn input(&self, text: TitledText<'_>, role: Role) -> String {
        let prefix = match role {
            Role::Query => &self.settings.query_prefix,
            Role::Passage => &self.settings.passage_prefix,
        };
        format!("{prefix}{}", text.joined())
    }

    /// Returns the vectors of one batch, split in half if the server rejects it as too large.
    async fn batch(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
        let vectors = in_halves(texts, |texts| self.call(texts), is_too_large).await?;
        match vectors.iter().find(|vector| vector.len() != self.dimension) {
            Some(vector) => {
                let n = plural(vector.len(), "number", "numbers");
                let source = match self.settings.dimensions {
                    Some(_) => "`retrieval.dense.dimensions`",
                    None => "its first response",
                };
                let what = format!("a vector of {n}, expected {} as in {source}", self.dimension);
                Err(self.client.wrong_answer(&what))
            }
            None => Ok(vectors),
        }
    }

    /// Makes one call with retries.
    async fn call(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
        let request = EmbeddingsRequest {
            model: &self.settings.model,
            input: texts,
            encoding_format: "float",
            dimensions: self.settings.dimensions,
        };
        let answer: Embeddings = self.client.post(&request, texts).await?;
        let vectors = checked(answer.data, texts.len(), self.settings.similarity);
        vectors.map_err(|what| self.client.wrong_answer(&what))
    }
}

#[async_trait]
impl Encoder for Remote {
    fn fingerprint(&self, role: Role) -> &str {
        match role {
            Role::Query => &self.query_fingerprint,
            Role::Passage => &self.passage_fingerprint,
        }
    }

    fn shape(&self) -> VectorShape {
        VectorShape { dimension: self.dimension, many: false, similarity: self.settings.similarity }
    }

    fn read_bytes(&self, _: TitledText<'_>, _: Role) -> Result<Option<usize>, Error> {
        Ok(None)
    }

    async fn lengths(&self, _: &[TitledText<'_>], _: Role) -> Result<Option<Vec<Length>>, Error> {
        Ok(None)
    }

    async fn encode(
        &self,
        texts: &[TitledText<'_>],
        role: Role,
        on_progress: OnProgress<'_>,
    ) -> Result<Vec<Vec<f32>>, Error> {
        let texts: Vec<String> = texts.iter().map(|text| self.input(*text, role)).collect();
        let batches = batches(&texts, self.settings.batch_texts, self.settings.batch_chars);
        let calls = batches.into_iter().map(|batch| async move {
            let vectors = self.batch(batch).await?;
            on_progress(vectors.len());
            Ok(vectors)
        });
        // Futures are created here and not by a stream: the compiler cannot prove those to be `Send`.
        in_order(calls.collect(), self.settings.concurrency).await
    }
}

/// Groups consecutive texts, as many as fit into one call, at least one.
fn batches(texts: &[String], most_texts: usize, most_chars: usize) -> Vec<&[String]> {
    let mut batches = Vec::new();
    let (mut start, mut n_chars) = (0, 0);
    for (i, text) in texts.iter().enumerate() {
        let more = text.chars().count();
        if i > start && (i - start == most_texts || n_chars + more > most_chars) {
            batches.push(&texts[start..i]);
            (start, n_chars) = (i, 0);
        }
        n_chars += more;
    }
    if start < texts.len() {
        batches.push(&texts[start..]);
    }
    batches
}

/// Returns the vectors in the order of their texts; the error describes the mismatch.
fn checked(
    embeddings: Vec<Embedding>,
    n: usize,
    similarity: Similarity,
) -> Result<Vec<Vec<f32>>, String> {
    let vectors = by_index(embeddings.into_iter().map(|given| (given.index, given.embedding)), n)?;
    match vectors.iter().flatten().find(|number| !number.is_finite()) {
        Some(number) => Err(format!("a vector with the number {number}")),
        None if vectors.iter().any(Vec::is_empty) => Err("an empty vector".to_owned()),
        None if vectors.iter().any(|vector| vector.iter().all(|x| *x == 0.0)) => {
            Err("a vector of zeros, whose similarity is undefined".to_owned())
        }
        None if !vectors.iter().all(|vector| similarity.can_compare(vector)) => {
            Err("a vector that is too long or too short for scores of 32-bit floats".to_owned())
        }
        None => Ok(vectors),
    }
}

#[derive(Serialize)]
struct EmbeddingsRequest<'a> {
    model: &'a str,
    input: &'a [String],
    encoding_format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

#[derive(Deserialize)]
struct Embeddings {
    data: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Embedding {
    index: usize,
    embedding: Vec<f32>,
}

#[cfg(test)]
mod faults;
#[cfg(test)]
mod tests;
