//! Pooled passages: the union of what several retrievers found for a question.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{ChunkId, Corpus, RetrieverName};

/// A passage that at least one retriever found, or that has a candidate place of the answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pooled {
    /// The passage.
    pub id: ChunkId,
    /// Rank by each retriever that found it, from 1.
    pub ranks: BTreeMap<RetrieverName, usize>,
    /// True for a passage with a candidate place of the answer, which was located by its text; such passages come first.
    pub is_candidate: bool,
}

impl Pooled {
    /// Returns the best of its ranks.
    #[must_use]
    pub fn best_rank(&self) -> usize {
        self.ranks.values().copied().min().unwrap_or(usize::MAX)
    }
}

/// Pooled passages of a set of questions.
pub struct Pools {
    /// Documents and passages.
    pub corpus: Arc<Corpus>,
    /// For each question, in order, its passages: candidate places, then by best rank, equal ones by id.
    pub of: Vec<Vec<Pooled>>,
}
