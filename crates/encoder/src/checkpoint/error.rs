//! Errors of fetching or reading a checkpoint, by cause, with a separate hint.

use ragtriage_core::hint::Hint;
use std::path::{Path, PathBuf};

use crate::bert::BertError;

/// One place that was searched for a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceTried {
    /// The place: a folder or a URL.
    pub place: String,
    /// Reason for failure.
    pub why: String,
}

/// Error of fetching or reading a checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The model was found in no place.
    #[error("model `{name}` was not found: {}", list(attempts))]
    ModelMissing {
        /// Its name, as requested.
        name: String,
        /// The folder that would be used.
        folder: PathBuf,
        /// All attempts, in order.
        attempts: Vec<PlaceTried>,
    },
    /// A pinned file with another hash.
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
        /// The cause.
        source: std::io::Error,
    },
    /// A file could not be written.
    #[error("cannot write `{path}`: {source}")]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// A folder whose tokenizer or weights are in an unsupported form.
    #[error("`{folder}` has `{found}` but no `{expected}`")]
    Form {
        /// The folder.
        folder: PathBuf,
        /// The file found.
        found: String,
        /// The supported file.
        expected: &'static str,
    },
    /// The files are not a supported model.
    #[error(transparent)]
    Bert(#[from] BertError),
    /// The hashing thread panicked or the runtime is going down.
    #[error("reading the checkpoint was interrupted: {0}")]
    Worker(#[source] tokio::task::JoinError),
}

impl CheckpointError {
    pub(crate) fn unreadable(path: &Path, source: std::io::Error) -> Self {
        Self::Read { path: path.to_owned(), source }
    }
}

impl Hint for CheckpointError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::ModelMissing { name, folder, .. } => Some(format!(
                "put `config.json`, `tokenizer.json` and `model.safetensors` of `{name}` into `{}`, or name a folder that \
                 has them instead; without a model, BM25 alone runs: `retrieval.retrievers = [\"bm25\"]`",
                folder.display()
            )),
            Self::HashMismatch { path, .. } => Some(format!(
                "`{}` is damaged or of another version: delete it in the cache to fetch it again; in your own folder, replace it, or remove `retrieval.dense.model_path`",
                path.display()
            )),
            Self::Form { expected, .. } if expected.ends_with("safetensors") => Some(
                "save it as one file of safetensors, in Python with `model.save_pretrained(folder, max_shard_size=\"100GB\")`"
                    .to_owned(),
            ),
            Self::Form { .. } => Some(
                "make it in Python: `transformers.AutoTokenizer.from_pretrained(folder).save_pretrained(folder)`".to_owned(),
            ),
            Self::Bert(BertError::Unsupported { .. }) => Some(
                "name a model of the BERT family: BERT, RoBERTa, XLM-RoBERTa, DistilBERT, ELECTRA or DPR, mean or CLS pooling".to_owned(),
            ),
            Self::Write { .. } => Some("check that the folder is writable and the disk has free space".to_owned()),
            Self::Worker(_) => None,
            _ => Some("name another model, or a folder with one".to_owned()),
        }
    }
}

fn list(attempts: &[PlaceTried]) -> String {
    attempts.iter().map(|a| format!("{}: {}", a.place, a.why)).collect::<Vec<_>>().join("; ")
}
