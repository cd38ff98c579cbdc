//! The components of a run, resolved and assembled.

use std::path::PathBuf;
use std::sync::Arc;

use crate::generate::Calls;
use ragtriage_bm25::Weighting;
use ragtriage_clients::embed::Encoder;
use ragtriage_clients::rerank::Reranker;
use ragtriage_core::chunk::ChunkSpec;
use ragtriage_core::config::CollectionSettings;
use ragtriage_core::fuse::Fusion;
use ragtriage_core::notices::Notices;
use ragtriage_core::prompt::Template;
use ragtriage_core::text::analyse::Analyzer;
use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::{Condition, Filter, RetrieverName};
use ragtriage_vectors::{CollectionContent, ExistingCollection, VectorPlace};

/// All inputs of a run except its data and its folder.
pub struct Plan {
    /// Chunking of the documents.
    pub chunking: ChunkSpec,
    /// Counts a chunk's size.
    pub chunk_counter: Arc<dyn TokenCounter>,
    /// Identity of `chunk_counter` beyond its name in `chunking`: the sha256 of a model's tokenizer, else empty.
    pub chunk_counter_id: String,
    /// The folder of cached chunk ranges; `None` if caching is off.
    pub chunk_cache: Option<PathBuf>,
    /// Prefixes each chunk with the title when it is indexed and shown.
    pub title_prefix: bool,
    /// Retrieval of chunks.
    pub retrieval: RetrievalPlan,
    /// Construction of prompts.
    pub prompt: PromptPlan,
    /// Has the generator rewrite questions with earlier turns before they are searched for.
    pub rewrites: bool,
    /// Number of questions processed concurrently.
    pub concurrency: usize,
    /// The calls to the generator; `None` for retrieval alone.
    pub calls: Option<Calls>,
    /// The conditions that the generator is asked.
    pub conditions: PlannedCondition,
}

/// Number of questions that the condition `ClosedBook` is asked.
pub(crate) const CLOSED_BOOK_SAMPLE: usize = 200;

/// The conditions that the generator is asked.
#[derive(Clone, Debug)]
pub struct PlannedCondition {
    /// The conditions to run, `Retrieved` first.
    pub names: Vec<Condition>,
    /// Seed of the sample of questions that the condition `ClosedBook` is asked.
    pub seed: u64,
}

/// Retrieval of chunks.
pub struct RetrievalPlan {
    /// In the order they are queried; at least one.
    pub retrievers: Vec<RetrieverPlan>,
    /// Fusion of several rankings.
    pub fusion: Fusion,
    /// Reranking of the candidates.
    pub rerank: Option<RerankPlan>,
    /// Storage of vectors.
    pub store: VectorPlace,
    /// Selects the documents that may be retrieved.
    pub filter: Filter,
    /// The minimum score of the final ranking's hits.
    pub min_score: Option<f64>,
    /// Number of hits that each retriever returns, and that fusion and reranking retain.
    pub candidates: usize,
    /// Leaves out the document whose id is the question's, as BEIR does.
    pub skips_own_document: bool,
    /// Number of hits packed.
    pub k: usize,
    /// Receives notices of repaired indexes.
    pub notices: Notices,
}

impl RetrievalPlan {
    /// Returns the existing collection whose points are the chunks; `None` without one.
    #[must_use]
    pub fn collection(&self) -> Option<&CollectionPlan> {
        self.retrievers.iter().find_map(|plan| match plan {
            RetrieverPlan::Collection(plan) => Some(&**plan),
            RetrieverPlan::Sparse(_) | RetrieverPlan::Vectors(_) => None,
        })
    }
}

/// One retriever.
pub enum RetrieverPlan {
    /// Sparse retrieval: BM25 or TF-IDF.
    Sparse(SparsePlan),
    /// Dense retrieval: one vector per chunk, or one per token.
    Vectors(VectorPlan),
    /// An existing collection.
    Collection(Box<CollectionPlan>),
}

/// A sparse retriever.
pub struct SparsePlan {
    /// Its name in traces: `Bm25` or `Tfidf`.
    pub name: RetrieverName,
    /// Converts text to terms.
    pub analyzer: Arc<Analyzer>,
    /// The term weighting.
    pub weighting: Weighting,
    /// The folder of its index's file; `None` to hold it in memory only.
    pub folder: Option<PathBuf>,
}

/// A dense or late-interaction retriever.
pub struct VectorPlan {
    /// Its name in traces: `Dense` or `LateInteraction`.
    pub name: RetrieverName,
    /// Converts texts to vectors.
    pub encoder: Arc<dyn Encoder>,
}

/// An existing collection, read once.
pub struct CollectionPlan {
    /// The collection.
    pub collection: Arc<dyn ExistingCollection>,
    /// Its content; its passages become the chunks.
    pub content: Arc<CollectionContent>,
    /// Hash of what was read of it.
    pub digest: String,
    /// Its settings.
    pub settings: CollectionSettings,
    /// Converts questions to dense vectors; `None` in the mode `sparse`.
    pub encoder: Option<Arc<dyn Encoder>>,
}

/// Reranking of the candidates.
pub struct RerankPlan {
    /// Scores a question and a passage.
    pub reranker: Arc<dyn Reranker>,
    /// Number of candidates reranked, from the first.
    pub depth: usize,
}

/// Construction of prompts.
pub struct PromptPlan {
    /// System and user message.
    pub template: Template,
    /// Counts tokens for the budget: `cl100k_base`.
    pub counter: Arc<dyn TokenCounter>,
    /// Token budget for passages.
    pub context_tokens: usize,
}
