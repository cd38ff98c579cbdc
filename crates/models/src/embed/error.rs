//! Why texts could not be encoded, by cause, with what to do about it kept apart.

use ragtriage_core::hint::Hint;
use ragtriage_core::types::ErrorKind;
use std::path::PathBuf;

use crate::cache::CacheError;
use ragtriage_encoder::bert::BertError;
use ragtriage_encoder::checkpoint::CheckpointError;
use ragtriage_http::HttpError;

/// Why texts could not be encoded.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// The model could not be had or read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The vector cache failed.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// A remote encoder could not be asked.
    #[error(transparent)]
    Http(HttpError),
    /// A remote encoder's setting with a value that cannot be.
    #[error("`retrieval.dense.{setting}` {reason}")]
    BadSetting {
        /// Its name.
        setting: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A remote encoder refuses a text that stands alone in its call.
    #[error(
        "a text of {n_chars} characters that begins with `{start}` is too long for the encoder: {source}"
    )]
    TooLong {
        /// How long it is, prefix and title included.
        n_chars: usize,
        /// Its first words.
        start: String,
        /// What the server said.
        source: HttpError,
    },
    /// An encoder broke its contract.
    #[error("encoder `{encoder}` gave {what}")]
    Contract {
        /// Its fingerprint.
        encoder: String,
        /// What it gave, and what was due.
        what: String,
    },
    /// The encoders of questions and of passages give different kinds of vectors.
    #[error("the encoders of questions and passages do not match: {query}; {passage}")]
    Apart {
        /// What the questions' gives.
        query: String,
        /// What the passages' gives.
        passage: String,
    },
    /// A checkpoint lacks a word piece that its kind of model needs.
    #[error("`{folder}` has no word piece `{word_piece}`, which a late-interaction model needs")]
    NoWordPiece {
        /// The checkpoint.
        folder: PathBuf,
        /// What is not in its vocabulary.
        word_piece: String,
    },
    /// A length that does not suit a late-interaction model.
    #[error("{n_tokens} tokens of a {role} do not fit: at least {fewest} and at most {positions}")]
    Tokens {
        /// `query` or `passage`.
        role: &'static str,
        /// As asked.
        n_tokens: usize,
        /// The least.
        fewest: usize,
        /// What the model has.
        positions: usize,
    },
    /// The encoding thread panicked or the runtime is going down.
    #[error("encoding was interrupted: {0}")]
    Worker(#[source] tokio::task::JoinError),
}

impl From<BertError> for EmbedError {
    fn from(error: BertError) -> Self {
        Self::Checkpoint(error.into())
    }
}

impl EmbedError {
    /// Its cause, as a trace keeps it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Http(error) => error.kind(),
            Self::TooLong { .. } => ErrorKind::TooLong,
            _ => ErrorKind::Permanent,
        }
    }
}

impl From<HttpError> for EmbedError {
    /// Names the setting where one is at fault.
    fn from(error: HttpError) -> Self {
        match error {
            HttpError::BadAddress { reason } => Self::BadSetting {
                setting: "endpoint",
                reason,
            },
            HttpError::BadKey => {
                let reason =
                    "names a key with characters that are not allowed in a header".to_owned();
                Self::BadSetting {
                    setting: "api_key_env",
                    reason,
                }
            }
            error => Self::Http(error),
        }
    }
}

impl Hint for EmbedError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Checkpoint(error) => error.hint(),
            Self::Cache(error) => error.hint(),
            Self::Http(error) => http_hint(error.last()),
            Self::BadSetting {
                setting: "endpoint",
                ..
            } => {
                Some("write it like `http://localhost:8080/v1`; `/embeddings` is added".to_owned())
            }
            Self::TooLong { .. } => {
                Some("lower `chunking.size`, or let the server cut texts".to_owned())
            }
            Self::Apart { .. } => {
                Some("name two models that were trained together, or one for both".to_owned())
            }
            Self::NoWordPiece { .. } => {
                Some("name a ColBERT checkpoint, made by colbert-ai or PyLate".to_owned())
            }
            Self::BadSetting { .. }
            | Self::Contract { .. }
            | Self::Tokens { .. }
            | Self::Worker(_) => None,
        }
    }
}

/// The remedy by the names of our settings.
fn http_hint(error: &HttpError) -> Option<String> {
    let hint = match error {
        HttpError::Unreachable { .. } => {
            Some("start the server or correct `retrieval.dense.endpoint`")
        }
        HttpError::Redirected { .. } => {
            Some("set `retrieval.dense.endpoint` to where it redirects, if that is to be trusted")
        }
        HttpError::Status {
            status: 401 | 403, ..
        } => Some("`retrieval.dense.api_key_env` names the variable with the key"),
        HttpError::Status {
            status: 404 | 405, ..
        } => Some(
            "`/embeddings` is appended to `retrieval.dense.endpoint`, which mostly ends in `/v1`; the model's name may be \
             wrong as well",
        ),
        HttpError::Unreadable { .. } => {
            Some("is there an OpenAI-compatible server at `retrieval.dense.endpoint`?")
        }
        error => return error.hint(),
    };
    hint.map(str::to_owned)
}
