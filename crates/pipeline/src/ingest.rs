//! Chunks to what finds them: one retriever built, and what is indexed of a chunk.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use sha2::{Digest, Sha256};

use super::plan::{Plan, RetrieverPlan, SparsePlace};
use super::progress::Progress;
use super::retrieve::Retriever;
use super::sparse::SparseRetriever;
use super::stores::OpenStores;
use super::{PipelineError, sparse_vectors, vectors};
use ragtriage_core::text::hex::hex;
use ragtriage_core::types::{Corpus, Filter, Question, TitledText};
use ragtriage_runs::Truncation;

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

/// One retriever made.
pub(super) struct Built {
    pub(super) retriever: Box<dyn Retriever>,
    /// Whether its index had to be made, as far as that is known.
    pub(super) is_new: bool,
    pub(super) seconds: BTreeMap<String, f64>,
    pub(super) truncation: Vec<Truncation>,
    pub(super) vector_search: Option<String>,
}

/// Builds one retriever of `plan` over `corpus`, ready for `questions` (their places in the run and themselves).
///
/// # Errors
/// Whatever encoder and vector store say.
pub(super) async fn build(
    retriever: &RetrieverPlan,
    plan: &Plan,
    corpus: &Arc<Corpus>,
    questions: &[(usize, Question)],
    stores: &mut OpenStores,
    progress: &dyn Progress,
) -> Result<Built, PipelineError> {
    let Plan {
        retrieval,
        title_prefix,
        ..
    } = plan;
    let shown = (&retrieval.filter, *title_prefix);
    let clock = Instant::now();
    match retriever {
        RetrieverPlan::Sparse(sparse) => match &sparse.place {
            SparsePlace::Local(folder) => {
                let (made, is_new) = SparseRetriever::build(
                    sparse,
                    folder.as_deref(),
                    corpus,
                    retrieval,
                    *title_prefix,
                )?;
                let seconds =
                    BTreeMap::from([(sparse.stage.to_string(), clock.elapsed().as_secs_f64())]);
                Ok(Built {
                    retriever: Box::new(made),
                    is_new,
                    seconds,
                    truncation: Vec::new(),
                    vector_search: None,
                })
            }
            SparsePlace::VectorStore(parameters) => {
                let place = (&retrieval.store, stores);
                sparse_vectors::build(sparse, parameters, place, corpus, shown, progress).await
            }
        },
        RetrieverPlan::Vectors(vectors) => {
            vectors::build(
                vectors,
                (&retrieval.store, stores),
                corpus,
                questions,
                shown,
                progress,
            )
            .await
        }
    }
}

/// How many chunks `filter` keeps from being found.
///
/// # Errors
/// `NothingAllowed` where it is all of them.
pub(super) fn n_filtered(corpus: &Corpus, filter: &Filter) -> Result<usize, PipelineError> {
    let n_chunks = corpus.chunks().len();
    let n_allowed = (0..n_chunks)
        .filter(|n| filter.matches(corpus.chunk_metadata(*n)))
        .count();
    if n_allowed == 0 {
        return Err(PipelineError::NothingAllowed { n_chunks });
    }
    Ok(n_chunks - n_allowed)
}

/// What is indexed of a chunk: its text, with its document's title where titles are shown.
#[must_use]
pub fn indexed_text(corpus: &Corpus, number: usize, title_prefix: bool) -> TitledText<'_> {
    let (text, title) = corpus.chunk_text(number);
    TitledText {
        title: if title_prefix { title } else { "" },
        text,
    }
}

/// A name from a hash: its first 16 bytes in hex.
pub(super) fn hex_name(hash: Sha256) -> String {
    hex(&hash.finalize()[..16])
}
