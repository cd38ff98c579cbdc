//! Vector stores: Qdrant, embedded and on a server.
//!
//! A [`VectorStore`] is a collection of vectors in Qdrant, in this process ([`EmbeddedStore`]) or on a server
//! ([`ServerStore`]). Both identify chunks by their number in the corpus order; the pipeline turns numbers into ids,
//! and scores into a ranking. An [`ExistingCollection`] belongs to another program: it is read and searched, never written.

mod address;
mod collection;
#[cfg(test)]
mod contract;
mod edge;
mod error;
mod existing;
mod server;

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;

pub use address::Server;
pub use collection::CollectionSpec;
pub use edge::EmbeddedStore;
pub use error::{Error, Kind, changed};
pub use existing::{CollectionContent, ExistingCollection, ExistingSearch, StoredPassage};
pub use server::{ServerStore, version as server_version};

use ragtriage_core::config::CollectionSettings;

/// The embedded engine's version, as pinned in Cargo.toml.
pub const QDRANT_EDGE: &str = "0.7.2";

/// A chunk's vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The chunk's number in the corpus order; the point's id.
    pub number: u32,
    /// One row, or several one after another, as the collection's shape says.
    pub vector: Vec<f32>,
}

/// A query and its limits.
#[derive(Clone, Copy, Debug)]
pub struct VectorSearch<'a> {
    pub vector: &'a [f32],
    /// Maximum number of neighbours.
    pub limit: usize,
    /// Numbers of the points that may be found, distinct; `None` for all.
    pub allowed: Option<&'a [u32]>,
}

/// Method of finding nearest neighbours in an existing collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchMode {
    /// Compares every vector.
    Exact,
    /// Uses the HNSW graph if the server built one.
    Approximate,
}

/// One neighbour: the point's number and its similarity, larger is nearer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Neighbour {
    /// [`Point::number`].
    pub number: u32,
    pub score: f32,
}

/// A collection of vectors in Qdrant, in this process or on a server.
///
/// Contract: a collection is named by the hash of its content and layout ([`CollectionSpec::name`]), so that a reopened
/// one cannot be stale. A point's number therefore identifies its content: an existing point is left unchanged, and so
/// upserting is idempotent, even if other processes do it at the same time. Points that an interrupted filling did not
/// store are `missing`. When none are, the collection is complete. Points are rejected, before anything is written, when their vector is of another kind or dimension, not
/// finite or malformed, or their number is beyond the collection. `search` compares every vector and returns at most `limit`
/// neighbours, best first, ties in any order; only allowed ones. Transient remote failures are retried inside; errors name URL or path, and
/// the collection.
#[async_trait]
pub trait VectorStore: Send + Sync {
    /// Returns the numbers below [`CollectionSpec::expected_points`] that are not stored, ascending. Fast when there
    /// are none.
    ///
    /// # Errors
    /// Points that this program did not store.
    async fn missing(&self) -> Result<Vec<u32>, Error>;

    /// Adds those of `points` that are missing, in batches of a size it chooses. May be called often, with some thousand
    /// points at a time. A server's points are durable on return; those of the embedded engine once the collection is complete.
    async fn upsert(&self, points: &[Point]) -> Result<(), Error>;

    /// Returns the nearest neighbours.
    async fn search(&self, search: VectorSearch<'_>) -> Result<Vec<Neighbour>, Error>;

    /// Returns a notice if the collection was found damaged or unfinished and is filled again.
    fn notice(&self) -> Option<String> {
        None
    }
}

/// Place where vectors are stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VectorPlace {
    /// In this process, in this folder.
    Embedded(PathBuf),
    /// On a Qdrant server.
    Server(Server),
}

/// Opens the collection, or creates it, empty.
///
/// # Errors
/// Any error of the store.
pub async fn open_or_create(
    place: &VectorPlace,
    spec: &CollectionSpec,
) -> Result<Arc<dyn VectorStore>, Error> {
    Ok(match place {
        VectorPlace::Embedded(folder) => {
            Arc::new(EmbeddedStore::open_or_create(folder, spec).await?)
        }
        VectorPlace::Server(server) => {
            Arc::new(Box::pin(ServerStore::open_or_create(server, spec)).await?)
        }
    })
}

/// Opens another program's collection on `server`. `dimension`: that of the questions' dense vectors, if there are any.
///
/// # Errors
/// No answer, no such collection, or vectors that do not fit.
pub async fn open_existing(
    server: &Server,
    settings: &CollectionSettings,
    dimension: Option<usize>,
) -> Result<Arc<dyn ExistingCollection>, Error> {
    Ok(Arc::new(server::ServerCollection::open(server, settings, dimension).await?))
}
