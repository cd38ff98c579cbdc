//! Why passages could not be scored, by cause, with what to do about it kept apart.

use crate::cache::CacheError;
use ragtriage_core::hint::Hint;
use ragtriage_core::types::ErrorKind;
use ragtriage_encoder::checkpoint::CheckpointError;
use ragtriage_http::HttpError;

/// Why passages could not be scored.
#[derive(Debug, thiserror::Error)]
pub enum RerankError {
    /// The model could not be had or read.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// A remote reranker could not be asked.
    #[error(transparent)]
    Http(HttpError),
    /// A setting with a value that cannot be.
    #[error("`rerank.{setting}` {reason}")]
    BadSetting {
        /// Its name.
        setting: &'static str,
        /// What is wrong with it.
        reason: String,
    },
    /// A remote reranker refuses a passage that stands alone in its call.
    #[error(
        "a passage of {n_chars} characters that begins with `{start}` is too long for the reranker: {source}"
    )]
    TooLong {
        /// How long it is, title included.
        n_chars: usize,
        /// Its first words.
        start: String,
        /// What the server said.
        source: HttpError,
    },
    /// A reranker broke its contract.
    #[error("reranker `{reranker}` gave {what}")]
    Contract {
        /// Which.
        reranker: String,
        /// What it gave, and what was due.
        what: String,
    },
    /// The score cache failed.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// The scoring thread panicked or the runtime is going down.
    #[error("reranking was interrupted: {0}")]
    Worker(#[source] tokio::task::JoinError),
}

impl RerankError {
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

impl From<HttpError> for RerankError {
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

impl Hint for RerankError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Checkpoint(CheckpointError::ModelMissing { name, folder, .. }) => Some(format!(
                "put `config.json`, `tokenizer.json` and `model.safetensors` of `{name}` into `{}`, or name a folder that \
                 has them as `rerank.model`; without `[rerank]` nothing is reranked",
                folder.display()
            )),
            Self::Checkpoint(CheckpointError::Worker(_)) => None,
            Self::Checkpoint(_) => Some(
                "name another cross-encoder of the BERT family, or its folder, as `rerank.model`"
                    .to_owned(),
            ),
            Self::Http(error) => http_hint(error.last()),
            Self::BadSetting {
                setting: "endpoint",
                ..
            } => Some("write it like `http://localhost:8080`; `/rerank` is added".to_owned()),
            Self::TooLong { .. } => {
                Some("lower `chunking.size`, or let the server cut texts".to_owned())
            }
            Self::Cache(error) => error.hint(),
            Self::BadSetting { .. } | Self::Contract { .. } | Self::Worker(_) => None,
        }
    }
}

/// The remedy by the names of our settings.
fn http_hint(error: &HttpError) -> Option<String> {
    let hint = match error {
        HttpError::Unreachable { .. } => Some("start the server or correct `rerank.endpoint`"),
        HttpError::Redirected { .. } => {
            Some("set `rerank.endpoint` to where it redirects, if that is to be trusted")
        }
        HttpError::Status {
            status: 401 | 403, ..
        } => Some("`rerank.api_key_env` names the variable with the key"),
        HttpError::Status {
            status: 404 | 405, ..
        } => Some(
            "`/rerank` is appended to `rerank.endpoint`; the model's name may be wrong as well",
        ),
        HttpError::Status {
            status: 400 | 422, ..
        }
        | HttpError::Unreadable { .. } => Some(
            "is `rerank.form` (`cohere`, `jina`, `tei`) the one that the server at `rerank.endpoint` takes?",
        ),
        error => return error.hint(),
    };
    hint.map(str::to_owned)
}
