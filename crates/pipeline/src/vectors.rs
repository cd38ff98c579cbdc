//! Vector retrieval in Qdrant: one vector per chunk (dense) or per token (late interaction), by one code path.

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;

use super::ask::RunFacts;
use super::content_hash::ContentHash;
use super::index::{IndexInputs, indexed_text};
use super::plan::VectorPlan;
use super::progress::Progress;
use super::questions::QuestionVectors;
use super::retriever::{Retrieved, Retriever, ranking, through_ties};
use super::truncation::{MeasuredTexts, truncation};
use crate::Error;
use ragtriage_clients::embed::Role;
use ragtriage_core::fuse::Parts;
use ragtriage_core::types::{Corpus, RetrieverName, TitledText};
use ragtriage_vectors::{
    CollectionSpec, Neighbour, Point, VectorSearch, VectorStore, open_or_create,
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
    /// Numbers of the chunks of the documents that pass the filter; `None` for all.
    allowed: Option<Vec<u32>>,
    questions: QuestionVectors,
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
        let (vector, allowed) = (vector.as_slice(), self.allowed.as_deref());
        let search = |limit| async move {
            let search = VectorSearch { vector, limit, allowed };
            self.store.search(search).await.map_err(Error::from)
        };
        let n_points = self.corpus.chunks().len();
        let found = through_ties(depth, n_points, |near: &Neighbour| near.score, search).await?;
        let found = found.into_iter().map(|near| (near.number, f64::from(near.score)));
        let ranking = ranking(&self.corpus, found)?.cut(depth);
        Ok(Retrieved { ranking, parts: Parts::new() })
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
    let spec = CollectionSpec::new(content, name.name(), encoder.shape(), texts.len());
    let store = open_or_create(&retrieval.store, &spec).await?;
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
    let filter = &retrieval.filter;
    let allowed = |number: &u32| filter.matches(corpus.chunk_metadata(*number as usize));
    Ok(Box::new(VectorRetriever {
        corpus: Arc::clone(corpus),
        store,
        allowed: (!filter.is_empty()).then(|| (0..texts.len() as u32).filter(allowed).collect()),
        questions: QuestionVectors::new(name, Arc::clone(&plan.encoder)),
    }))
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
