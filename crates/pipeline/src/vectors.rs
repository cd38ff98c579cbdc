//! Vector retrieval in Qdrant: one vector per chunk (dense) or per token (late interaction), by one code path.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;

use super::content_hash::ContentHash;
use super::index::{Built, IndexInputs, indexed_text};
use super::plan::{StorePlan, VectorPlan};
use super::progress::Progress;
use super::questions::QuestionVectors;
use super::retriever::{Preparation, Retrieved, Retriever, ranking, through_ties};
use super::stores::OpenStores;
use super::truncation::{MeasuredTexts, truncation};
use crate::Error;
use ragtriage_clients::embed::{Encoder, Role};
use ragtriage_core::config::{Hnsw, Quantization};
use ragtriage_core::fuse::Parts;
use ragtriage_core::types::{Corpus, Ranking, RetrieverName, TitledText, VectorShape};
use ragtriage_vectors::{CollectionSpec, Neighbour, Point, SearchMode, VectorSearch, VectorStore};

mod search_method;

use search_method::search_method;

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
    ) -> Result<Preparation, Error> {
        self.questions.prepare(questions, progress).await
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

/// Stores the vectors of all chunks missing from the collection.
///
/// # Errors
/// Errors of the encoder and of the vector store.
pub(crate) async fn build(
    plan: &VectorPlan,
    inputs: &IndexInputs<'_>,
    stores: &mut OpenStores,
) -> Result<Built, Error> {
    let IndexInputs { corpus, retrieval, points: _, progress, title_prefix: _ } = *inputs;
    let encoder = plan.encoder.as_ref();
    let texts = inputs.texts();
    let content = content_hash(&texts, encoder.fingerprint(Role::Passage));
    let clock = Instant::now();
    let spec = spec(&retrieval.store, content, plan.name, encoder.shape(), texts.len());
    let store = stores.open(retrieval, spec).await?;
    let mut seconds = IndexSeconds::default();
    let missing = store.missing().await?;
    seconds.store += clock.elapsed().as_secs_f64();
    if !missing.is_empty() {
        progress.start(&format!("embedding chunks ({})", plan.name), missing.len() as u64);
        fill(store.as_ref(), encoder, inputs, &missing, &mut seconds).await?;
        progress.finish();
    }
    let clock = Instant::now();
    let chunks = MeasuredTexts { what: "chunks", all: &texts, role: Role::Passage };
    let truncation = truncation(encoder, plan.name, chunks).await?;
    seconds.embed += clock.elapsed().as_secs_f64();
    let (mode, search) = search_method(&retrieval.store, plan.name, texts.len());
    let filter = &retrieval.filter;
    let allowed = |number: &u32| filter.matches(corpus.chunk_metadata(*number as usize));
    let retriever = VectorRetriever {
        corpus: Arc::clone(corpus),
        store,
        mode,
        allowed: (!filter.is_empty()).then(|| (0..texts.len() as u32).filter(allowed).collect()),
        questions: QuestionVectors::new(plan.name, Arc::clone(&plan.encoder)),
    };
    Ok(Built {
        retriever: Box::new(retriever),
        seconds: seconds.named(plan.name),
        truncation: truncation.into_iter().collect(),
        vector_search: Some(search),
    })
}

/// Encodes and stores the chunks of these numbers.
async fn fill(
    store: &dyn VectorStore,
    encoder: &dyn Encoder,
    inputs: &IndexInputs<'_>,
    missing: &[u32],
    seconds: &mut IndexSeconds,
) -> Result<(), Error> {
    let shape = encoder.shape();
    let window = if shape.many { WINDOW_OF_MANY } else { WINDOW };
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
        seconds.embed += clock.elapsed().as_secs_f64();
        let clock = Instant::now();
        let points: Vec<Point> = window
            .iter()
            .zip(vectors)
            .map(|(number, vector)| Point { number: *number, vector })
            .collect();
        store.upsert(&points).await?;
        seconds.store += clock.elapsed().as_secs_f64();
    }
    Ok(())
}

impl VectorPlan {
    /// Returns the identity of everything that its rankings depend on besides chunks, store, filter
    /// and titles.
    pub(crate) fn made_by(&self) -> String {
        let passages = self.encoder.fingerprint(Role::Passage);
        let questions = self.encoder.fingerprint(Role::Query);
        format!("{} {passages} {questions}", self.name)
    }
}

/// Wall seconds of the steps.
#[derive(Default)]
struct IndexSeconds {
    embed: f64,
    store: f64,
}

impl IndexSeconds {
    fn named(&self, name: RetrieverName) -> BTreeMap<String, f64> {
        [("embed", self.embed), ("qdrant", self.store)]
            .into_iter()
            .filter(|(_, seconds)| *seconds > 0.0)
            .map(|(step, seconds)| (format!("{step} {name}"), seconds))
            .collect()
    }
}

/// Returns the specification of a collection.
fn spec(
    plan: &StorePlan,
    content: String,
    name: RetrieverName,
    vector: VectorShape,
    n_points: usize,
) -> CollectionSpec {
    let is_approximate = plan.mode == SearchMode::Approximate;
    CollectionSpec {
        hnsw: graph(plan, n_points),
        quantization: if is_approximate { plan.quantization } else { Quantization::default() },
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
