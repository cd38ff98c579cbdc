//! Inputs of building the indexes of a run.

use std::sync::Arc;

use super::plan::RetrievalPlan;
use super::points::PointChunks;
use super::progress::Progress;
use ragtriage_core::types::{Corpus, TitledText};

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

/// Returns the indexed text of a chunk, with its document's title if `title_prefix` is set.
pub(crate) fn indexed_text(corpus: &Corpus, number: usize, title_prefix: bool) -> TitledText<'_> {
    let (text, title) = corpus.chunk_text(number);
    TitledText { title: if title_prefix { title } else { "" }, text }
}

/// Returns the indexed texts of all chunks, in corpus order.
pub(crate) fn indexed_texts(corpus: &Corpus, title_prefix: bool) -> Vec<TitledText<'_>> {
    (0..corpus.chunks().len()).map(|number| indexed_text(corpus, number, title_prefix)).collect()
}
