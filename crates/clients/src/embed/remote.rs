//! An encoder behind HTTP: `OpenAI`'s `/v1/embeddings`, also supported by text-embeddings-inference, vLLM, Ollama and
//! llama.cpp.
//!
//! Texts are sent in batches, several concurrently, each with retries; a batch that the server rejects as too large
//! is split in half. A vector's identity is its text, the address, the model's name and the prefix: changed weights
//! behind a name cannot be detected. Tokens are not counted, which only the server could do.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{Encoder, Length, OnProgress, Role, VectorShape};
use crate::Error;
use crate::http::{Client, Endpoint, by_index, in_halves, in_order};
use ragtriage_core::batches::batches;
use ragtriage_core::config::DenseSettings;
use ragtriage_core::text::numbers::plural;
use ragtriage_core::types::{Similarity, TitledText};

/// Part of the fingerprint: raised whenever a change here changes a vector.
const REMOTE_VERSION: u32 = 1;
/// The text encoded to determine the dimension.
const PROBE: &str = "dimension";
/// Maximum number of texts per call, and of characters, unless a single text is longer: below the limits of 300,000 tokens of
/// `OpenAI` and 2 MB of text-embeddings-inference.
const BATCH: (usize, usize) = (64, 200_000);

/// A server's model as an [`Encoder`].
pub struct Remote {
    client: Client,
    concurrency: usize,
    model: String,
    /// Requested if set: models trained for it truncate their vectors (Kusupati et al. 2022).
    dimensions: Option<usize>,
    query_prefix: String,
    passage_prefix: String,
    shape: VectorShape,
    query_fingerprint: String,
    passage_fingerprint: String,
}

impl Remote {
    /// Checks the settings and, if they omit the dimension, encodes one short text to determine it.
    pub async fn open(endpoint: &Endpoint, dense: &DenseSettings) -> Result<Self, Error> {
        if dense.model.is_empty() {
            return Err(endpoint.names.bad_setting("model", "is empty"));
        }
        let shape = VectorShape {
            dimension: dense.dimensions.unwrap_or_default(),
            many: false,
            similarity: dense.similarity.unwrap_or(Similarity::Cosine),
        };
        let mut remote = Self {
            client: Client::new(endpoint)?,
            concurrency: endpoint.concurrency,
            model: dense.model.clone(),
            dimensions: dense.dimensions,
            query_prefix: dense.query_prefix.clone().unwrap_or_default(),
            passage_prefix: dense.passage_prefix.clone().unwrap_or_default(),
            shape,
            query_fingerprint: String::new(),
            passage_fingerprint: String::new(),
        };
        if dense.dimensions.is_none() {
            remote.shape.dimension = remote.call(&[PROBE.to_owned()]).await?[0].len();
        }
        let (url, query) = (remote.client.shown_url(), endpoint.hashed_query());
        let (model, dimension) = (json!(remote.model), remote.shape.dimension);
        let common =
            format!("remote v{REMOTE_VERSION} openai {url}{query} {model} dimension {dimension}");
        remote.query_fingerprint = format!("{common} prefix {}", json!(remote.query_prefix));
        remote.passage_fingerprint = format!("{common} prefix {}", json!(remote.passage_prefix));
        Ok(remote)
    }

    /// Returns the text sent to the server.
    fn input(&self, text: TitledText<'_>, role: Role) -> String {
        let prefix = match role {
            Role::Query => &self.query_prefix,
            Role::Passage => &self.passage_prefix,
        };
        format!("{prefix}{}", text.joined())
    }

    /// Returns the vectors of one batch, split in half if the server rejects it as too large.
    async fn batch(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
        let vectors = in_halves(texts, |texts| self.call(texts)).await?;
        match vectors.iter().find(|vector| vector.len() != self.shape.dimension) {
            Some(vector) => {
                let n = plural(vector.len(), "number", "numbers");
                let source = match self.dimensions {
                    Some(_) => "`retrieval.dense.dimensions`",
                    None => "its first response",
                };
                let expected = self.shape.dimension;
                let what = format!("a vector of {n}, expected {expected} as in {source}");
                Err(self.client.wrong_answer(&what))
            }
            None => Ok(vectors),
        }
    }

    /// Makes one call with retries.
    async fn call(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, Error> {
        let request = EmbeddingsRequest {
            model: &self.model,
            input: texts,
            encoding_format: "float",
            dimensions: self.dimensions,
        };
        let answer: Embeddings = self.client.post(&request, texts).await?;
        let vectors = checked(answer.data, texts.len(), self.shape.similarity);
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
        self.shape
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
        let batches = batches(&texts, BATCH, |text| text.chars().count());
        let calls = batches.into_iter().map(|batch| async move {
            let vectors = self.batch(batch).await?;
            on_progress(vectors.len());
            Ok(vectors)
        });
        // Futures are created here and not by a stream: the compiler cannot prove those to be `Send`.
        in_order(calls.collect(), self.concurrency).await
    }
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
