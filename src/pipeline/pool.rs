//! Pooling: the best of what several retrievers find, put together for somebody to judge.
//!
//! As TREC pools the runs of its participants (Spärck Jones and van Rijsbergen 1975; Voorhees and Harman, "TREC", 2005,
//! chapter 2): the union of each retriever's first `depth` passages. What no retriever brings there is unjudged. Rankings
//! are neither fused nor reranked: fusion would let the retrievers that agree outvote the one that alone is right.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::PipelineError;
use super::ingest::{Ingested, ingest};
use super::plan::Plan;
use super::progress::Progress;
use super::retrieve::{Query, Retriever};
use crate::types::{ChunkId, Corpus, Document, Question, Stage};

/// A passage that at least one retriever found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pooled {
    /// The passage.
    pub id: ChunkId,
    /// Where each retriever that found it ranked it, from 1.
    pub ranks: BTreeMap<Stage, usize>,
}

impl Pooled {
    /// The best of its ranks.
    #[must_use]
    pub fn best_rank(&self) -> usize {
        self.ranks.values().copied().min().unwrap_or(usize::MAX)
    }
}

/// What was pooled.
pub struct Pools {
    /// The documents and the passages they were cut into.
    pub corpus: Arc<Corpus>,
    /// For each question, in order, its passages: by best rank, equal ones by id.
    pub of: Vec<Vec<Pooled>>,
}

/// Pools the first `depth` passages of each of `plan`'s retrievers, for each of `questions`.
///
/// # Errors
/// As [`ingest`], and the first retriever's that fails.
pub async fn pool(
    documents: Vec<Document>,
    questions: Vec<Question>,
    plan: &Plan,
    depth: usize,
    progress: &dyn Progress,
) -> Result<Pools, PipelineError> {
    let questions: Vec<(usize, Question)> = questions.into_iter().enumerate().collect();
    let Ingested { corpus, retrievers, .. } = ingest(documents, &questions, plan, progress).await?;
    let mut of = Vec::with_capacity(questions.len());
    progress.start("pooling", questions.len() as u64);
    for (index, question) in &questions {
        of.push(pool_one(&retrievers, Query { index: *index, text: &question.text }, depth).await?);
        progress.advance(1);
    }
    progress.finish();
    Ok(Pools { corpus, of })
}

async fn pool_one(
    retrievers: &[Box<dyn Retriever>],
    query: Query<'_>,
    depth: usize,
) -> Result<Vec<Pooled>, PipelineError> {
    let mut ranks: BTreeMap<ChunkId, BTreeMap<Stage, usize>> = BTreeMap::new();
    for retriever in retrievers {
        let found = retriever.retrieve(query, depth).await?;
        for (rank, id) in (1..).zip(found.ranking.ids()) {
            ranks.entry(id.clone()).or_default().insert(retriever.stage(), rank);
        }
    }
    let mut pooled: Vec<Pooled> = ranks.into_iter().map(|(id, ranks)| Pooled { id, ranks }).collect();
    pooled.sort_by_key(Pooled::best_rank); // stable: equal ranks stay in the order of their ids
    Ok(pooled)
}
