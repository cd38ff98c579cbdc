//! A wrapper that stores any reranker's scores in a cache file.
//!
//! A score's key is the sha256 of the reranker's fingerprint, the question, the title and the text, so that stale hits are
//! impossible; its value is the number as little-endian `f32`. `cache/` opens, locks and shares the file.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use async_trait::async_trait;

use super::{RerankError, Reranker};
use crate::cache::{CacheTable, ContentKey, Database, key};
use ragtriage_core::notices::Notices;
use ragtriage_core::types::TitledText;

/// The table of cached scores.
pub const SCORES: CacheTable = CacheTable { name: "scores", value: "score", label: "scores" };

/// A [`Reranker`] that calls another only for passages not in the cache.
pub struct CachedReranker {
    inner: Arc<dyn Reranker>,
    database: Database,
    n_hits: AtomicU64,
    n_misses: AtomicU64,
}

impl CachedReranker {
    /// Opens or creates the database at `path`, and its folder.
    pub fn open(
        inner: Arc<dyn Reranker>,
        path: &Path,
        notices: &Notices,
    ) -> Result<Self, RerankError> {
        let database = Database::open(path, &[SCORES], notices)?;
        Ok(Self { inner, database, n_hits: AtomicU64::new(0), n_misses: AtomicU64::new(0) })
    }

    /// Returns the number of passages scored from the cache so far.
    pub fn n_hits(&self) -> u64 {
        self.n_hits.load(Ordering::Relaxed)
    }

    /// Returns the number of passages passed to the reranker so far.
    pub fn n_misses(&self) -> u64 {
        self.n_misses.load(Ordering::Relaxed)
    }

    /// Scores passages and stores the scores.
    async fn fill(
        &self,
        query: &str,
        passages: &[TitledText<'_>],
        keys: &[ContentKey],
    ) -> Result<Vec<f32>, RerankError> {
        let scores = self.inner.scores(query, passages).await?;
        if scores.len() != passages.len() {
            let what = format!("{} scores for {} passages", scores.len(), passages.len());
            return Err(RerankError::Contract {
                reranker: self.inner.fingerprint().to_owned(),
                what,
            });
        }
        if let Some(score) = scores.iter().find(|score| !score.is_finite()) {
            let what = format!("the score {score}");
            return Err(RerankError::Contract {
                reranker: self.inner.fingerprint().to_owned(),
                what,
            });
        }
        let rows = keys
            .iter()
            .copied()
            .zip(scores.iter().map(|score| score.to_le_bytes().to_vec()))
            .collect();
        self.database.write(SCORES, rows).await?;
        self.n_misses.fetch_add(passages.len() as u64, Ordering::Relaxed);
        Ok(scores)
    }
}

#[async_trait]
impl Reranker for CachedReranker {
    fn fingerprint(&self) -> &str {
        self.inner.fingerprint()
    }

    async fn scores(
        &self,
        query: &str,
        passages: &[TitledText<'_>],
    ) -> Result<Vec<f32>, RerankError> {
        if passages.is_empty() {
            return Ok(Vec::new());
        }
        let fingerprint = self.inner.fingerprint();
        let keys: Vec<ContentKey> = passages
            .iter()
            .map(|passage| key(&[fingerprint, query, passage.title, passage.text]))
            .collect();
        let mut scores = self.database.read(SCORES, keys.clone(), from_bytes).await?;
        let missing: Vec<usize> = (0..passages.len()).filter(|i| scores[*i].is_none()).collect();
        self.n_hits.fetch_add((passages.len() - missing.len()) as u64, Ordering::Relaxed);
        if !missing.is_empty() {
            let texts: Vec<TitledText<'_>> = missing.iter().map(|i| passages[*i]).collect();
            let text_keys: Vec<ContentKey> = missing.iter().map(|i| keys[*i]).collect();
            let scored = self.fill(query, &texts, &text_keys).await?;
            for (i, score) in missing.into_iter().zip(scored) {
                scores[i] = Some(score);
            }
        }
        Ok(scores
            .into_iter()
            .map(|score| score.expect("every passage was found or scored"))
            .collect())
    }
}

/// Returns `None` if the bytes are not a score: the passage is scored again.
fn from_bytes(bytes: &[u8]) -> Option<f32> {
    Some(f32::from_le_bytes(bytes.try_into().ok()?)).filter(|score| score.is_finite())
}

#[cfg(test)]
mod tests;
