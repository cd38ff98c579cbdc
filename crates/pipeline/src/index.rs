//! Inputs and results of building the indexes of a run.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::plan::RetrievalPlan;
use super::points::PointChunks;
use super::progress::Progress;
use super::retriever::Retriever;
use ragtriage_core::types::{Corpus, TitledText};
use ragtriage_data::run::{ApproximateIndex, Truncation};

/// Inputs shared by every index of a run.
#[derive(Clone, Copy)]
pub(crate) struct IndexInputs<'a> {
    pub(crate) corpus: &'a Arc<Corpus>,
    pub(crate) retrieval: &'a RetrievalPlan,
    /// The chunks of an existing collection's points.
    pub(crate) points: &'a Arc<PointChunks>,
    pub(crate) title_prefix: bool,
    pub(crate) progress: &'a dyn Progress,
}

impl<'a> IndexInputs<'a> {
    /// Returns the indexed texts of all chunks, in corpus order.
    pub(crate) fn texts(&self) -> Vec<TitledText<'a>> {
        indexed_texts(self.corpus, self.title_prefix)
    }
}

/// A retriever with its index.
pub(crate) struct Built {
    pub(crate) retriever: Box<dyn Retriever>,
    pub(crate) seconds: BTreeMap<String, f64>,
    pub(crate) truncation: Vec<Truncation>,
    /// The vector search method; `None` without vectors.
    pub(crate) vector_search: Option<VectorSearchFacts>,
}

/// The search of a collection of vectors.
#[derive(Clone, Debug)]
pub(crate) struct VectorSearchFacts {
    /// The method, in words.
    pub(crate) how: String,
    /// The index of an approximate search; `None` for exact search.
    pub(crate) approximate: Option<ApproximateIndex>,
}

/// Returns the indexed text of a chunk, with its document's title if `title_prefix` is set.
pub(crate) fn indexed_text(corpus: &Corpus, number: usize, title_prefix: bool) -> TitledText<'_> {
    let (text, title) = corpus.chunk_text(number);
    TitledText { title: if title_prefix { title } else { "" }, text }
}

/// Returns the indexed texts of all chunks, in corpus order.
pub(crate) fn indexed_texts(corpus: &Corpus, title_prefix: bool) -> Vec<TitledText<'_>> {
    (0..corpus.chunks().len()).map(|number| indexed_text(corpus, number, title_prefix)).collect()
}
