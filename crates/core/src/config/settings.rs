//! Every setting with its default. Unknown keys are errors. Paths are relative to the folder of the configuration file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::dataset::Format;
use super::evaluation::GateMode;
use super::external::ExternalSettings;
use super::http::HttpSettings;
use super::judge::JudgeSettings;
use super::retrieval::{RerankSettings, RetrievalSettings, VectorStoreSettings};
use super::tune::TuneSettings;
use crate::chunk::Strategy;
use crate::language::Language;
use crate::metric::answer::Scorer;
use crate::metric::{Metric, Quantity};
use crate::text::tokens::Tokenizer;
use crate::types::Condition;

table! {
    /// The whole configuration file.
    Settings {
        /// The data set: documents and questions.
        dataset: DatasetSettings,
        /// Chunking of the documents.
        chunking: ChunkingSettings,
        /// Retrieval of chunks.
        retrieval: RetrievalSettings,
        /// Reranking of the candidates.
        rerank: RerankSettings,
        /// Storage and search of vectors.
        vector_store: VectorStoreSettings,
        /// Generation of answers.
        generation: GenerationSettings,
        /// A model that compares answers with gold answers; its verdicts are shown next to the rule's.
        #[schemars(extend("x-resume" = "may change"))]
        judge: JudgeSettings,
        /// An external RAG service to evaluate instead of the built-in pipeline.
        external: ExternalSettings,
        /// Calls to all services.
        #[schemars(extend("x-resume" = "may change"))]
        http: HttpSettings,
        /// Evaluation of rankings and answers.
        evaluation: EvaluationSettings,
        /// Limits that a run must meet.
        #[schemars(extend("x-resume" = "may change"))]
        gates: GatesSettings,
        /// The cache of models, vectors, indexes and responses.
        #[schemars(extend("x-resume" = "may change"))]
        cache: CacheSettings,
        /// The metric of a sweep.
        tune: TuneSettings,
        /// The settings that a sweep varies: any of the above, each with a list of values: `chunking.size = [64, 128]`.
        #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
        sweep: serde_json::Map<String, serde_json::Value>,
    }
}

table! {
    /// `[dataset]`
    DatasetSettings {
        /// The layout of the files.
        format: Format = Format::Files,
        /// The file or folder of the data set.
        path: PathBuf = PathBuf::from("."),
        /// The labelled questions, for the formats `files` and `jsonl`. Default: `questions.jsonl` in `path`.
        #[serde(skip_serializing_if = "Option::is_none")]
        questions: Option<PathBuf>,
        /// Where the questions file, or that of the format `rows`, has its fields: `preset`, or JSON Pointers by name. Default: our own
        /// names.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        fields: BTreeMap<String, String>,
        /// ISO 639-1 code of the texts' language, or `auto`: detected from the documents, and recorded by a run.
        language: String = AUTO.to_owned(),
        /// Use only questions of this split; for BEIR, the qrels file of that name. Default: all; for BEIR, `test`.
        #[serde(skip_serializing_if = "Option::is_none")]
        split: Option<String>,
        /// Use at most this many questions, as a seeded sample; the corpus stays whole. Default: all.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 1))]
        limit: Option<usize>,
        /// Seed of the sample.
        seed: u64 = 0,
        /// Patterns of the files that are documents, for the format `files`. Default: Markdown, plain text, reStructuredText and
        /// source code.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        globs: Vec<String>,
    }
}

/// Value of `dataset.language` that has the language detected.
pub const AUTO: &str = "auto";

impl DatasetSettings {
    /// Creates the configuration of the whole of `path`, with the defaults of its format.
    #[must_use]
    pub fn new(format: Format, path: &Path) -> Self {
        Self { format, path: path.to_owned(), ..Self::default() }
    }

    /// Returns the name of the data set in manifests and caches: format and path.
    #[must_use]
    pub fn label(&self) -> String {
        format!("{} {}", self.format, self.path.display())
    }

    /// Returns the language of the texts; English if it was never detected.
    #[must_use]
    pub fn language(&self) -> &'static Language {
        if self.language == AUTO { Language::english() } else { Language::of(&self.language) }
    }
}

table! {
    /// `[chunking]`
    // 200 tokens of `cl100k_base`: an encoder that reads 256 word pieces sees the whole chunk.
    ChunkingSettings {
        /// The chunking strategy.
        strategy: Strategy = Strategy::Recursive,
        /// Maximum tokens per chunk, at least 1.
        #[schemars(range(min = 1))]
        size: usize = 200,
        /// Tokens shared by neighbouring chunks, less than `size`.
        overlap: usize = 40,
        /// For `file`: JSON lines with the chunks.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<PathBuf>,
        /// The unit of `size` and `overlap`.
        tokenizer: Tokenizer = Tokenizer::Cl100kBase,
        /// Put the document title, or a chunk's `context` in `file`, before each chunk when it is indexed and shown; it does not count
        /// towards size or range.
        title_prefix: bool = true,
    }
}

