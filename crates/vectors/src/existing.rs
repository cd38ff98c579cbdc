//! A collection that another program made and owns: its points are read and searched, never written.

use std::sync::Arc;

use async_trait::async_trait;
use ragtriage_core::config::{CollectionSettings, Hnsw};
use ragtriage_core::hint::Hint;
use ragtriage_core::types::ErrorKind;

use crate::{IndexError, SearchMode, Server};

/// A point's passage, as the collection's owner described it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPassage {
    /// The point's id: a number or a UUID.
    pub point: String,
    /// Its text; `None` where the settings name no payload field for it.
    pub text: Option<String>,
    /// The id of its document, if known.
    pub document: Option<String>,
    /// Its start and end in the document, if known.
    pub offsets: Option<(usize, usize)>,
}

/// Content of a collection when it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionContent {
    /// The passages of all points that pass the filter, in the server's order.
    pub passages: Vec<StoredPassage>,
    /// Hex sha256 of the vectors of the first points (1,000): other vectors over the same passages have another one.
    pub vectors_sha256: String,
}

/// An index that the collection's owner configured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExistingIndex {
    /// The graph's parameters.
    pub hnsw: Hnsw,
    /// Segments of the collection; a graph covers one.
    pub segments: usize,
}

/// A question to an existing collection.
#[derive(Clone, Copy, Debug)]
pub struct ExistingSearch<'a> {
    /// The question's text, which the server encodes for a sparse vector.
    pub text: &'a str,
    /// The question's dense vector; `None` in the mode `sparse`.
    pub vector: Option<&'a [f32]>,
    /// Number of hits of each half of a hybrid query.
    pub candidates: usize,
    /// Maximum number of hits.
    pub limit: usize,
    /// Exact, or as the collection is configured.
    pub mode: SearchMode,
}

/// An existing collection.
///
/// Contract: no call changes the collection. `read` returns each point that passes the filter once, in the server's order,
/// with a text that is not blank or with offsets. `search` returns at most `limit` ids, best first, with scores of
/// which larger is nearer, ties in any order, or the error [`ExistingError::Changed`] if the number of points is another
/// one than `read` found.
#[async_trait]
pub trait ExistingCollection: Send + Sync {
    /// Reads all points that pass the filter.
    async fn read(&self) -> Result<CollectionContent, ExistingError>;

