//! Why texts could not be encoded, by cause, with what to do about it kept apart.

use crate::bert::BertError;
use crate::cache::CacheError;
use crate::checkpoint::CheckpointError;

/// Why texts could not be encoded.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The model could not be had or read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The vector cache failed.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// An encoder broke its contract.
    #[error("encoder `{encoder}` gave {what}")]
    Contract {
        /// Its fingerprint.
        encoder: String,
        /// What it gave, and what was due.
        what: String,
    },
    /// The encoding thread panicked or the runtime is going down.
    #[error("encoding was broken off: {0}")]
    Worker(#[source] tokio::task::JoinError),
}

impl From<BertError> for EmbedError {
    fn from(error: BertError) -> Self {
        Self::Checkpoint(error.into())
    }
}

impl EmbedError {
    /// What the user can do, where there is something.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Checkpoint(error) => error.hint(),
            Self::Cache(error) => error.hint(),
            Self::Contract { .. } | Self::Worker(_) => None,
        }
    }
}
