//! A retriever with cached rankings, for sweeps: nothing outlives the process.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::retriever::{Retrieved, Retriever};
use crate::Error;
use ragtriage_core::types::{Ranking, RetrieverName};

/// A retriever with cached rankings: each question is asked once at each depth.
pub(crate) struct CachedRankings {
    inner: Box<dyn Retriever>,
    found: Mutex<HashMap<RankingKey, Retrieved>>,
    found_exactly: Mutex<HashMap<RankingKey, Option<Ranking>>>,
}

/// One call of a retriever.
#[derive(PartialEq, Eq, Hash)]
struct RankingKey {
    question: String,
    depth: usize,
}

impl RankingKey {
    fn new(question: &str, depth: usize) -> Self {
        Self { question: question.to_owned(), depth }
    }
}

impl CachedRankings {
    pub(crate) fn new(inner: Box<dyn Retriever>) -> Self {
        Self { inner, found: Mutex::default(), found_exactly: Mutex::default() }
    }
}

fn lock<T>(found: &Mutex<T>) -> MutexGuard<'_, T> {
    found.lock().unwrap_or_else(PoisonError::into_inner)
}

#[async_trait]
impl Retriever for CachedRankings {
    fn name(&self) -> RetrieverName {
        self.inner.name()
    }

    async fn retrieve(&self, question: &str, depth: usize) -> Result<Retrieved, Error> {
        let request = RankingKey::new(question, depth);
        let known = lock(&self.found).get(&request).cloned();
        if let Some(found) = known {
            return Ok(found);
        }
        let found = self.inner.retrieve(question, depth).await?;
        lock(&self.found).insert(request, found.clone());
        Ok(found)
    }

    async fn retrieve_exactly(
        &self,
        question: &str,
        depth: usize,
    ) -> Result<Option<Ranking>, Error> {
        let request = RankingKey::new(question, depth);
        let known = lock(&self.found_exactly).get(&request).cloned();
        if let Some(found) = known {
            return Ok(found);
        }
        let found = self.inner.retrieve_exactly(question, depth).await?;
        lock(&self.found_exactly).insert(request, found.clone());
        Ok(found)
    }
}