    /// Finds the best points for a question.
    async fn search(&self, search: ExistingSearch<'_>)
    -> Result<Vec<(String, f32)>, ExistingError>;

    /// Returns the index that [`SearchMode::Approximate`] follows, which may miss points; `None` if it compares every vector.
    fn index(&self) -> Option<ExistingIndex>;
}

/// Opens the collection on `server`. `dimension`: that of the questions' dense vectors, if there are any.
///
/// # Errors
/// [`IndexError::NotBuiltIn`] if this program was built without the client; no answer, no such collection, or vectors that do
/// not fit.
pub async fn open_existing(
    server: &Server,
    settings: &CollectionSettings,
    dimension: Option<usize>,
) -> Result<Arc<dyn ExistingCollection>, ExistingError> {
    #[cfg(feature = "server")]
    {
        let opened = crate::server::ServerCollection::open(server, settings, dimension).await?;
        Ok(Arc::new(opened))
    }
    #[cfg(not(feature = "server"))]
    {
        let _ = (server, settings, dimension);
        let feature = "server";
        Err(IndexError::NotBuiltIn { feature }.into())
    }
}

/// Error of reading or searching an existing collection.
#[derive(Debug, thiserror::Error)]
pub enum ExistingError {
    /// A call failed.
    #[error(transparent)]
    Call(#[from] IndexError),
    /// No such collection.
    #[error("the Qdrant server at `{url}` has no collection `{collection}`")]
    NotFound {
        /// The URL.
        url: String,
        /// The collection.
        collection: String,
    },
    /// A vector that the collection does not have.
    #[error("collection `{collection}` has no {kind} vector {wanted}; it has {has}")]
    NoVector {
        /// The collection.
        collection: String,
        /// `dense` or `sparse`.
        kind: &'static str,
        /// The configured name.
        wanted: String,
        /// The vectors that it has.
        has: String,
    },
    /// A dense vector that questions cannot be compared with.
    #[error(
        "questions have {dimension} dimensions, but vector {using} of collection `{collection}` does not; it has {has}"
    )]
    Dimension {
        /// The collection.
        collection: String,
        /// The configured name.
        using: String,
        /// Dimension of the questions' vectors.
        dimension: usize,
        /// The vectors that it has.
        has: String,
    },
    /// No point to read.
    #[error("collection `{collection}` has no points{}", if *.is_filtered { " that pass `retrieval.collection.filter`" } else { "" })]
    Empty {
        /// The collection.
        collection: String,
        /// True if a filter is set.
        is_filtered: bool,
    },
    /// A payload without a configured field.
    #[error(
        "point {point} of collection `{collection}` has no {} in its payload field `{path}`; it has {has}",
        value(key)
    )]
    NoField {
        /// The collection.
        collection: String,
        /// The point's id.
        point: Box<str>,
        /// The setting: `text`, `document`, `start` or `end`.
        key: &'static str,
        /// The configured path.
        path: String,
        /// The payload fields that it has.
        has: Box<str>,
    },
    /// Points were added or removed since the collection was read.
    #[error("collection `{collection}` changed while it was in use: {what}")]
    Changed {
        /// The collection.
        collection: String,
        /// The change.
        what: String,
    },
}

/// Returns the value that a payload field must have for a setting.
fn value(key: &str) -> &'static str {
    match key {
        "text" => "text",
        "document" => "document id",
        _ => "offset",
    }
}

impl ExistingError {
    /// Returns its cause, as stored in a trace.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::Call(error) => error.kind(),
            _ => ErrorKind::Permanent,
        }
    }
}

impl Hint for ExistingError {
    /// Never advises to change the collection, which is not ours.
    fn hint(&self) -> Option<String> {
        let advice = match self {
            Self::Call(IndexError::Unreachable { url, .. }) if url.contains(":6333") => {
                "set `retrieval.collection.url` to the gRPC port, 6334; 6333 is the REST port"
            }
            Self::Call(IndexError::Unreachable { .. }) => {
                "start the server or correct `retrieval.collection.url`"
            }
            Self::Call(IndexError::Denied { .. }) => {
                "set `retrieval.collection.api_key_env` to the name of a variable that holds a valid key"
            }
            Self::Call(IndexError::Forbidden { .. }) => {
                "name a key that may read the collection in `retrieval.collection.api_key_env`"
            }
            Self::Call(IndexError::Gone { .. }) => "run again when the collection exists",
            Self::Call(IndexError::NodeLost { .. }) => "start the lost node, then run again",
            Self::Call(IndexError::Server { .. } | IndexError::Answer { .. }) => {
                "check the server's version and log, and `[retrieval.collection]`"
            }
            Self::Call(error) => return error.hint(),
            Self::NotFound { .. } => "correct `retrieval.collection.name`",
            Self::NoVector { kind: "dense", .. } => {
                "name one of these in `retrieval.collection.using`"
            }
            Self::NoVector { .. } => "name one of these in `retrieval.collection.sparse_using`",
            Self::Dimension { .. } => {
                "set `retrieval.dense.model` to the model that made the vectors, or `retrieval.collection.using` to another vector"
            }
            Self::Empty { .. } => "check `retrieval.collection.name` and `filter`",
            Self::NoField { key, .. } => {
                return Some(format!(
                    "name one of these in `retrieval.collection.{key}`, or leave such points out by `retrieval.collection.filter`"
                ));
            }
            Self::Changed { .. } => "run again while no program writes to the collection",
        };
        Some(advice.to_owned())
    }
}
