//! A wrapper that stores any reranker's scores in a cache file.
//!
//! A score's key is the sha256 of the reranker's fingerprint, the question, the title and the text, so that stale hits are
//! impossible; its value is the number as little-endian `f32`.

use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;

use super::Reranker;
use crate::Error;
use crate::cache::{CacheTable, Cached, ContentKey, Database, key};
use ragtriage_core::notices::Notices;
use ragtriage_core::types::TitledText;

/// The table of cached scores.
const SCORES: CacheTable = CacheTable { name: "scores", value: "score", label: "scores" };

/// A [`Reranker`] that calls another only for passages not in the cache.
pub struct CachedReranker {
    inner: Arc<dyn Reranker>,
    pub(super) scores: Cached<f32>,
}

impl CachedReranker {
    /// Opens or creates the database at `path`, and its folder.
    pub fn open(inner: Arc<dyn Reranker>, path: &Path, notices: &Notices) -> Result<Self, Error> {
        let scores = Cached::new(Database::open(path, &[SCORES], notices)?, SCORES);
        Ok(Self { inner, scores })
    }

    /// Scores passages and checks the reranker's contract.
    async fn scored(&self, query: &str, passages: Vec<TitledText<'_>>) -> Result<Vec<f32>, Error> {
        let scores = self.inner.scores(query, &passages).await?;
        let what = match scores.iter().find(|score| !score.is_finite()) {
            Some(score) => format!("the score {score}"),
            None if scores.len() == passages.len() => return Ok(scores),
            None => format!("{} scores for {} passages", scores.len(), passages.len()),
        };
        Err(Error::contract(self.inner.fingerprint(), &what))
    }
}

#[async_trait]
impl Reranker for CachedReranker {
    fn fingerprint(&self) -> &str {
        self.inner.fingerprint()
    }

    async fn scores(&self, query: &str, passages: &[TitledText<'_>]) -> Result<Vec<f32>, Error> {
        let fingerprint = self.inner.fingerprint();
        let keys: Vec<ContentKey> = passages
            .iter()
            .map(|passage| key(&[fingerprint, query, passage.title, passage.text]))
            .collect();
        let score = |missing: Vec<usize>| async move {
            let passages = missing.iter().map(|i| passages[*i]).collect();
            self.scored(query, passages).await.map(Some)
        };
        let scores = self.scores.all(&keys, |_| true, usize::MAX, &|_| (), score).await?;
        Ok(scores.expect("a reranker has scores"))
    }
}

#[cfg(test)]
mod tests;
