//! Errors of wiring a configuration to its parts.

use crate::settings::SettingsError;
use ragtriage_core::hint::Hint;
use ragtriage_encoder::checkpoint::CheckpointError;
use ragtriage_models::Error as ModelError;
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
    /// The encoder, the reranker, the generator, or the service of an external RAG.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The cache of the generator's responses.
    #[error(transparent)]
    Responses(ModelError),
}

impl Hint for AssembleError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Settings(error) => error.hint(),
            Self::Chunks(error) => error.hint(),
            Self::Collection(error) => error.hint(),
            Self::Checkpoint(error) => error.hint(),
            Self::Model(error) => error.hint(),
            Self::Responses(error) => error.hint().map(|hint| {
                format!(
                    "{hint}, but its responses are paid for again; use `--no-cache` to run without the cache"
                )
            }),
        }
    }
}

pub(super) fn unusable(message: &str, hint: Option<String>) -> SettingsError {
    SettingsError::Unusable { message: message.to_owned(), hint }
}
