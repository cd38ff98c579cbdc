//! Rerankers: score passages for a question.
//!
//! [`CrossEncoder`] runs a checkpoint in this process; [`RemoteReranker`] calls a server; [`CachedReranker`] stores any reranker's
//! scores in a database file. The caller decides the number of candidates and the order of the others.

mod cache;
mod cross_encoder;
mod endpoint;

use async_trait::async_trait;

pub use cache::CachedReranker;
pub use cross_encoder::CrossEncoder;
pub use endpoint::RemoteReranker;

use crate::Error;
use ragtriage_core::types::TitledText;

/// Scores how well passages answer a question.
///
/// Contract: one score per passage, in the given order; larger is better; any finite number, so scores of two rerankers
/// are not comparable; a question and a passage always get the same score regardless of the other passages of a call; no
/// passages give no scores; the caller does not retry; processor work is never done on the async runtime's threads.
#[async_trait]
pub trait Reranker: Send + Sync {
    /// Identifies everything that scores depend on besides the texts: changes whenever one would.
    fn fingerprint(&self) -> &str;

    /// Scores `passages` for `query`.
    async fn scores(&self, query: &str, passages: &[TitledText<'_>]) -> Result<Vec<f32>, Error>;
}

#[cfg(test)]
mod contract;
