//! Errors of scoring passages, by cause, with separate hints.

use crate::cache::CacheError;
use crate::remote::{RemoteError, RemoteModel};
use ragtriage_core::hint::Hint;
use ragtriage_core::types::ErrorKind;
use ragtriage_encoder::Kind;
use ragtriage_encoder::checkpoint::CheckpointError;

/// An error of scoring passages.
#[derive(Debug, thiserror::Error)]
pub enum RerankError {
    /// The model is missing or unreadable.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A remote reranker could not be called.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// A reranker broke its contract.
    #[error("reranker `{reranker}` returned {what}")]
    Contract {
        /// The reranker.
        reranker: String,
        /// The result, and the expected one.
        what: String,
    },
    /// The score cache failed.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The scoring thread panicked or the runtime is shutting down.
    #[error("reranking was interrupted: {0}")]
    Worker(#[source] tokio::task::JoinError),
}

impl RerankError {
    /// Returns its cause, as recorded in a trace.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Remote(error) => error.kind(),
            _ => ErrorKind::Permanent,
        }
    }
}

impl Hint for RerankError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Contract { .. } | Self::Worker(_) => None,
            Self::Checkpoint(error) if error.kind == Kind::Interrupted => None,
            Self::Checkpoint(error) if error.kind == Kind::Missing => Some(
                "name a folder with `config.json`, `tokenizer.json` and `model.safetensors` as `rerank.model`; without `[rerank]` nothing is reranked"
                    .to_owned(),
            ),
            Self::Checkpoint(_) => Some(
                "name another cross-encoder of the BERT family, or its folder, as `rerank.model`"
                    .to_owned(),
            ),
            Self::Remote(error) => error.hint(RemoteModel::Reranker),
            Self::Cache(error) => error.hint(),
        }
    }
}
