//! Vector retrieval in Qdrant: one vector per chunk (dense) or per token (late interaction), by one code path.

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;

use super::ask::RunFacts;
use super::content_hash::ContentHash;
use super::index::{IndexInputs, indexed_text};
use super::plan::{StorePlan, VectorPlan};
use super::progress::Progress;
use super::questions::QuestionVectors;
use super::retriever::{Retrieved, Retriever, ranking, through_ties};
use super::truncation::{MeasuredTexts, truncation};
use crate::Error;
use ragtriage_clients::embed::Role;
use ragtriage_core::config::Hnsw;
use ragtriage_core::fuse::Parts;
use ragtriage_core::types::{Corpus, Ranking, RetrieverName, TitledText, VectorShape};
use ragtriage_data::run::ApproximateIndex;
use ragtriage_vectors::{
    CollectionSpec, Neighbour, Point, SearchMode, VectorSearch, VectorStore, open_or_create,
};

/// Number of chunks encoded and stored together: the loss of an interrupted indexing, and the number held in
/// memory.
const WINDOW: usize = 2048;
/// As above, for chunks of one vector per token, which have about a hundred times as many numbers.
const WINDOW_OF_MANY: usize = 128;

/// Finds the nearest vectors in a collection.
struct VectorRetriever {
    corpus: Arc<Corpus>,
    store: Arc<dyn VectorStore>,
    mode: SearchMode,
    /// Numbers of the chunks of the documents that pass the filter; `None` for all.
    allowed: Option<Vec<u32>>,
    questions: QuestionVectors,
}

impl VectorRetriever {
    async fn search(
        &self,
        vector: &[f32],
        limit: usize,
        mode: SearchMode,
    ) -> Result<Ranking, Error> {
        let allowed = self.allowed.as_deref();
        let n_points = self.corpus.chunks().len();
        let search = |limit| async move {
            let search = VectorSearch { vector, limit, mode, allowed };
            self.store.search(search).await.map_err(Error::from)
        };
        let found = through_ties(limit, n_points, |near: &Neighbour| near.score, search).await?;
        let found = found.into_iter().map(|near| (near.number, f64::from(near.score)));
        let ranking = ranking(&self.corpus, found)?;
        Ok(ranking.cut(limit))
    }
}

#[async_trait]
impl Retriever for VectorRetriever {
    fn name(&self) -> RetrieverName {
        self.questions.name()
    }

    async fn prepare(
        &mut self,
        questions: &[&str],
        progress: &dyn Progress,
        facts: &mut RunFacts,
    ) -> Result<(), Error> {
        self.questions.prepare(questions, progress, facts).await
    }

    async fn retrieve(&self, question: &str, depth: usize) -> Result<Retrieved, Error> {
        let vector = self.questions.encoded(question).await?;
        Ok(Retrieved {
            ranking: self.search(&vector, depth, self.mode).await?,
            parts: Parts::new(),
        })
    }

    async fn retrieve_exactly(
        &self,
        question: &str,
        depth: usize,
    ) -> Result<Option<Ranking>, Error> {
        if self.mode == SearchMode::Exact {
            return Ok(None);
        }
        let vector = self.questions.encoded(question).await?;
        let ranking = self.search(&vector, depth, SearchMode::Exact).await?;
        Ok(Some(ranking))
    }
}

/// Opens the collection of the chunks' vectors, or creates it, and stores those that it lacks.
///
/// # Errors
/// Errors of the encoder and of the vector store.
pub(crate) async fn build(
    plan: &VectorPlan,
    inputs: &IndexInputs<'_>,
    facts: &mut RunFacts,
) -> Result<Box<dyn Retriever>, Error> {
    let IndexInputs { corpus, retrieval, points: _, progress, title_prefix: _ } = *inputs;
    let (encoder, name) = (plan.encoder.as_ref(), plan.name);
    let texts = inputs.texts();
    let content = content_hash(&texts, encoder.fingerprint(Role::Passage));
    let clock = Instant::now();
    let spec = spec(&retrieval.store, content, name, encoder.shape(), texts.len());
    let store = open_or_create(&retrieval.store.place, &spec).await?;
    if let Some(notice) = store.notice() {
        retrieval.notices.say(notice);
    }
    let missing = store.missing().await?;
    spent(facts, "qdrant", name, clock);
    if !missing.is_empty() {
        progress.start(&format!("embedding chunks ({name})"), missing.len() as u64);
        fill(plan, store.as_ref(), inputs, &missing, facts).await?;
        progress.finish();
    }
    let clock = Instant::now();
    let chunks = MeasuredTexts { what: "chunks", all: &texts, role: Role::Passage };
    facts.truncation.extend(truncation(encoder, name, chunks).await?);
    spent(facts, "embed", name, clock);
    let mode = search_method(&retrieval.store, name, texts.len(), facts);
    let filter = &retrieval.filter;
    let allowed = |number: &u32| filter.matches(corpus.chunk_metadata(*number as usize));
    Ok(Box::new(VectorRetriever {
        corpus: Arc::clone(corpus),
        store,
        mode,
        allowed: (!filter.is_empty()).then(|| (0..texts.len() as u32).filter(allowed).collect()),
        questions: QuestionVectors::new(name, Arc::clone(&plan.encoder)),
    }))
}

