//! The contract's embedded stores, over one cache folder.

use std::path::PathBuf;

use async_trait::async_trait;
use tempfile::TempDir;

use super::StoreKind;
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
}

#[async_trait]
impl StoreKind for Embedded {
    async fn open(&self, spec: &CollectionSpec) -> Result<Box<dyn VectorStore>, Error> {
        Ok(Box::new(EmbeddedStore::open_or_create(&self.cache, spec).await?))
    }

    fn environment(&self) -> (&'static str, String) {
        (CACHE, self.cache.display().to_string())
    }

    fn keeps_points(&self) -> bool {
        false
    }

    async fn clean(&self, _: &CollectionSpec) {}
}

#[expect(clippy::unnecessary_wraps, reason = "as `remote`")]
pub(super) fn embedded() -> Option<Embedded> {
    let folder = tempfile::tempdir().expect("a folder");
    Some(Embedded { cache: folder.path().to_owned(), _folder: Some(folder) })
}
