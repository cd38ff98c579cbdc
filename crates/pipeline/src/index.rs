//! Inputs and results of building the indexes of a run.

use std::collections::BTreeMap;
use std::sync::Arc;

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use sha2::{Digest, Sha256};

use super::plan::RetrievalPlan;
use super::points::PointChunks;
use super::progress::Progress;
use super::retriever::Retriever;
use ragtriage_core::text::hex::hex;
use ragtriage_core::types::{Corpus, TitledText};
use ragtriage_runs::{ApproximateIndex, Truncation};

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
    /// True if its index had to be built, as far as known.
    pub(crate) is_new: bool,
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
    TitledText {
        title: if title_prefix { title } else { "" },
        text,
    }
}

/// Returns the indexed texts of all chunks, in corpus order.
pub(crate) fn indexed_texts(corpus: &Corpus, title_prefix: bool) -> Vec<TitledText<'_>> {
    (0..corpus.chunks().len())
        .map(|number| indexed_text(corpus, number, title_prefix))
        .collect()
}

/// Numbers whose parts one task hashes. Part of every key that [`ContentHash::parts`] goes into.
const GROUP: usize = 4096;

/// Hashes the parts of a content address, each preceded by its length.
#[derive(Default)]
pub(crate) struct ContentHash(Sha256);

impl ContentHash {
    pub(crate) fn part(&mut self, bytes: &[u8]) {
        self.0.update((bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// Adds the parts that `each` adds for every number below `n`: hashed in groups on rayon's current pool, then the hashes of
    /// the groups.
    pub(crate) fn parts(&mut self, n: usize, each: impl Fn(usize, &mut Self) + Sync) {
        let groups = (0..n.div_ceil(GROUP)).into_par_iter().map(|group| {
            let mut hash = Self::default();
            for number in group * GROUP..n.min((group + 1) * GROUP) {
                each(number, &mut hash);
            }
            hash.0.finalize()
        });
        for hash in groups.collect::<Vec<_>>() {
            self.part(&hash);
        }
    }

    /// Returns the first 16 bytes in hexadecimal.
    pub(crate) fn name(self) -> String {
        hex(&self.0.finalize()[..16])
    }
}
