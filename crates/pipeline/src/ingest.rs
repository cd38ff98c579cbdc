//! Makes a corpus searchable: builds each retriever of a plan.

use std::collections::BTreeMap;

use super::index::{Built, IndexInputs};
use super::plan::RetrieverPlan;
use super::stores::OpenStores;
use super::{collection, sparse, vectors};
use crate::Error;
use ragtriage_core::types::{Corpus, Filter, Note};
use ragtriage_data::run::{ApproximateIndex, Truncation};

/// Time spent and text lost in making a corpus searchable.
#[derive(Clone, Debug, Default)]
pub struct IngestFacts {
    /// Wall seconds by step.
    pub seconds: BTreeMap<String, f64>,
    /// Text beyond the encoders' input limits, by retriever.
    pub truncation: Vec<Truncation>,
    /// The vector search method; `None` without vectors.
    pub vector_search: Option<String>,
    /// The indexes of approximate searches, by retriever.
    pub approximate: Vec<ApproximateIndex>,
    /// Number of chunks excluded by the run's filter.
    pub n_filtered: usize,
    /// Counts of the points of an existing collection by their place in the documents.
    pub notes: Vec<Note>,
}

/// Builds one retriever, ready for any question.
///
/// # Errors
/// Errors of the encoder and of the vector store.
pub(crate) async fn build(
    retriever: &RetrieverPlan,
    inputs: &IndexInputs<'_>,
    stores: &mut OpenStores,
) -> Result<Built, Error> {
    match retriever {
        RetrieverPlan::Sparse(plan) => sparse::build(plan, inputs),
        RetrieverPlan::Vectors(plan) => vectors::build(plan, inputs, stores).await,
        RetrieverPlan::Collection(plan) => Ok(collection::build(plan, inputs)),
    }
}

/// Counts the chunks excluded by `filter`.
///
/// # Errors
/// A filter that excludes all of them.
pub(crate) fn n_filtered(corpus: &Corpus, filter: &Filter) -> Result<usize, Error> {
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
