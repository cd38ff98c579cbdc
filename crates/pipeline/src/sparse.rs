//! Retrieval by terms in this process: BM25 and TF-IDF over our own inverted index.

use std::sync::Arc;

use async_trait::async_trait;
use sha2::{Digest, Sha256};

use super::PipelineError;
use super::ingest::{hex_name, indexed_text};
use super::plan::{RetrievalPlan, SparsePlan};
use super::retrieve::{Found, Query, Retriever, ranking};
use ragtriage_bm25::{Allowed, SparseIndex};
use ragtriage_core::fuse::Parts;
use ragtriage_core::text::analyse::{self, Analyzer};
use ragtriage_core::types::{ChunkId, Corpus, Filter, Stage};

/// So many hits of each question are explained whatever is packed: as many as a report shows.
pub const EXPLAINED: usize = 10;

/// An inverted index with the analyser it was built with.
pub struct SparseRetriever {
    stage: Stage,
    corpus: Arc<Corpus>,
    index: SparseIndex,
    analyzer: Arc<Analyzer>,
    allowed: Option<Allowed>,
    /// Hits whose scores are explained term by term in a trace: those that packing may read, [`EXPLAINED`] at least.
    n_explained: usize,
}

impl SparseRetriever {
    /// Builds the index, or opens the file of the very same one; whether it was built stands beside it.
    ///
    /// # Errors
    /// A folder that cannot be written.
    pub fn build(
        plan: &SparsePlan,
        folder: Option<&std::path::Path>,
        corpus: &Arc<Corpus>,
        retrieval: &RetrievalPlan,
        title_prefix: bool,
    ) -> Result<(Self, bool), PipelineError> {
        let ids: Vec<ChunkId> = corpus
            .chunks()
            .iter()
            .map(|chunk| chunk.id.clone())
            .collect();
        let terms_of = |number: usize, each: &mut dyn FnMut(&str)| {
            plan.analyzer
                .terms(&indexed_text(corpus, number, title_prefix).joined(), each);
        };
        let (index, is_new) = match folder {
            Some(folder) => {
                let key = key(plan, corpus, title_prefix);
                SparseIndex::open_or_build(folder, &key, &plan.weighting, &ids, terms_of)?
            }
            None => (SparseIndex::build(&plan.weighting, &ids, terms_of), true),
        };
        let analyzer = Arc::clone(&plan.analyzer);
        let retriever = Self {
            stage: plan.stage,
            corpus: Arc::clone(corpus),
            index,
            analyzer,
            allowed: allowed(corpus, &retrieval.filter),
            n_explained: n_explained(retrieval.k),
        };
        Ok((retriever, is_new))
    }
}

/// How many hits are explained where `k` are packed.
fn n_explained(k: usize) -> usize {
    k.max(EXPLAINED)
}

impl SparsePlan {
    /// All that makes a retriever over one corpus another one, besides filter and titles; `k` hits are packed.
    pub(super) fn identity(&self, k: usize) -> String {
        format!("{} {:?} {}", self.made_by(), self.place, n_explained(k))
    }

    /// What its rankings depend on besides the chunks.
    pub(super) fn made_by(&self) -> String {
        let Self {
            stage,
            analyzer,
            weighting,
            place: _,
        } = self;
        format!("{stage} {} {analyzer:?} {weighting:?}", analyse::VERSION)
    }
}

/// The chunks of the documents that `filter` lets through; `None` for all.
pub(super) fn allowed(corpus: &Corpus, filter: &Filter) -> Option<Allowed> {
    let matches = |number: usize| filter.matches(corpus.chunk_metadata(number));
    (!filter.is_empty()).then(|| Allowed::from_fn(corpus.chunks().len(), matches))
}

#[async_trait]
impl Retriever for SparseRetriever {
    fn stage(&self) -> Stage {
        self.stage
    }

    async fn retrieve(&self, query: Query<'_>, depth: usize) -> Result<Found, PipelineError> {
        let terms = self.analyzer.term_list(query.text);
        let found = self.index.search(&terms, depth, self.allowed.as_ref());
        let explained = |number: u32| {
            let id = self.corpus.chunks()[number as usize].id.clone();
            let shares = self.index.explain(&terms, number);
            (
                id,
                shares
                    .into_iter()
                    .map(|(term, share)| (term.to_owned(), share))
                    .collect(),
            )
        };
        let parts: Parts = found
            .iter()
            .take(self.n_explained)
            .map(|(number, _)| explained(*number))
            .collect();
        Ok(Found {
            ranking: ranking(&self.corpus, found)?,
            parts,
            exact: None,
        })
    }
}

/// The hash of all that the index is made of: texts, their order and ids (which decide ties), analyser, weighting.
fn key(plan: &SparsePlan, corpus: &Corpus, title_prefix: bool) -> String {
    let mut hash = Sha256::new();
    let mut field = |bytes: &[u8]| {
        hash.update((bytes.len() as u64).to_le_bytes());
        hash.update(bytes);
    };
    field(
        format!(
            "analyser {} {:?} {:?}",
            analyse::VERSION,
            plan.analyzer,
            plan.weighting
        )
        .as_bytes(),
    );
    for (number, chunk) in corpus.chunks().iter().enumerate() {
        let text = indexed_text(corpus, number, title_prefix);
        field(chunk.id.as_str().as_bytes());
        field(text.title.as_bytes());
        field(text.text.as_bytes());
    }
    hex_name(hash)
}
