//! Sparse retrieval in this process: BM25 and TF-IDF over the built-in inverted index.

use std::sync::Arc;
use std::time::Instant;

use async_trait::async_trait;

use super::ask::RunFacts;
use super::content_hash::ContentHash;
use super::index::{IndexInputs, indexed_text};
use super::plan::SparsePlan;
use super::retriever::{Retrieved, Retriever, ranking};
use crate::Error;
use ragtriage_bm25::{Analysed, SparseIndex};
use ragtriage_core::fuse::Parts;
use ragtriage_core::text::analyse::{self, Analyzer};
use ragtriage_core::types::{Corpus, Filter, RetrieverName};

/// Minimum number of hits per question whose scores are explained: the number that a report shows.
pub const EXPLAINED: usize = 10;

/// An inverted index with the analyser it was built with.
struct SparseRetriever {
    name: RetrieverName,
    corpus: Arc<Corpus>,
    index: SparseIndex,
    analyzer: Arc<Analyzer>,
    allowed: Option<Vec<bool>>,
    /// Number of hits whose scores are explained term by term: those that may be packed, at least
    /// [`EXPLAINED`].
    n_explained: usize,
}

/// Builds the index, or opens the file of an equal index in the plan's folder.
///
/// # Errors
/// A folder that cannot be written.
pub(crate) fn build(
    plan: &SparsePlan,
    inputs: &IndexInputs<'_>,
    facts: &mut RunFacts,
) -> Result<Box<dyn Retriever>, Error> {
    let clock = Instant::now();
    let IndexInputs { corpus, retrieval, points: _, title_prefix, progress: _ } = *inputs;
    let ids = corpus.chunk_ids();
    let source = Analysed {
        analyzer: &plan.analyzer,
        text_of: |number| indexed_text(corpus, number, title_prefix).joined(),
    };
    let index = match &plan.folder {
        Some(folder) => {
            let key = key(plan, corpus, title_prefix);
            let notices = &retrieval.notices;
            SparseIndex::open_or_build(folder, &key, &plan.weighting, ids, &source, notices)?.0
        }
        None => SparseIndex::build(&plan.weighting, ids, &source),
    };
    facts.seconds.insert(plan.name.to_string(), clock.elapsed().as_secs_f64());
    Ok(Box::new(SparseRetriever {
        name: plan.name,
        corpus: Arc::clone(corpus),
        index,
        analyzer: Arc::clone(&plan.analyzer),
        allowed: allowed(corpus, &retrieval.filter),
        n_explained: retrieval.k.max(EXPLAINED),
    }))
}

/// Returns the chunks of the documents that pass `filter`; `None` for all.
fn allowed(corpus: &Corpus, filter: &Filter) -> Option<Vec<bool>> {
    let numbers = 0..corpus.chunks().len();
    (!filter.is_empty())
        .then(|| numbers.map(|number| filter.matches(corpus.chunk_metadata(number))).collect())
}

#[async_trait]
impl Retriever for SparseRetriever {
    fn name(&self) -> RetrieverName {
        self.name
    }

    async fn retrieve(&self, question: &str, depth: usize) -> Result<Retrieved, Error> {
        let terms = self.analyzer.term_list(question);
        let found = self.index.search(&terms, depth, self.allowed.as_deref());
        let mut parts = Parts::new();
        for (number, _) in found.iter().take(self.n_explained) {
            let shares = self.index.explain(&terms, *number);
            parts.insert(
                self.corpus.chunk_id(*number as usize),
                shares.into_iter().map(|(term, share)| (term.to_owned(), share)).collect(),
            );
        }
        Ok(Retrieved { ranking: ranking(&self.corpus, found)?, parts })
    }
}

/// Returns the hash of all inputs of the index: texts, their order and ids (which break ties), analyser, weighting.
fn key(plan: &SparsePlan, corpus: &Corpus, title_prefix: bool) -> String {
    let mut hash = ContentHash::default();
    let (analyser, weighting) = (plan.analyzer.key(), plan.weighting.key());
    hash.part(format!("analyser {} {analyser} {weighting}", analyse::VERSION).as_bytes());
    hash.parts(corpus.chunks().len(), |number, hash| {
        let text = indexed_text(corpus, number, title_prefix);
        hash.part(corpus.chunk_id(number).as_str().as_bytes());
        hash.part(text.title.as_bytes());
        hash.part(text.text.as_bytes());
    });
    hash.name()
}
