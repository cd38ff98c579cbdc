//! Why texts could not be encoded, by cause, with what to do about it kept apart.

use std::path::PathBuf;

/// One place a model was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The place: a folder, a URL, a command.
    pub place: String,
    /// Why it did not serve.
    pub why: String,
}

/// Why texts could not be encoded.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// No place had the model.
    #[error("model `{name}` was not found: {}", list(attempts))]
    ModelMissing {
        /// As it was asked for.
        name: String,
        /// The folder that would have served.
        folder: PathBuf,
        /// Each thing tried, in order.
        attempts: Vec<Attempt>,
    },
    /// A pinned file is another one.
    #[error("`{path}` has sha256 {found}, expected {expected}")]
    HashMismatch {
        /// The file.
        path: PathBuf,
        /// The pin, in hex.
        expected: String,
        /// The file's, in hex.
        found: String,
    },
    /// A file could not be read.
    #[error("cannot read `{path}`: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file could not be written.
    #[error("cannot write `{path}`: {source}")]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file is not what its name says.
    #[error("`{path}` cannot be used: {what}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong, in its parser's words.
        what: String,
    },
    /// A checkpoint that this crate does not compute.
    #[error("`{path}` has `{setting}` = `{value}`, which is not supported (supported: {supported})")]
    Unsupported {
        /// The file that says so.
        path: PathBuf,
        /// Its key.
        setting: &'static str,
        /// Its value.
        value: String,
        /// What would do.
        supported: &'static str,
    },
    /// A maximum length without room for a text.
    #[error("an encoder that reads {max_tokens} tokens has no room for a text: `max_tokens` is at least {fewest}")]
    TooShort {
        /// As asked.
        max_tokens: usize,
        /// The least.
        fewest: usize,
    },
    /// A maximum length beyond the model's positions.
    #[error("`max_tokens` {max_tokens} is more than the {positions} positions the model has")]
    TooLong {
        /// As asked.
        max_tokens: usize,
        /// What the model has.
        positions: usize,
    },
    /// The tokenizer refused a text.
    #[error("cannot tokenize a text: {0}")]
    Tokenize(#[source] Box<dyn std::error::Error + Send + Sync>),
    /// The vector cache failed.
    #[error("vector cache `{path}`: {source}")]
    Cache {
        /// The database.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
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

impl EmbedError {
    /// What the user can do, where there is something.
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::ModelMissing { name, folder, .. } => Some(format!(
                "put `config.json`, `tokenizer.json` and `model.safetensors` of `{name}` into `{}`, or name a folder that \
                 has them as `retrieval.dense.model`; without a model, BM25 alone runs: `retrieval.retrievers = [\"bm25\"]`",
                folder.display()
            )),
            Self::HashMismatch { path, .. } => Some(format!(
                "`{}` is damaged or another version: in the cache delete it and it is fetched again; in a folder of your own \
                 replace it, or leave `retrieval.dense.model_path` out",
                path.display()
            )),
            Self::Cache { path, .. } => Some(format!(
                "see that `{}` can be written and the disk is not full; deleting it is safe",
                path.display()
            )),
            Self::Unsupported { .. } => Some("name a BERT-family sentence-transformers model".to_owned()),
            Self::Write { .. } => Some("see that the folder can be written and the disk is not full".to_owned()),
            Self::Contract { .. } | Self::Worker(_) => None,
            _ => Some("name another model or folder as `retrieval.dense.model`".to_owned()),
        }
    }
}

fn list(attempts: &[Attempt]) -> String {
    attempts.iter().map(|a| format!("{}: {}", a.place, a.why)).collect::<Vec<_>>().join("; ")
}
