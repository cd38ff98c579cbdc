//! Vector stores: Qdrant, embedded and on a server.
//!
//! A [`VectorStore`] is a collection of vectors in Qdrant, in this process ([`EmbeddedStore`]) or on a server
//! ([`ServerStore`]). Both identify chunks by their number in the corpus order; the pipeline turns numbers into ids,
//! and scores into a ranking.

#![cfg_attr(
    not(any(feature = "embedded", feature = "server")),
    allow(dead_code, reason = "what the stores share has no user without them")
)]

mod address;
mod collection;
#[cfg(all(test, feature = "server"))]
mod contract;
#[cfg(feature = "embedded")]
mod edge;
mod error;
mod existing;
mod filter;
mod folder;
mod open;
mod seal;
#[cfg(feature = "server")]
mod server;
mod vector;

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

pub use address::Server;
pub use collection::CollectionSpec;
#[cfg(feature = "embedded")]
pub use edge::EmbeddedStore;
pub use error::IndexError;
pub use existing::{
    CollectionContent, ExistingCollection, ExistingError, ExistingIndex, ExistingSearch,
    StoredPassage, open_existing,
};
pub use open::{VectorPlace, open_or_create, server_version};
#[cfg(feature = "server")]
pub use server::ServerStore;

pub use folder::stored_collections;
pub use vector::{Vector, VectorSpec};

use ragtriage_core::types::Filter;

/// The embedded engine's version, as pinned in Cargo.toml.
pub const QDRANT_EDGE: &str = "0.7.2";

/// A chunk's vector with its payload.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The chunk's number in the corpus order; the point's id.
    pub number: u32,
    /// Its vector.
    pub vector: Vector,
    /// The chunk's id, `doc_id#ordinal`.
    pub chunk_id: String,
    /// Its document.
    pub doc_id: String,
    /// The chunk's byte range in the document.
    pub range: (usize, usize),
    /// Its document's metadata, which filters read.
    pub metadata: Arc<BTreeMap<String, Value>>,
}

/// A query, its filter and its limits.
#[derive(Clone, Copy, Debug)]
pub struct VectorSearch<'a> {
    /// The question's vector.
    pub vector: &'a Vector,
    /// Maximum number of neighbours.
    pub limit: usize,
    /// Exact or approximate.
    pub mode: SearchMode,
    /// Filter of the documents that may be found; `None` for all.
    pub filter: Option<&'a Filter>,
}

/// Method of finding nearest neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchMode {
    /// Compares every vector, unquantized.
    Exact,
    /// Uses the HNSW graph if the engine built one, and the quantized copies if there are any.
    Approximate,
}

/// One neighbour: the point's number and its similarity, larger is nearer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// [`Point::number`].
    pub number: u32,
    /// Similarity as defined by [`VectorSpec`].
    pub score: f32,
}

/// A collection of vectors in Qdrant, in this process or on a server.
///
/// Contract: a collection is named by the hash of its content and layout ([`CollectionSpec::name`]), so that a reopened
/// one cannot be stale. A point's number therefore identifies its content: an existing point is left unchanged, and so
/// upserting is idempotent, even if other processes do it at the same time. Points that an interrupted filling did not
/// store are `missing`. When none are, the collection is complete: then, and only then, graph and quantized copies are
/// built. Points are rejected, before anything is written, when their vector is of another kind or dimension, not
/// finite or malformed, or their number is beyond the collection. `search` returns at most `limit` neighbours, best
/// first, ties in any order; only those that pass the filter, by [`Filter::matches`]. Transient remote failures are
/// retried inside; errors name URL or path, and the collection.
#[async_trait]
pub trait VectorStore: Send + Sync {
    /// Returns the number of stored points.
    async fn count(&self) -> Result<usize, IndexError>;

    /// Returns the numbers below [`CollectionSpec::expected_points`] that are not stored, ascending. Fast when there
    /// are none.
    ///
    /// # Errors
    /// [`IndexError::Foreign`] when it holds other points.
    async fn missing(&self) -> Result<Vec<u32>, IndexError>;

    /// Adds those of `points` that are missing, in batches of a size it chooses. May be called often, with some thousand
    /// points at a time; the call that completes the collection also builds its graph (embedded), or has the server
    /// start to. A server's points are durable on return; those of the embedded engine once the collection is complete
    /// or closed.
    async fn upsert(&self, points: &[Point]) -> Result<(), IndexError>;

    /// Returns the nearest neighbours. On a server the first approximate search waits until the graph is built.
    async fn search(&self, search: VectorSearch<'_>) -> Result<Vec<Neighbour>, IndexError>;

    /// Returns a notice if the collection was found damaged or unfinished and is filled again.
    fn notice(&self) -> Option<String> {
        None
    }

    /// Returns whether [`SearchMode::Approximate`] follows a graph here, or scans because there is none. Waits as
    /// `search` does. (Where a filter lets few points through, Qdrant scans those all the same.)
    async fn graph_in_use(&self) -> Result<bool, IndexError>;

    /// Returns the number of segments of the collection. A graph covers one segment.
    async fn segments(&self) -> Result<usize, IndexError>;
}
