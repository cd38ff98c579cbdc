//! Errors of wiring a configuration to its parts.

use crate::settings::SettingsError;
use ragtriage_core::hint::Hint;
use ragtriage_encoder::checkpoint::CheckpointError;
use ragtriage_models::cache::CacheError;
use ragtriage_models::embed::EmbedError;
use ragtriage_models::llm::LlmError;
use ragtriage_models::rerank::RerankError;
use ragtriage_models::service::ServiceError;
use ragtriage_vectors::Error as VectorError;

/// A part that could not be wired.
#[derive(Debug, thiserror::Error)]
pub enum AssembleError {
    /// A setting.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A file of external chunks.
    #[error(transparent)]
    Chunks(#[from] ragtriage_runs::Error),
    /// A Qdrant server or its collection.
    #[error(transparent)]
    Collection(#[from] VectorError),
    /// A model.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The encoder.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The reranker.
    #[error(transparent)]
    Rerank(#[from] RerankError),
    /// The generator.
    #[error(transparent)]
    Llm(#[from] LlmError),
    /// The cache of the generator's responses.
    #[error(transparent)]
    Replies(#[from] CacheError),
    /// The service of an external RAG.
    #[error(transparent)]
    Service(#[from] ServiceError),
}

impl Hint for AssembleError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Settings(error) => error.hint(),
            Self::Chunks(error) => error.hint(),
            Self::Collection(error) => error.hint(),
            Self::Checkpoint(error) => error.hint(),
            Self::Embed(error) => error.hint(),
            Self::Rerank(error) => error.hint(),
            Self::Llm(error) => error.hint(),
            Self::Replies(error) => {
                error.hint().map(|hint| format!("{hint}, but its responses are paid for again"))
            }
            Self::Service(error) => error.hint(),
        }
    }
}

pub(super) fn unusable(message: &str, hint: Option<String>) -> SettingsError {
    SettingsError::Unusable { message: message.to_owned(), hint }
}
