//! The pipeline: from a data set to a run's traces.
//!
//! ```text
//! dataset -> chunk -> index (BM25 + Qdrant) -> retrieve -> fuse -> rerank -> pack prompt -> generate -> traces.jsonl
//! ```
//!
//! Read [`execute`](mod@execute) first: it executes every run. [`run`] is the built-in pipeline, [`recorded`] creates the
//! same traces from an external RAG. [`plan`] holds the parts of the pipeline, assembled in `settings/assemble/`.

pub mod answerer;
mod arms;
pub mod ask;
mod chunk_cache;
mod collection;
mod compute;
pub mod conditions;
mod content_hash;
mod contexts;
pub mod estimate;
pub mod execute;
pub mod generate;
mod in_prompt;
mod index;
pub mod ingest;
pub mod judging;
pub mod lengths;
mod offsets;
mod oracle;
pub mod plan;
mod points;
pub mod pool;
pub mod progress;
pub mod prompt;
mod questions;
pub mod record;
pub mod recorded;
mod remembered;
pub mod rerank;
pub mod retrieve;
pub mod retriever;
pub mod run;
pub mod settings;
pub mod single;
pub mod sink;
pub mod sparse;
pub mod stock;
mod stores;
pub mod sweep;
mod truncation;
pub mod vectors;

pub use chunk_cache::EXTENSION as CHUNKS_EXTENSION;

use ragtriage_bm25::IndexFileError;
use ragtriage_core::hint::Hint;
use ragtriage_core::types::ErrorKind;
use ragtriage_models::Error as ModelError;
use ragtriage_models::llm::kind_hint;
use ragtriage_vectors::{Error as VectorError, Kind as VectorErrorKind};

/// An error that aborts a run. Errors of single questions are recorded in their traces instead.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// A model failed.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// A vector store or an existing collection could not be filled or searched.
    #[error(transparent)]
    Index(#[from] VectorError),
    /// A sparse index could not be read or written.
    #[error(transparent)]
    Sparse(#[from] IndexFileError),
    /// The run's files could not be written.
    #[error(transparent)]
    Store(#[from] ragtriage_runs::Error),
    /// An external chunk has no place in its document.
    #[error(transparent)]
    Chunk(#[from] ragtriage_core::Error),
    /// A point of a collection that has no text, and offsets that are not a range of a document.
    #[error(
        "point {point} of the collection has no place: bytes {start} to {end} of document `{document}` do not exist or are blank"
    )]
    NoPlace {
        /// Its id.
        point: String,
        /// The document that it names.
        document: String,
        /// Its start.
        start: usize,
        /// Its end.
        end: usize,
    },
    /// The corpus has no text.
    #[error("the corpus has {n_documents} documents and no text: nothing to index")]
    NothingToIndex {
        /// Number of documents, all empty.
        n_documents: usize,
    },
    /// A point that represents no chunk.
    #[error(
        "the vector store found point {number}, which is not a chunk of this corpus: another program wrote into the collection"
    )]
    NoSuchChunk {
        /// Its number.
        number: u32,
    },
    /// A similarity that cannot be ranked (not a finite number).
    #[error(
        "the similarity of chunk {number} is not finite: its vector or the question's is too large"
    )]
    NotFinite {
        /// The chunk's number.
        number: u32,
    },
    /// A filter that excludes every chunk.
    #[error("`retrieval.filter` lets none of {n_chunks} chunks through")]
    NothingAllowed {
        /// Number of chunks.
        n_chunks: usize,
    },
    /// Consecutive questions failed: an endpoint or server is unavailable.
    #[error("aborted after {n} consecutive failures; last error: {last}")]
    OnlyFailures {
        /// Number of failures.
        n: usize,
        /// The error in the last one's trace.
        last: String,
        /// Its cause.
        kind: ErrorKind,
        /// The run's name.
        run: String,
    },
    /// A limit of cost or tokens was reached.
    #[error("stopped with {n_left} questions left: {why}")]
    Stopped {
        /// The limit, and the amount spent.
        why: ModelError,
        /// Number of questions without a trace.
        n_left: usize,
        /// The run's name.
        run: String,
    },
    /// Every question of an imported record failed.
    #[error("all {n} recorded questions failed; last error: {last}")]
    AllRecordedFailed {
        /// Number of failures.
        n: usize,
        /// The error in the last one's trace.
        last: String,
    },
    /// A question's task panicked: an internal error.
    #[error("a question ended in a panic, which is a defect of ragtriage; please report it")]
    Panicked,
}

impl PipelineError {
    /// Returns its cause, as recorded in a trace.
    pub(crate) fn kind(&self) -> ErrorKind {
        match self {
            Self::Model(error) => error.kind,
            Self::Index(error) => error.kind.into(),
            _ => ErrorKind::Permanent,
        }
    }

    /// Returns true if every other question would fail as well: the collection was deleted, or is no longer the one that
    /// was read.
    #[must_use]
    pub fn ends_run(&self) -> bool {
        matches!(self, Self::Index(error) if error.kind == VectorErrorKind::Changed)
    }
}

impl Hint for PipelineError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Model(error) => error.hint(),
            Self::Index(error) => error.hint(),
            Self::NoPlace { .. } => Some(
                "name the payload field with the passage's text in `retrieval.collection.text`"
                    .to_owned(),
            ),
            Self::Sparse(_) => {
                Some("set `cache.dir` to a writable folder with free space".to_owned())
            }
            Self::Store(error) => error.hint(),
            Self::Chunk(error) => error.hint(),
            Self::NoSuchChunk { .. } => {
                Some("delete the collection and run again: it is rebuilt".to_owned())
            }
            Self::NotFinite { .. } => {
                Some("use the distance `cosine`, or check the encoder's vectors".to_owned())
            }
            Self::NothingAllowed { .. } => Some(
                "check that its fields and values equal those in the metadata of the documents"
                    .to_owned(),
            ),
            Self::NothingToIndex { .. } => Some("check `dataset.path`".to_owned()),
            Self::OnlyFailures { kind: ErrorKind::Unreachable, .. } => {
                Some("start the server or correct its address".to_owned())
            }
            Self::OnlyFailures { kind, .. } => {
                Some(kind_hint(*kind).unwrap_or_else(|| "fix the error named above".to_owned()))
            }
            Self::Stopped { .. } => Some("raise the limit; finished questions are kept".to_owned()),
            Self::AllRecordedFailed { .. } => {
                Some("record the answers again, then import them".to_owned())
            }
            Self::Panicked => Some("finished questions are kept".to_owned()),
        }
    }
}
