//! The parts a run is made of, resolved and wired.

use std::path::PathBuf;
use std::sync::Arc;

use crate::chunk::ChunkSpec;
use crate::embed::Encoder;
use crate::index::{Bm25Parameters, SearchMode, Server};
use crate::llm::Generator;
use crate::llm::Template;
use crate::measure::answer::Flavour;
use crate::text::analyse::Analyzer;
use crate::text::tokens::TokenCounter;
use crate::types::{ArmName, Stage};

/// Everything a run needs besides its data and its folder.
pub struct Plan {
    /// How documents are cut.
    pub chunking: ChunkSpec,
    /// Counts a chunk's size.
    pub chunk_counter: Arc<dyn TokenCounter>,
    /// Whether the title stands before each chunk when it is indexed and shown.
    pub title_prefix: bool,
    /// The retrievers, in the order they are asked: `Bm25`, `Dense`.
    pub retrievers: Vec<Stage>,
    /// BM25's analyser and parameters.
    pub sparse: SparsePlan,
    /// The encoder and where its vectors go; present when `retrievers` names `Dense`.
    pub dense: Option<DensePlan>,
    /// How many hits each retriever returns, and fusion keeps.
    pub candidates: usize,
    /// How many hits are packed.
    pub k: usize,
    /// RRF's constant.
    pub fusion_k: f64,
    /// Whether a document whose id equals the question's is left out (BEIR's Quora and `ArguAna`).
    pub skip_same_id: bool,
    /// How a prompt is made.
    pub prompt: PromptPlan,
    /// What answers it; `None` for retrieval alone.
    pub generator: Option<Arc<dyn Generator>>,
    /// How many questions are in work at once.
    pub concurrency: usize,
    /// The arms to run, `Retrieved` first.
    pub arms: Vec<ArmName>,
    /// How answers are judged.
    pub judge: Judge,
    /// Price of the generator's tokens.
    pub price: Price,
}

/// BM25's part.
pub struct SparsePlan {
    /// Text to terms.
    pub analyzer: Arc<Analyzer>,
    /// Variant, k1, b, delta.
    pub params: Bm25Parameters,
}

/// The dense retriever's part.
pub struct DensePlan {
    /// Texts to vectors.
    pub encoder: Arc<dyn Encoder>,
    /// Where the collection is.
    pub place: VectorPlace,
    /// Exact or by HNSW.
    pub mode: SearchMode,
}

/// Where vectors are kept.
#[derive(Clone, Debug)]
pub enum VectorPlace {
    /// In this process, under this folder.
    Embedded(PathBuf),
    /// On a Qdrant server.
    Server(Server),
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

/// When an answer is right.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judge {
    /// Whose script scores answers.
    pub flavour: Flavour,
    /// The least `AnswerF1` of a right answer.
    pub correct_f1: f64,
}

/// US dollars per million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Price {
    /// Of the prompt.
    pub prompt_usd: f64,
    /// Of the answer.
    pub completion_usd: f64,
}

impl Price {
    /// What so many tokens cost, in US dollars.
    #[must_use]
    pub fn of(self, prompt: u64, completion: u64) -> f64 {
        (self.prompt_usd * prompt as f64 + self.completion_usd * completion as f64) / 1e6
    }
}
