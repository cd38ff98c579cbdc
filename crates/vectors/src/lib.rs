//! Vector stores: Qdrant, embedded and on a server.
//!
//! A [`VectorStore`] is a collection of vectors in Qdrant, in this process ([`EmbeddedStore`]) or on a server
//! ([`ServerStore`]). Both identify chunks by their number in the corpus order; the pipeline turns numbers into ids,
//! and scores into a ranking. An [`ExistingCollection`] belongs to another program: it is read and searched, never written.

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
#[cfg(feature = "server")]
mod server;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use serde_json::Value;

pub use address::Server;
pub use collection::{CollectionSpec, VectorSpec};
#[cfg(feature = "embedded")]
pub use edge::EmbeddedStore;
pub use error::{Error, Kind};
pub use existing::{
    CollectionContent, ExistingCollection, ExistingIndex, ExistingSearch, StoredPassage,
};
#[cfg(feature = "server")]
pub use server::ServerStore;

use ragtriage_core::config::CollectionSettings;
use ragtriage_core::types::Filter;

/// The embedded engine's version, as pinned in Cargo.toml.
pub const QDRANT_EDGE: &str = "0.7.2";

/// A chunk's vector with its payload.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The chunk's number in the corpus order; the point's id.
    pub number: u32,
    /// One row, or several one after another, as [`VectorSpec`] says.
    pub vector: Vec<f32>,
    /// The chunk's id, `doc_id#ordinal`.
    pub chunk_id: String,
    pub doc_id: String,
    /// The chunk's byte range in the document.
    pub range: (usize, usize),
    /// Its document's metadata, which filters read.
    pub metadata: Arc<BTreeMap<String, Value>>,
}

/// A query, its filter and its limits.
#[derive(Clone, Copy, Debug)]
pub struct VectorSearch<'a> {
    pub vector: &'a [f32],
    /// Maximum number of neighbours.
    pub limit: usize,
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
    async fn count(&self) -> Result<usize, Error>;

    /// Returns the numbers below [`CollectionSpec::expected_points`] that are not stored, ascending. Fast when there
    /// are none.
    ///
    /// # Errors
    /// Points that this program did not store.
    async fn missing(&self) -> Result<Vec<u32>, Error>;

    /// Adds those of `points` that are missing, in batches of a size it chooses. May be called often, with some thousand
    /// points at a time; the call that completes the collection also builds its graph (embedded), or has the server
    /// start to. A server's points are durable on return; those of the embedded engine once the collection is complete
    /// or closed.
    async fn upsert(&self, points: &[Point]) -> Result<(), Error>;

    /// Returns the nearest neighbours. On a server the first approximate search waits until the graph is built.
    async fn search(&self, search: VectorSearch<'_>) -> Result<Vec<Neighbour>, Error>;

    /// Returns a notice if the collection was found damaged or unfinished and is filled again.
    fn notice(&self) -> Option<String> {
        None
    }

    /// Returns whether [`SearchMode::Approximate`] follows a graph here, or scans because there is none. Waits as
    /// `search` does. (Where a filter lets few points through, Qdrant scans those all the same.)
    async fn graph_in_use(&self) -> Result<bool, Error>;

    /// Returns the number of segments of the collection. A graph covers one segment.
    async fn segments(&self) -> Result<usize, Error>;
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
/// [`Kind::NotBuiltIn`] if this program was built without that store, and any error of the store.
pub async fn open_or_create(
    place: &VectorPlace,
    spec: &CollectionSpec,
) -> Result<Arc<dyn VectorStore>, Error> {
    spec.check()?;
    match place {
        #[cfg(feature = "embedded")]
        VectorPlace::Embedded(folder) => {
            Ok(Arc::new(EmbeddedStore::open_or_create(folder, spec).await?))
        }
        #[cfg(not(feature = "embedded"))]
        VectorPlace::Embedded(_) => Err(Error::not_built_in("embedded")),
        #[cfg(feature = "server")]
        VectorPlace::Server(server) => {
            Ok(Arc::new(ServerStore::open_or_create(server, spec).await?))
        }
        #[cfg(not(feature = "server"))]
        VectorPlace::Server(_) => Err(Error::not_built_in("server")),
    }
}

/// Returns the version of a Qdrant server, which has accepted the key.
///
/// # Errors
/// [`Kind::NotBuiltIn`] if this program was built without the client, no answer, a refused key.
#[cfg_attr(not(feature = "server"), expect(unused_variables, reason = "nothing connects"))]
pub async fn server_version(server: &Server) -> Result<String, Error> {
    #[cfg(feature = "server")]
    return server::version(server).await;
    #[cfg(not(feature = "server"))]
    return Err(Error::not_built_in("server"));
}

/// Opens another program's collection on `server`. `dimension`: that of the questions' dense vectors, if there are any.
///
/// # Errors
/// [`Kind::NotBuiltIn`] if this program was built without the client; no answer, no such collection, or vectors that do
/// not fit.
#[cfg_attr(not(feature = "server"), expect(unused_variables, reason = "nothing connects"))]
pub async fn open_existing(
    server: &Server,
    settings: &CollectionSettings,
    dimension: Option<usize>,
) -> Result<Arc<dyn ExistingCollection>, Error> {
    #[cfg(feature = "server")]
    return Ok(Arc::new(server::ServerCollection::open(server, settings, dimension).await?));
    #[cfg(not(feature = "server"))]
    return Err(Error::not_built_in("server"));
}
