//! The parts a run is made of, resolved and wired.

use std::path::PathBuf;
use std::sync::Arc;

use ragtriage_bm25::{Bm25Parameters, Weighting};
use ragtriage_core::chunk::ChunkSpec;
use ragtriage_core::config::{Hnsw, NoisePosition, Placement, Price, Quantization};
use ragtriage_core::fuse::Fusion;
use ragtriage_core::prompt::Template;
use ragtriage_core::text::analyse::Analyzer;
use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::{ArmName, Filter, RetrieverName};
use ragtriage_models::embed::Encoder;
use ragtriage_models::llm::Generator;
use ragtriage_models::rerank::Reranker;
use ragtriage_vectors::{SearchMode, VectorPlace};

/// Everything a run needs besides its data and its folder.
pub struct Plan {
    /// How documents are cut.
    pub chunking: ChunkSpec,
    /// Counts a chunk's size.
    pub chunk_counter: Arc<dyn TokenCounter>,
    /// What `chunk_counter` depends on besides its name in `chunking`: the sha256 of a model's tokenizer, else empty.
    pub chunk_counter_id: String,
    /// Whether the title stands before each chunk when it is indexed and shown.
    pub title_prefix: bool,
    /// How chunks are found.
    pub retrieval: RetrievalPlan,
    /// How a prompt is made.
    pub prompt: PromptPlan,
    /// What answers it; `None` for retrieval alone.
    pub generator: Option<Arc<dyn Generator>>,
    /// How many questions are in work at once.
    pub concurrency: usize,
    /// Most calls of the generator whose replies are not yet kept, at once.
    pub calls: usize,
    /// What is asked of the generator.
    pub arms: ArmPlan,
    /// Price of the generator's tokens.
    pub price: Price,
}

/// What is asked of the generator.
#[derive(Clone, Debug)]
pub struct ArmPlan {
    /// The arms to run, `Retrieved` first.
    pub names: Vec<ArmName>,
    /// How often the arm `Retrieved` is asked; at least 1.
    pub repeat: usize,
    /// How many questions the arm `ClosedBook` is asked.
    pub closed_book_sample: usize,
    /// Seed of that sample.
    pub seed: u64,
    /// Where the arm `GoldInNoise` puts the gold.
    pub noise_position: NoisePosition,
}

impl ArmPlan {
    /// How often a prompt of `arm` is asked.
    #[must_use]
    pub fn times(&self, arm: ArmName) -> usize {
        if arm == ArmName::Retrieved {
            self.repeat
        } else {
            1
        }
    }
}

/// How chunks are found.
pub struct RetrievalPlan {
    /// In the order they are asked; at least one.
    pub retrievers: Vec<RetrieverPlan>,
    /// How several rankings become one.
    pub fusion: Fusion,
    /// What orders the candidates again.
    pub rerank: Option<RerankPlan>,
    /// Where vectors are kept and how they are searched.
    pub store: StorePlan,
    /// Which documents may be found.
    pub filter: Filter,
    /// The least score of the final ranking's hits.
    pub min_score: Option<f64>,
    /// How many hits each retriever returns, and fusion and reranking keep.
    pub candidates: usize,
    /// How many hits are packed.
    pub k: usize,
    /// Whether a document whose id equals the question's is left out (BEIR's Quora and `ArguAna`).
    pub skip_same_id: bool,
}

/// One retriever.
pub enum RetrieverPlan {
    /// Terms: BM25 or TF-IDF.
    Sparse(SparsePlan),
    /// Vectors: one a chunk, or one a token.
    Vectors(VectorPlan),
}

/// A retriever by terms.
pub struct SparsePlan {
    /// Its name in traces: `Bm25` or `Tfidf`.
    pub name: RetrieverName,
    /// Text to terms.
    pub analyzer: Arc<Analyzer>,
    /// What a term is worth.
    pub weighting: Weighting,
    /// Where its postings are.
    pub place: SparsePlace,
}

/// Where postings are.
#[derive(Clone, Debug, PartialEq)]
pub enum SparsePlace {
    /// In our own index: a file in this folder, or memory alone.
    Local(Option<PathBuf>),
    /// As sparse vectors in the vector store.
    VectorStore(Bm25Parameters),
}

/// A retriever by vectors.
pub struct VectorPlan {
    /// Its name in traces: `Dense` or `LateInteraction`.
    pub name: RetrieverName,
    /// Texts to vectors.
    pub encoder: Arc<dyn Encoder>,
}

/// What orders the candidates again.
pub struct RerankPlan {
    /// Question and passage to a score.
    pub reranker: Arc<dyn Reranker>,
    /// How many of the candidates it sees, from the first.
    pub depth: usize,
}

/// Where vectors are kept and how they are searched.
#[derive(Clone, Debug, PartialEq)]
pub struct StorePlan {
    /// In this process or on a server.
    pub place: VectorPlace,
    /// Exact or by HNSW.
    pub mode: SearchMode,
    /// The graph.
    pub hnsw: Hnsw,
    /// Smaller copies of the vectors.
    pub quantization: Quantization,
    /// How a server spreads a collection over its machines.
    pub placement: Placement,
}

/// How a prompt is made.
pub struct PromptPlan {
    /// System and user message.
    pub template: Template,
    /// Counts the budget: `cl100k_base`.
    pub counter: Arc<dyn TokenCounter>,
    /// How many tokens of passages fit.
    pub context_tokens: usize,
}
