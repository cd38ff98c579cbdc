//! Vectors in this process, by `qdrant-edge`: Qdrant's engine without a server.
//!
//! Every call of the engine blocks, so each runs on tokio's blocking threads. A complete collection has a checksum of its
//! files; without it, or if a file differs, it starts empty. After the last point nothing is written.
//!
//! Left out: deleting and replacing points (a collection's name identifies its content), and most of the log, which the
//! engine writes but does not read back.

mod engine;
pub(crate) mod folder;
mod wire;

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;

use super::collection::CollectionSpec;
use super::{Error, Neighbour, Point, VectorSearch, VectorStore};
use engine::{Engine, blocking, on};
use ragtriage_core::batches::batches;

/// Points per operation of the engine, and bytes of their vectors: well below a file of its log (`LOG_FILE`), in which
/// they take a quarter more.
const BATCH: (usize, usize) = (1_000, 2 << 20);

/// A collection in a folder of the cache, open in this process.
pub struct EmbeddedStore {
    engine: Arc<Engine>,
    spec: CollectionSpec,
}

impl EmbeddedStore {
    /// Opens the collection `spec.name()` under the cache folder `dir`, or creates it, empty.
    ///
    /// It may be open several times at once, in one process or in many: all but the first fill temporary copies.
    ///
    /// # Errors
    /// A parameter out of range; a folder that cannot be written; a collection of another layout under the name.
    pub async fn open_or_create(dir: &Path, spec: &CollectionSpec) -> Result<Self, Error> {
        spec.check()?;
        let (cache, wanted) = (dir.to_owned(), spec.clone());
        let engine = blocking("open a collection", dir.join(spec.name()), move || {
            Engine::open(&cache, wanted)
        })
        .await?;
        Ok(Self { engine: Arc::new(engine), spec: spec.clone() })
    }
}

#[async_trait]
impl VectorStore for EmbeddedStore {
    async fn missing(&self) -> Result<Vec<u32>, Error> {
        Ok(self.engine.missing())
    }

    async fn upsert(&self, points: &[Point]) -> Result<(), Error> {
        self.spec.check_points(points)?;
        if self.engine.is_whole() {
            return Ok(());
        }
        for batch in batches(points, BATCH, |point| size_of_val(&*point.vector)) {
            let batch = batch.to_vec();
            on(&self.engine, "store points", move |engine| engine.write(&batch)).await?;
        }
        on(&self.engine, "store points", Engine::finish).await
    }

    async fn search(&self, search: VectorSearch<'_>) -> Result<Vec<Neighbour>, Error> {
        self.spec.check_search(&search)?;
        if search.limit == 0 {
            return Ok(Vec::new());
        }
        let request = wire::query(&self.spec, &search);
        on(&self.engine, "search", move |engine| engine.search(request)).await
    }

    fn notice(&self) -> Option<String> {
        let reason = self.engine.emptied()?;
        let name = self.spec.name();
        Some(format!("vector collection `{name}` is rebuilt from the vector cache: {reason}"))
    }
}

#[cfg(test)]
mod tests;
