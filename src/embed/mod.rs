//! Floor 3, encoders: texts to vectors.

use async_trait::async_trait;

/// Which side of the search a text stands on: models may prefix the two differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// What is asked.
    Query,
    /// What is searched.
    Passage,
}

/// Called with the number of texts done since the last call, from any thread.
pub type OnProgress<'a> = &'a (dyn Fn(usize) + Send + Sync);

/// Turns texts into vectors of one dimension.
///
/// Contract: one vector a text, in the order given, unit length where the model normalises; the same text in the
/// same role gives the same vector whatever stands beside it in a call; no texts give no vectors; the caller does not retry.
#[async_trait]
pub trait Encoder: Send + Sync {
    /// What the vectors depend on besides the text and role: changes whenever a vector would.
    fn fingerprint(&self) -> &str;

    /// The vectors' length.
    fn dimension(&self) -> usize;

    /// Encodes `texts`.
    async fn encode(&self, texts: &[&str], role: Role, on_progress: OnProgress<'_>) -> Result<Vec<Vec<f32>>, EmbedError>;
}

/// Why texts could not be encoded.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {}
