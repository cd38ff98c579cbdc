//! One question to its stages: each retriever's ranking, then the fused one.

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;

use super::PipelineError;
use crate::attribute::support::SupportTest;
use crate::fuse::{self, Parts};

use crate::index::{Bm25, Search, SearchMode, Vector, VectorStore};
use crate::text::analyse::Analyzer;
use crate::types::{Corpus, Hit, Question, Ranking, Stage, StageHit, TraceStage};

/// A question as retrievers see it.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// Its text.
    pub text: &'a str,
    /// Its vector, where the run has an encoder.
    pub vector: Option<&'a [f32]>,
}

/// Finds chunks.
///
/// Contract: at most `depth` hits in ranking order, ties at the cut decided by the ranking's own order; nothing found is an
/// empty ranking, not an error.
#[async_trait]
pub trait Retriever: Send + Sync {
    /// Its name in traces.
    fn stage(&self) -> Stage;

    /// The best chunks for `query`.
    async fn retrieve(&self, query: Query<'_>, depth: usize) -> Result<Ranking, PipelineError>;
}

/// BM25 over the in-memory inverted index.
pub struct Bm25Retriever {
    /// The corpus whose chunk numbers the index speaks.
    pub corpus: Arc<Corpus>,
    /// The index.
    pub index: Bm25,
    /// The analyser it was built with.
    pub analyzer: Arc<Analyzer>,
}

#[async_trait]
impl Retriever for Bm25Retriever {
    fn stage(&self) -> Stage {
        Stage::Bm25
    }

    async fn retrieve(&self, query: Query<'_>, depth: usize) -> Result<Ranking, PipelineError> {
        let terms = self.analyzer.term_list(query.text);
        let found = self.index.search(&terms, depth);
        Ok(ranking(&self.corpus, found))
    }
}

/// Nearest vectors in Qdrant.
pub struct DenseRetriever {
    /// The corpus whose chunk numbers are the points' ids.
    pub corpus: Arc<Corpus>,
    /// The collection.
    pub store: Arc<dyn VectorStore>,
    /// Exact or by HNSW.
    pub mode: SearchMode,
}

#[async_trait]
impl Retriever for DenseRetriever {
    fn stage(&self) -> Stage {
        Stage::Dense
    }

    async fn retrieve(&self, query: Query<'_>, depth: usize) -> Result<Ranking, PipelineError> {
        let Some(vector) = query.vector else { return Ok(Ranking::default()) };
        let vector = Vector::Dense(vector.to_vec());
        let found = self.store.search(Search { vector: &vector, limit: depth, mode: self.mode, filter: None }).await?;
        Ok(ranking(&self.corpus, found.into_iter().map(|near| (near.number, f64::from(near.score)))))
    }
}

fn ranking(corpus: &Corpus, found: impl IntoIterator<Item = (u32, f64)>) -> Ranking {
    let hits = found.into_iter().map(|(number, score)| Hit { id: corpus.chunks()[number as usize].id.clone(), score });
    Ranking::new(hits.collect())
}

/// Asks every retriever and fuses what they found when there are several.
///
/// # Errors
/// The first retriever's that fails.
pub async fn retrieve(
    retrievers: &[Box<dyn Retriever>],
    question: &Question,
    query: Query<'_>,
    settings: Depths,
    support: &SupportTest<'_>,
) -> Result<Vec<TraceStage>, PipelineError> {
    let mut rankings = Vec::with_capacity(retrievers.len());
    let mut stages = Vec::with_capacity(retrievers.len() + 2);
    for retriever in retrievers {
        let clock = Instant::now();
        let mut ranking = retriever.retrieve(query, settings.candidates).await?;
        if settings.skip_same_id {
            let hits = ranking.hits().iter().filter(|hit| hit.id.doc() != question.id.as_str()).cloned().collect();
            ranking = Ranking::new(hits);
        }
        stages.push(stage(retriever.stage(), &ranking, &Parts::new(), clock, support));
        rankings.push((retriever.stage().name(), ranking));
    }
    if rankings.len() > 1 {
        let clock = Instant::now();
        let borrowed: Vec<(&str, &Ranking)> = rankings.iter().map(|(name, ranking)| (*name, ranking)).collect();
        let (fused, parts) = fuse::reciprocal_rank(&borrowed, settings.fusion_k);
        stages.push(stage(Stage::Fused, &fused.cut(settings.candidates), &parts, clock, support));
    }
    Ok(stages)
}

/// How deep rankings go, and what is left out of them.
#[derive(Clone, Copy, Debug)]
pub struct Depths {
    /// Hits of each retriever and of fusion.
    pub candidates: usize,
    /// RRF's constant.
    pub fusion_k: f64,
    /// Whether a document named like the question is left out.
    pub skip_same_id: bool,
}

fn stage(stage: Stage, ranking: &Ranking, parts: &Parts, clock: Instant, support: &SupportTest<'_>) -> TraceStage {
    let seconds = clock.elapsed().as_secs_f64();
    let hits = ranking.hits().iter().map(|hit| StageHit {
        id: hit.id.clone(),
        score: hit.score,
        parts: parts.get(&hit.id).cloned().unwrap_or_default(),
    });
    TraceStage { stage, hits: hits.collect(), support: support.of(ranking.ids()), seconds }
}
