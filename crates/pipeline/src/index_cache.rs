//! Makes the documents of runs searchable: chunks them and builds the retrievers of a plan.
//!
//! The trials of a sweep share a stock. It retains the chunks of the last plan, so trials that share a chunking should be
//! consecutive. Vectors, collections and index files are cached by content elsewhere.

use std::sync::Arc;
use std::time::Instant;

use super::ask::RunFacts;
use super::index::IndexInputs;
use super::plan::{Plan, RetrieverPlan};
use super::points::Chunked;
use super::progress::Progress;
use super::retriever::Retriever;
use super::{collection, sparse, vectors};
use crate::Error;
use ragtriage_core::chunk::ChunkSpec;
use ragtriage_core::types::{Corpus, Document, Filter, Question, QuestionId};

/// Documents and questions, with the chunks of the last plan.
pub struct IndexCache {
    documents: Arc<[Document]>,
    ids: Vec<QuestionId>,
    questions: Vec<(usize, Question)>,
    chunked: Option<(ChunkKey, Chunked)>,
}

/// What decides the chunks of the documents.
#[derive(PartialEq)]
struct ChunkKey {
    spec: ChunkSpec,
    counter: String,
    /// The existing collection whose points are the chunks; empty without.
    collection: String,
}

/// A corpus ready to be searched.
pub struct Ingested {
    /// Documents and chunks.
    pub corpus: Arc<Corpus>,
    /// The retrievers, in the plan's order.
    pub retrievers: Vec<Arc<dyn Retriever>>,
    /// Facts about making it so.
    pub facts: RunFacts,
}

impl IndexCache {
    /// Creates the stock of a run of the questions `ids`; `questions` are the remaining ones, each with its position in the run.
    #[must_use]
    pub fn new(
        documents: Arc<[Document]>,
        ids: Vec<QuestionId>,
        questions: Vec<(usize, Question)>,
    ) -> Self {
        Self { documents, ids, questions, chunked: None }
    }

    /// Creates the stock of runs of all of `questions`.
    #[must_use]
    pub fn of_all(documents: Arc<[Document]>, questions: Vec<Question>) -> Self {
        let ids = questions.iter().map(|question| question.id.clone()).collect();
        Self::new(documents, ids, questions.into_iter().enumerate().collect())
    }

    /// Returns the ids of all questions of the run, including finished ones.
    #[must_use]
    pub fn ids(&self) -> &[QuestionId] {
        &self.ids
    }

    /// Returns the remaining questions, each with its position in the run.
    #[must_use]
    pub fn questions(&self) -> &[(usize, Question)] {
        &self.questions
    }

    /// Chunks the documents as `plan` specifies, and builds its retrievers.
    ///
    /// # Errors
    /// A corpus without text, a filter that excludes all, and errors of the encoder and the vector store.
    pub async fn ingest(
        &mut self,
        plan: &Plan,
        progress: &dyn Progress,
    ) -> Result<Ingested, Error> {
        let clock = Instant::now();
        let Chunked { corpus, points, notes, .. } = self.chunked(plan)?;
        let retrieval = &plan.retrieval;
        let mut facts = RunFacts {
            n_chunks: corpus.chunks().len(),
            chunk_tokens: corpus.chunks().iter().map(|chunk| chunk.n_tokens as usize).sum(),
            seconds: [("chunk".to_owned(), clock.elapsed().as_secs_f64())].into(),
            n_filtered: n_filtered(&corpus, &retrieval.filter)?,
            notes,
            ..RunFacts::default()
        };
        let title_prefix = plan.title_prefix;
        let inputs =
            IndexInputs { corpus: &corpus, points: &points, retrieval, title_prefix, progress };
        let questions = self.questions.iter().map(|(_, question)| question.text.as_str());
        let questions: Vec<&str> = questions.collect();
        let mut retrievers: Vec<Arc<dyn Retriever>> =
            Vec::with_capacity(retrieval.retrievers.len());
        for plan in &retrieval.retrievers {
            let mut retriever = match plan {
                RetrieverPlan::Sparse(plan) => sparse::build(plan, &inputs, &mut facts)?,
                RetrieverPlan::Vectors(plan) => vectors::build(plan, &inputs, &mut facts).await?,
                RetrieverPlan::Collection(plan) => collection::build(plan, &inputs, &mut facts),
            };
            retriever.prepare(&questions, progress, &mut facts).await?;
            retrievers.push(Arc::from(retriever));
        }
        Ok(Ingested { corpus, retrievers, facts })
    }

    /// Returns the documents, chunked as `plan` specifies.
    fn chunked(&mut self, plan: &Plan) -> Result<Chunked, Error> {
        let collection = plan.retrieval.collection();
        let key = ChunkKey {
            spec: plan.chunking.clone(),
            counter: plan.chunk_counter_id.clone(),
            collection: collection.map_or_else(String::new, |plan| plan.digest.clone()),
        };
        if let Some((_, known)) = self.chunked.as_ref().filter(|(known, _)| *known == key) {
            return Ok(known.clone());
        }
        self.chunked = None; // two chunkings are never in memory at once
        let chunked = Chunked::new(&self.documents, plan)?;
        if chunked.corpus.chunks().is_empty() {
            let n = self.documents.len();
            let error = format!("the corpus has {n} documents and no text: nothing to index");
            return Err(Error::other(error).with_hint("check `dataset.path`"));
        }
        self.chunked = Some((key, chunked.clone()));
        Ok(chunked)
    }
}

/// Counts the chunks excluded by `filter`.
///
/// # Errors
/// A filter that excludes all of them.
fn n_filtered(corpus: &Corpus, filter: &Filter) -> Result<usize, Error> {
    let n_chunks = corpus.chunks().len();
    let n_allowed = (0..n_chunks).filter(|n| filter.matches(corpus.chunk_metadata(*n))).count();
    if n_allowed == 0 {
        let error = format!("`retrieval.filter` lets none of {n_chunks} chunks through");
        return Err(Error::setting(error).with_hint(
            "check that its fields and values equal those in the metadata of the documents",
        ));
    }
    Ok(n_chunks - n_allowed)
}
