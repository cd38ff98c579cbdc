//! Documents to a searchable corpus: chunk, then build each retriever.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use sha2::{Digest, Sha256};

use super::plan::{Plan, RetrieverPlan, SparsePlace};
use super::progress::Progress;
use super::retrieve::Retriever;
use super::sparse::SparseRetriever;
use super::{PipelineError, sparse_vectors, vectors};
use crate::chunk;
use crate::store::Truncation;
use crate::text::hex::hex;
use crate::types::{Corpus, Document, Question, Stage, TitledText};

/// A corpus ready to be searched, and what making it took.
pub struct Ingested {
    /// Documents and chunks.
    pub corpus: Arc<Corpus>,
    /// The retrievers, in the plan's order.
    pub retrievers: Vec<Box<dyn Retriever>>,
    /// What there is to say of it.
    pub facts: IngestFacts,
}

/// What making a corpus searchable took and lost.
#[derive(Clone, Debug, Default)]
pub struct IngestFacts {
    /// Wall seconds by step.
    pub seconds: BTreeMap<String, f64>,
    /// What encoders never read, by retriever.
    pub truncation: Vec<Truncation>,
    /// How vectors are searched; `None` without vectors.
    pub vector_search: Option<String>,
    /// Chunks that the run's filter keeps from being found.
    pub n_filtered: usize,
}

/// How vectors are searched, once where all retrievers agree; `None` without vectors.
fn spoken(searches: &[(Stage, String)]) -> Option<String> {
    let (_, first) = searches.first()?;
    if searches.iter().all(|(_, how)| how == first) {
        return Some(first.clone());
    }
    let each: Vec<String> = searches.iter().map(|(stage, how)| format!("{stage}: {how}")).collect();
    Some(each.join("; "))
}

/// One retriever made.
pub(super) struct Built {
    pub(super) retriever: Box<dyn Retriever>,
    pub(super) seconds: BTreeMap<String, f64>,
    pub(super) truncation: Vec<Truncation>,
    pub(super) vector_search: Option<String>,
}

/// Cuts `documents` and builds the retrievers of `plan`, ready for `questions` (their places in the run and themselves).
///
/// # Errors
/// `NothingToIndex`, and whatever encoder and vector store say.
pub async fn ingest(
    documents: Vec<Document>,
    questions: &[(usize, Question)],
    plan: &Plan,
    progress: &dyn Progress,
) -> Result<Ingested, PipelineError> {
    let mut facts = IngestFacts::default();
    let clock = Instant::now();
    let chunks = chunk::chunk_documents(&documents, &plan.chunking, plan.chunk_counter.as_ref());
    if chunks.is_empty() {
        return Err(PipelineError::NothingToIndex { n_documents: documents.len() });
    }
    let corpus = Arc::new(Corpus::new(documents, chunks));
    facts.seconds.insert("chunk".to_owned(), clock.elapsed().as_secs_f64());

    let retrieval = &plan.retrieval;
    let n_allowed = (0..corpus.chunks().len()).filter(|n| retrieval.filter.matches(corpus.chunk_metadata(*n))).count();
    if n_allowed == 0 {
        return Err(PipelineError::NothingAllowed { n_chunks: corpus.chunks().len() });
    }
    facts.n_filtered = corpus.chunks().len() - n_allowed;
    let mut retrievers = Vec::with_capacity(retrieval.retrievers.len());
    let mut searches = Vec::new();
    for retriever in &retrieval.retrievers {
        let shown = (&retrieval.filter, plan.title_prefix);
        let clock = Instant::now();
        let built = match retriever {
            RetrieverPlan::Sparse(sparse) => match &sparse.place {
                SparsePlace::Local(folder) => {
                    let made =
                        SparseRetriever::build(sparse, folder.as_deref(), &corpus, retrieval, plan.title_prefix)?;
                    let seconds = BTreeMap::from([(sparse.stage.to_string(), clock.elapsed().as_secs_f64())]);
                    Built { retriever: Box::new(made), seconds, truncation: Vec::new(), vector_search: None }
                }
                SparsePlace::VectorStore(parameters) => {
                    sparse_vectors::build(sparse, parameters, &retrieval.store, &corpus, shown, progress).await?
                }
            },
            RetrieverPlan::Vectors(plan) => {
                vectors::build(plan, &retrieval.store, &corpus, questions, shown, progress).await?
            }
        };
        let stage = built.retriever.stage();
        let Built { retriever, seconds, truncation, vector_search } = built;
        retrievers.push(retriever);
        facts.seconds.extend(seconds);
        facts.truncation.extend(truncation);
        searches.extend(vector_search.map(|how| (stage, how)));
    }
    facts.vector_search = spoken(&searches);
    Ok(Ingested { corpus, retrievers, facts })
}

/// What is indexed of a chunk: its text, with its document's title where titles are shown.
#[must_use]
pub fn indexed_text(corpus: &Corpus, number: usize, title_prefix: bool) -> TitledText<'_> {
    let (text, title) = corpus.chunk_text(number);
    TitledText { title: if title_prefix { title } else { "" }, text }
}

/// A name from a hash: its first 16 bytes in hex.
pub(super) fn hex_name(hash: Sha256) -> String {
    hex(&hash.finalize()[..16])
}
