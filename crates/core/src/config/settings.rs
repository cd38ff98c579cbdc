//! Every setting with its default. Unknown keys are errors. Paths are relative to the folder of the configuration file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::dataset::{Format, MissingEvidence};
use super::evaluation::{GateMode, NoisePosition};
use super::external::ExternalSettings;
use super::judge::JudgeSettings;
use super::retrieval::{RerankSettings, RetrievalSettings, VectorStoreSettings};
use super::tune::TuneSettings;
use crate::chunk::Strategy;
use crate::language::Language;
use crate::measure::answer::Scorer;
use crate::measure::{Measure, Quantity};
use crate::rightness::RightRule;
use crate::text::tokens::Tokenizer;
use crate::types::ArmName;

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
        /// Evaluation of rankings and answers.
        evaluation: EvaluationSettings,
        /// Limits that a run must meet.
        #[schemars(extend("x-resume" = "may change"))]
        gates: GatesSettings,
        /// The cache of models, vectors, indexes and responses.
        #[schemars(extend("x-resume" = "may change"))]
        cache: CacheSettings,
        /// The metric of a sweep and the confirmation of its winner.
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
        /// Treatment of evidence that names a missing document. Default: `error` for your own data, `keep` for published data
        /// sets.
        #[serde(skip_serializing_if = "Option::is_none")]
        missing_evidence: Option<MissingEvidence>,
        /// Leave out the document whose id equals the question id, as BEIR does.
        skip_same_id: bool,
        /// Patterns of the files that are documents, for the format `files`. Default: Markdown, plain text, reStructuredText and
        /// source code.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        globs: Vec<String>,
        /// Follow symbolic links that leave the corpus folder, for the format `files`. Links inside it are followed in any case.
        follow_links: bool,
        /// Refuse a document with more bytes of text.
        #[schemars(range(min = 1))]
        max_document_bytes: usize = MAX_DOCUMENT_BYTES,
    }
}

/// Default of `dataset.max_document_bytes`.
pub const MAX_DOCUMENT_BYTES: usize = 50_000_000;

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

    /// Returns the treatment of missing evidence: the configured one, else the format's default.
    #[must_use]
    pub fn missing_evidence(&self) -> MissingEvidence {
        self.missing_evidence.unwrap_or(self.format.missing_evidence())
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
        let is_recorded = self.generator == GeneratorName::Recorded;
        self.generator == GeneratorName::Openai
            || is_recorded && self.fallback == Some(GeneratorName::Openai)
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
        /// For `recorded`: the generator of prompts without a recorded response. Default: none; such prompts are reported, and a run that
        /// lacks more than 5% of its responses does not start.
        #[serde(skip_serializing_if = "Option::is_none")]
        fallback: Option<GeneratorName>,
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
        /// Maximum number of concurrent calls, at least 1.
        #[schemars(extend("x-resume" = "may change"))]
        #[schemars(range(min = 1))]
        concurrency: usize = 8,
        /// Timeout of a call in seconds, above 0.
        #[schemars(extend("x-resume" = "may change"))]
        #[schemars(range(min = 1e-3, max = 86_400.0))]
        timeout_s: f64 = 120.0,
        /// Time limit in seconds per prompt, including retries and waits. Default: three times `timeout_s`, at least 180.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-resume" = "may change"))]
        #[schemars(range(min = 1e-3, max = 864_000.0))]
        deadline_s: Option<f64>,
        /// Cost limit of a run in US dollars, by `price`; the run stops before a call that could exceed it. Default: none.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-resume" = "may change"))]
        #[schemars(range(min = 0.0, max = 1e9))]
        max_usd: Option<f64>,
        /// Token limit of a run, prompts and answers together. Default: none.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-resume" = "may change"))]
        max_tokens_total: Option<u64>,
        /// Price of tokens.
        #[schemars(extend("x-resume" = "may change"))]
        price: Price,
        /// PEM file of a private certificate authority.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-resume" = "may change"))]
        ca_file: Option<PathBuf>,
    }
}

/// Maximum bootstrap resamples: more take gigabytes and change no significant digit. Holds for manifests as for configuration files.
pub const MOST_RESAMPLES: usize = 1_000_000;

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
        measures: Vec<Measure>,
        /// Primary metric: comparisons are decided by it. Default: the first available of
        /// `AnswerRight`, `AnswerF1`, `EM@prompt`, `EM@5` and `nDCG@10`.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[schemars(extend("x-affects" = "summary"))]
        primary: Option<Measure>,
        /// Scorer of answers.
        scorer: Scorer = Scorer::Squad2,
        /// Rule that decides whether an answer is right. Classes, loss budget, gates and verdict use it.
        right: RightRule = RightRule::Auto,
        /// Replies by which the product declines to answer, besides those that are recognised: `["Ask our service desk."]`. A reply that
        /// begins with one declines.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        declined: Vec<String>,
        /// Minimum `AnswerF1` of a right answer where F1 decides, in 0..=1.
        #[schemars(range(min = 0.0, max = 1.0))]
        correct_f1: f64 = 0.6,
        /// Counterfactual conditions (arms) to generate answers for.
        arms: Vec<ArmName> = ArmName::ALL.to_vec(),
        /// Number of questions in the condition `closed_book`, as a seeded sample.
        closed_book_sample: usize = 200,
        /// Position of the gold passages among the others in the condition `gold_in_noise`.
        noise_position: NoisePosition,
        /// Seed of bootstrap resampling.
        seed: u64 = 0,
        /// Bootstrap resamples, at least 1.
        #[schemars(extend("x-affects" = "summary"))]
        #[schemars(range(min = 1, max = MOST_RESAMPLES))]
        resamples: usize = 10_000,
        /// Resample together questions whose gold evidence overlaps.
        cluster: bool = true,
    }
}

table! {
    /// `[gates]`
    GatesSettings {
        /// Minimum mean of each metric, or share of each failure class: `{ "EM@5" = 0.8 }`.
        min: BTreeMap<Quantity, f64>,
        /// Maximum mean of each metric, or share of each failure class: `{ hallucinated = 0.05 }`.
        max: BTreeMap<Quantity, f64>,
        /// Maximum loss of each metric compared with the baseline.
        max_drop: BTreeMap<Quantity, f64>,
        /// Maximum rise over the baseline of each failure class, or metric where lower is better.
        max_rise: BTreeMap<Quantity, f64>,
        /// Smallest change from the baseline that matters: no drop or rise up to it fails.
        #[schemars(range(min = 0))]
        min_effect: f64,
        /// Run folder or baseline file for `max_drop` and `max_rise`.
        #[serde(skip_serializing_if = "Option::is_none")]
        baseline: Option<PathBuf>,
        /// Count an inconclusive gate as failed.
        strict: bool,
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