/// A generator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GeneratorName {
    /// An OpenAI-compatible endpoint.
    Openai,
    /// A file of recorded responses, `responses`.
    Recorded,
    /// No generator: retrieval only.
    #[default]
    None,
}

impl GenerationSettings {
    /// Returns true if prompts may be sent to an endpoint.
    #[must_use]
    pub fn calls_endpoint(&self) -> bool {
        self.generator == GeneratorName::Openai
    }
}

table! {
    /// `[generation]`
    GenerationSettings {
        /// The generator.
        generator: GeneratorName = GeneratorName::None,
        /// Base URL of the endpoint, up to and including `/v1`; `/chat/completions` is appended.
        base_url: String = "http://localhost:11434/v1".to_owned(),
        /// Model name at the endpoint.
        model: String,
        /// For `recorded`: JSON lines with the responses to exact prompts.
        #[serde(skip_serializing_if = "Option::is_none")]
        responses: Option<PathBuf>,
        /// Environment variable with the API key. Empty: none.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-resume" = "may change", "x-private" = true))]
        api_key_env: Option<String>,
        /// Additional request headers, each with the environment variable that holds its value: `{ "api-key" = "AZURE_KEY" }`.
        #[serde(skip_serializing_if = "BTreeMap::is_empty")]
        #[schemars(extend("x-private" = true))]
        headers_env: BTreeMap<String, String>,
        /// Additional fields of the request body: `{ top_p = 0.9, seed = 1, stop = ["###"] }`.
        #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
        extra_body: serde_json::Map<String, serde_json::Value>,
        /// Prompt template: a built-in one (`short-answer`, `free`) or a file.
        prompt: String = "short-answer".to_owned(),
        /// Token budget (`cl100k_base`) of the passages in a prompt, at least 1.
        #[schemars(range(min = 1))]
        context_tokens: usize = 3000,
        /// Sampling temperature, at least 0.
        #[schemars(range(min = 0))]
        temperature: f64 = 0.0,
        /// Maximum tokens per reply, reasoning included, at least 1. A reply that reaches it before its answer is counted as
        /// truncated.
        #[schemars(range(min = 1))]
        // The default prompt asks to reason first: a few sentences over several passages, and then the answer.
        max_tokens: u32 = 1_024,
        /// Cost limit of a run in US dollars, by `price`; the run stops before a call that could exceed it. Default: none.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-resume" = "may change"))]
        #[schemars(range(min = 0.0, max = 1e9))]
        max_usd: Option<f64>,
        /// Price of tokens.
        #[schemars(extend("x-resume" = "may change"))]
        price: Price,
    }
}

table! {
    /// `[evaluation]`
    EvaluationSettings {
        /// Cutoffs of all metrics, each at least 1.
        #[schemars(extend("x-affects" = "summary"))]
        #[schemars(length(min = 1), inner(range(min = 1)))]
        ks: Vec<usize> = vec![1, 3, 5, 10],
        /// Metrics in addition to the standard ones, by name.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        #[schemars(extend("x-affects" = "summary"))]
        metrics: Vec<Metric>,
        /// Scorer of answers.
        scorer: Scorer = Scorer::Squad2,
        /// Replies by which the product declines to answer, besides those that are recognised: `["Ask our service desk."]`. A reply that
        /// begins with one declines.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        declined: Vec<String>,
        /// Counterfactual conditions to generate answers for.
        conditions: Vec<Condition> = Condition::ALL.to_vec(),
        /// Seed of bootstrap resampling.
        seed: u64 = 0,
    }
}

table! {
    /// `[gates]`
    GatesSettings {
        /// Minimum mean of each metric, or share of each failure class: `{ "EM@5" = 0.8 }`.
        min: BTreeMap<Quantity, f64>,
        /// Maximum mean of each metric, or share of each failure class: `{ hallucinated = 0.05 }`.
        max: BTreeMap<Quantity, f64>,
        /// Maximum loss of each metric compared with the baseline; of a metric or failure class where lower is better, its rise.
        max_drop: BTreeMap<Quantity, f64>,
        /// Run folder for `max_drop`.
        #[serde(skip_serializing_if = "Option::is_none")]
        baseline: Option<PathBuf>,
        /// Decide gates by the 95% CI or by the mean alone.
        mode: GateMode,
    }
}

table! {
    /// `[cache]`
    CacheSettings {
        /// Cache folder. Default: `ragtriage` in the user's cache folder.
        #[serde(skip_serializing_if = "Option::is_none")]
        dir: Option<PathBuf>,
    }
}

table! {
    /// Price in US dollars per million tokens.
    #[derive(Copy)]
    Price {
        /// Price of prompt tokens.
        #[schemars(range(min = 0.0, max = 1e6))]
        prompt: f64,
        /// Price of completion tokens.
        #[schemars(range(min = 0.0, max = 1e6))]
        completion: f64,
    }
}

impl Price {
    /// Returns the cost of a call in US dollars.
    #[must_use]
    pub fn of(self, prompt_tokens: u64, completion_tokens: u64) -> f64 {
        (self.prompt * prompt_tokens as f64 + self.completion * completion_tokens as f64) / 1e6
    }
}
