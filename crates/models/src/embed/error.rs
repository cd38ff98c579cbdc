//! Errors of encoding texts, by cause, with separate hints.

use ragtriage_core::hint::Hint;
use ragtriage_core::types::ErrorKind;
use std::path::PathBuf;

use crate::cache::CacheError;
use crate::remote::{RemoteError, RemoteModel};
use ragtriage_encoder::checkpoint::CheckpointError;

/// An error of encoding texts.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The model is missing or unreadable.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The vector cache failed.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// A remote encoder could not be called.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// An encoder broke its contract.
    #[error("encoder `{encoder}` returned {what}")]
    Contract {
        /// Its fingerprint.
        encoder: String,
        /// The result, and the expected one.
        what: String,
    },
    /// The encoders of questions and of passages give different kinds of vectors.
    #[error("the encoders of questions and passages do not match: {query}; {passage}")]
    Apart {
        /// The vectors of the questions' encoder.
        query: String,
        /// The vectors of the passages' encoder.
        passage: String,
    },
    /// A checkpoint lacks a word piece that its kind of model needs.
    #[error("`{folder}` has no word piece `{word_piece}`, which a late-interaction model needs")]
    NoWordPiece {
        /// The checkpoint.
        folder: PathBuf,
        /// The missing word piece.
        word_piece: String,
    },
    /// A length that does not suit a late-interaction model.
    #[error("a limit of {n_tokens} tokens for a {role} is outside {fewest} to {positions}")]
    Tokens {
        /// `query` or `passage`.
        role: &'static str,
        /// The requested length.
        n_tokens: usize,
        /// The minimum.
        fewest: usize,
        /// The positions of the model.
        positions: usize,
    },
    /// The encoding thread panicked or the runtime is shutting down.
    #[error("encoding was interrupted: {0}")]
    Worker(#[source] tokio::task::JoinError),
}

impl EmbedError {
    /// Returns its cause, as recorded in a trace.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Remote(error) => error.kind(),
            _ => ErrorKind::Permanent,
        }
    }
}

impl Hint for EmbedError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Checkpoint(error) => error.hint(),
            Self::Cache(error) => error.hint(),
            Self::Remote(error) => error.hint(RemoteModel::Encoder),
            Self::Apart { .. } => {
                Some("set `retrieval.dense.query_model` to the model that `retrieval.dense.model` was trained with, or leave it out".to_owned())
            }
            Self::NoWordPiece { .. } => {
                Some("name a ColBERT checkpoint, made by colbert-ai or PyLate".to_owned())
            }
            Self::Contract { .. } | Self::Tokens { .. } | Self::Worker(_) => None,
        }
    }
}
