//! A collection that another program made and owns: its points are read and searched, never written.

use async_trait::async_trait;
use ragtriage_core::types::Hnsw;

use crate::{Error, SearchMode};

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
/// which larger is nearer, ties in any order, or an error of [`crate::Kind::Changed`] if the number of points is another
/// one than `read` found.
#[async_trait]
pub trait ExistingCollection: Send + Sync {
    /// Reads all points that pass the filter.
    async fn read(&self) -> Result<CollectionContent, Error>;

    /// Finds the best points for a question.
    async fn search(&self, search: ExistingSearch<'_>) -> Result<Vec<(String, f32)>, Error>;

    /// Returns the graph that [`SearchMode::Approximate`] follows, which may miss points; `None` if it compares every vector.
    fn index(&self) -> Option<Hnsw>;
}