/// Returns how a collection is searched, and describes it. Without a graph all vectors are scanned, and the manifest says so.
fn search_method(
    plan: &StorePlan,
    name: RetrieverName,
    n_vectors: usize,
    facts: &mut RunFacts,
) -> SearchMode {
    let mut exact = |how| {
        facts.vector_searches.push((name, how));
        SearchMode::Exact
    };
    if plan.mode == SearchMode::Exact {
        return exact("exact".to_owned());
    }
    let Some(hnsw) = graph(plan, n_vectors) else {
        return exact(format!("HNSW not used: {n_vectors} vectors are scanned"));
    };
    facts.vector_searches.push((name, "HNSW".to_owned()));
    facts.approximate.push(ApproximateIndex { retriever: name.name().to_owned(), hnsw });
    plan.mode
}

/// Encodes and stores the chunks of these numbers.
async fn fill(
    plan: &VectorPlan,
    store: &dyn VectorStore,
    inputs: &IndexInputs<'_>,
    missing: &[u32],
    facts: &mut RunFacts,
) -> Result<(), Error> {
    let encoder = plan.encoder.as_ref();
    let window = if encoder.shape().many { WINDOW_OF_MANY } else { WINDOW };
    for window in missing.chunks(window) {
        let clock = Instant::now();
        let texts: Vec<TitledText<'_>> = window
            .iter()
            .map(|number| indexed_text(inputs.corpus, *number as usize, inputs.title_prefix))
            .collect();
        let vectors = encoder
            .encode(&texts, Role::Passage, &|n| {
                inputs.progress.advance(n as u64);
            })
            .await?;
        spent(facts, "embed", plan.name, clock);
        let clock = Instant::now();
        let points: Vec<Point> = window
            .iter()
            .zip(vectors)
            .map(|(number, vector)| Point { number: *number, vector })
            .collect();
        store.upsert(&points).await?;
        spent(facts, "qdrant", plan.name, clock);
    }
    Ok(())
}

/// Adds the wall seconds of a step.
fn spent(facts: &mut RunFacts, step: &str, name: RetrieverName, clock: Instant) {
    *facts.seconds.entry(format!("{step} {name}")).or_default() += clock.elapsed().as_secs_f64();
}

/// Returns the specification of a collection.
fn spec(
    plan: &StorePlan,
    content: String,
    name: RetrieverName,
    vector: VectorShape,
    n_points: usize,
) -> CollectionSpec {
    CollectionSpec {
        hnsw: graph(plan, n_points),
        ..CollectionSpec::new(content, name.name(), vector, n_points)
    }
}

/// Returns the graph that is built over `n_points`, if any.
fn graph(plan: &StorePlan, n_points: usize) -> Option<Hnsw> {
    let is_approximate = plan.mode == SearchMode::Approximate;
    (is_approximate && n_points >= Hnsw::FROM_POINTS).then_some(plan.hnsw)
}

/// Returns the hash of a collection's contents: indexed texts in their order, and the identity of the encoder. Different
/// contents have different names, so a stale collection cannot be opened.
fn content_hash(texts: &[TitledText<'_>], vectors: &str) -> String {
    let mut hash = ContentHash::default();
    hash.part(vectors.as_bytes());
    for text in texts {
        hash.part(text.title.as_bytes());
        hash.part(text.text.as_bytes());
    }
    hash.name()
}

#[cfg(test)]
mod tests;
