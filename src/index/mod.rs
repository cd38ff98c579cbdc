//! Floor 3, indexes: what finds chunks.
//!
//! Two kinds. [`SparseIndex`] is our own inverted index, in memory or in a file. A [`VectorStore`] is a collection of vectors in Qdrant,
//! in this process ([`EmbeddedStore`]) or on a server ([`ServerStore`]). Both speak of chunks by their number in the
//! corpus order; turning numbers into ids, and scores into a ranking, is the pipeline's work.

mod collection;
#[cfg(test)]
mod contract;
mod edge;
mod error;
mod server;
mod slot;
mod sparse;

use async_trait::async_trait;

pub use collection::{CollectionSpec, Distance, Hnsw};
pub use edge::EmbeddedStore;
pub use error::IndexError;
pub use server::{Server, ServerStore};
pub use sparse::{Allowed, Parameters as Bm25Parameters, SparseIndex, Variant as Bm25Variant, Weighting};

/// The embedded engine's version, as Cargo.toml pins it.
pub const QDRANT_EDGE: &str = "0.7.2";

/// A chunk's vector with what is stored beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The chunk's number in the corpus order; the point's id.
    pub number: u32,
    /// Its vector.
    pub vector: Vec<f32>,
    /// The chunk's id, `doc_id#ordinal`.
    pub chunk_id: String,
    /// Its document.
    pub doc_id: String,
    /// Its byte range in the document.
    pub range: (usize, usize),
}

/// How nearest neighbours are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchMode {
    /// Every vector is compared.
    Exact,
    /// By the HNSW graph, where the engine built one.
    Approximate,
}

/// One neighbour: the point's number and its similarity, larger is nearer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// [`Point::number`].
    pub number: u32,
    /// Cosine or dot product, as the collection was made.
    pub score: f32,
}

/// A collection of vectors in Qdrant, in this process or on a server.
///
/// Contract: a collection is named by the hash of its content, so that a reopened one cannot be stale; it is whole
/// when `count` equals [`CollectionSpec::expected_points`], and is filled (again) with all its points when not;
/// `upsert` of a point that is there replaces it (idempotent), so a broken-off filling is resumed by upserting again;
/// `search` returns at most `limit` neighbours, best first, ties in any order, fewer when the collection is smaller,
/// none for an empty one. Vectors of another dimension, or with a component that is not finite, are refused before
/// anything is written. Transient remote failures are retried inside; errors name URL or path.
#[async_trait]
pub trait VectorStore: Send + Sync {
    /// How many points it holds.
    async fn count(&self) -> Result<usize, IndexError>;

    /// Adds or replaces points, in batches of its own choosing, durable on return.
    async fn upsert(&self, points: &[Point]) -> Result<(), IndexError>;

    /// The nearest neighbours of `vector`.
    async fn search(&self, vector: &[f32], limit: usize, mode: SearchMode) -> Result<Vec<Neighbour>, IndexError>;
}
