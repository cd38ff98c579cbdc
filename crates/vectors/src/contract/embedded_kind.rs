//! The contract's embedded stores, over one cache folder.

use std::path::PathBuf;

use async_trait::async_trait;
use qdrant_edge::{
    EdgeShard, PointId, PointInsertOperations, PointOperations, PointStruct as EdgePoint,
    UpdateOperation, Vectors,
};
use tempfile::TempDir;

use super::StoreKind;
use crate::edge::folder::CollectionFolder;
use crate::{CollectionSpec, EmbeddedStore, Error, VectorStore};

pub(super) struct Embedded {
    cache: PathBuf,
    _folder: Option<TempDir>,
}

/// Names the cache folder to a child process.
pub(super) const CACHE: &str = "RAGTRIAGE_CONTRACT_CACHE";

impl Embedded {
    /// Returns the stores over a cache that outlives the process.
    pub(super) fn over(cache: PathBuf) -> Self {
        Self { cache, _folder: None }
    }

    /// Changes a closed collection and seals it, as no other program could.
    fn update(&self, spec: &CollectionSpec, operation: PointOperations) {
        let folder = CollectionFolder::open(&self.cache.join(spec.name())).expect("closed");
        let shard = EdgeShard::load(&folder.engine(), None).expect("a collection");
        shard.update(UpdateOperation::PointOperation(operation)).expect("changed");
        drop(shard);
        folder.seal(&spec.layout(), true).expect("sealed");
    }
}

#[async_trait]
impl StoreKind for Embedded {
    async fn open(&self, spec: &CollectionSpec) -> Result<Box<dyn VectorStore>, Error> {
        Ok(Box::new(EmbeddedStore::open_or_create(&self.cache, spec).await?))
    }

    async fn lose(&self, spec: &CollectionSpec, numbers: &[u32]) {
        let ids = numbers.iter().map(|&number| PointId::NumId(u64::from(number))).collect();
        self.update(spec, PointOperations::DeletePoints { ids });
    }

    async fn plant(&self, spec: &CollectionSpec, number: u64) {
        let no_vectors: [(String, Vec<f32>); 0] = [];
        let point = EdgePoint::new(
            PointId::NumId(number),
            Vectors::new_named(no_vectors),
            serde_json::json!({}),
        );
        self.update(
            spec,
            PointOperations::UpsertPoints(PointInsertOperations::PointsList(vec![point.into()])),
        );
    }

    fn environment(&self) -> (&'static str, String) {
        (CACHE, self.cache.display().to_string())
    }

    fn keeps_after_a_kill(&self) -> bool {
        false
    }

    async fn clean(&self, _: &CollectionSpec) {}
}

#[expect(clippy::unnecessary_wraps, reason = "as `remote`")]
pub(super) fn embedded() -> Option<Embedded> {
    let folder = tempfile::tempdir().expect("a folder");
    Some(Embedded { cache: folder.path().to_owned(), _folder: Some(folder) })
}
