//! Why texts could not be encoded, by cause, with what to do about it kept apart.

use std::path::PathBuf;

use crate::bert::BertError;
use crate::checkpoint::CheckpointError;

/// Why texts could not be encoded.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The model could not be had or read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The vector cache failed.
    #[error("vector cache `{path}`: {source}")]
    Cache {
        /// The database.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// The vector cache's folder could not be made.
    #[error("cannot write `{path}`: {source}")]
    Write {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
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
            Self::Cache { path, .. } => Some(format!(
                "see that `{}` can be written and the disk is not full; deleting it is safe",
                path.display()
            )),
            Self::Write { .. } => Some("see that the folder can be written and the disk is not full".to_owned()),
            Self::Contract { .. } | Self::Worker(_) => None,
        }
    }
}
