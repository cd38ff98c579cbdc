//! Every setting with its default. Unknown keys are errors. Paths are relative to the folder of the configuration file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::dataset::{Format, MissingEvidence};
use super::evaluation::{GateMode, NoisePosition};
use super::external::ExternalSettings;
use super::judge::JudgeSettings;
use super::price::Price;
use super::retrieval::{RerankSettings, RetrievalSettings, VectorStoreSettings};
use super::tune::TuneSettings;
use crate::chunk::Strategy;
use crate::language::Language;
use crate::measure::answer::Scorer;
use crate::measure::{Measure, Quantity};
use crate::rightness::RightRule;
use crate::text::tokens::Tokenizer;
use crate::types::ArmName;

/// The whole configuration file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// The data set: documents and questions.
    pub dataset: DatasetSettings,
    /// Chunking of the documents.
    pub chunking: ChunkingSettings,
    /// Retrieval of chunks.
    pub retrieval: RetrievalSettings,
    /// Reranking of the candidates.
    pub rerank: RerankSettings,
    /// Storage and search of vectors.
    pub vector_store: VectorStoreSettings,
    /// Generation of answers.
    pub generation: GenerationSettings,
    /// A model that compares answers with gold answers; its verdicts are shown next to the rule's.
    #[schemars(extend("x-resume" = "may change"))]
    pub judge: JudgeSettings,
    /// An external RAG service to evaluate instead of the built-in pipeline.
    pub external: ExternalSettings,
    /// Evaluation of rankings and answers.
    pub evaluation: EvaluationSettings,
    /// Limits that a run must meet.
    #[schemars(extend("x-resume" = "may change"))]
    pub gates: GatesSettings,
    /// The cache of models, vectors, indexes and responses.
    #[schemars(extend("x-resume" = "may change"))]
    pub cache: CacheSettings,
    /// The metric of a sweep and the confirmation of its winner.
    pub tune: TuneSettings,
    /// The settings that a sweep varies: any of the above, each with a list of values: `chunking.size = [64, 128]`.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub sweep: serde_json::Map<String, serde_json::Value>,
}

/// `[dataset]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DatasetSettings {
    /// The layout of the files.
    pub format: Format,
    /// The file or folder of the data set.
    pub path: PathBuf,
    /// ISO 639-1 code of the texts' language, or `auto`: detected from the documents, and recorded by a run.
    pub language: String,
    /// Use only questions of this split; for BEIR, the qrels file of that name. Default: all; for BEIR, `test`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<String>,
    /// Use at most this many questions, as a seeded sample; the corpus stays whole. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub limit: Option<usize>,
    /// Seed of the sample.
    pub seed: u64,
    /// Treatment of evidence that names a missing document. Default: `error` for your own data, `keep` for published data
    /// sets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_evidence: Option<MissingEvidence>,
    /// Leave out the document whose id equals the question id, as BEIR does.
    pub skip_same_id: bool,
    /// Patterns of the files that are documents, for the format `files`. Default: Markdown, plain text, reStructuredText and
    /// source code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub globs: Vec<String>,
    /// Follow symbolic links that leave the corpus folder, for the format `files`. Links inside it are followed in any case.
    pub follow_links: bool,
    /// Refuse a document with more bytes of text.
    #[schemars(range(min = 1))]
    pub max_document_bytes: usize,
}

/// Default of `dataset.max_document_bytes`.
pub const MAX_DOCUMENT_BYTES: usize = 50_000_000;

/// Value of `dataset.language` that has the language detected.
pub const AUTO: &str = "auto";

impl Default for DatasetSettings {
    fn default() -> Self {
        Self {
            format: Format::Files,
            path: PathBuf::from("."),
            language: AUTO.to_owned(),
            split: None,
            limit: None,
            seed: 0,
            missing_evidence: None,
            skip_same_id: false,
            globs: Vec::new(),
            follow_links: false,
            max_document_bytes: MAX_DOCUMENT_BYTES,
        }
    }
}

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

/// `[chunking]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ChunkingSettings {
    /// The chunking strategy.
    pub strategy: Strategy,
    /// Maximum tokens per chunk, at least 1.
    #[schemars(range(min = 1))]
    pub size: usize,
    /// Tokens shared by neighbouring chunks, less than `size`.
    pub overlap: usize,
    /// For `file`: JSON lines with the chunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// The unit of `size` and `overlap`.
    pub tokenizer: Tokenizer,
    /// Put the document title, or a chunk's `context` in `file`, before each chunk when it is indexed and shown; it does not count
    /// towards size or range.
    pub title_prefix: bool,
}

impl Default for ChunkingSettings {
    /// 200 tokens of `cl100k_base`: an encoder that reads 256 word pieces sees the whole chunk.
    fn default() -> Self {
        Self {
            strategy: Strategy::Recursive,
            size: 200,
            overlap: 40,
            file: None,
            tokenizer: Tokenizer::Cl100kBase,
            title_prefix: true,
        }
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

/// `[generation]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GenerationSettings {
    /// The generator.
    pub generator: GeneratorName,
    /// Base URL of the endpoint, up to and including `/v1`; `/chat/completions` is appended.
    pub base_url: String,
    /// Model name at the endpoint.
    pub model: String,
    /// For `recorded`: JSON lines with the responses to exact prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub responses: Option<PathBuf>,
    /// For `recorded`: the generator of prompts without a recorded response. Default: none; such prompts are reported, and a run that
    /// lacks more than 5% of its responses does not start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fallback: Option<GeneratorName>,
    /// Environment variable with the API key. Empty: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-resume" = "may change", "x-private" = true))]
    pub api_key_env: Option<String>,
    /// Additional request headers, each with the environment variable that holds its value: `{ "api-key" = "AZURE_KEY" }`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("x-private" = true))]
    pub headers_env: BTreeMap<String, String>,
    /// Additional fields of the request body.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub extra_body: serde_json::Map<String, serde_json::Value>,
    /// Prompt template: a built-in one (`short-answer`, `free`) or a file.
    pub prompt: String,
    /// Token budget (`cl100k_base`) of the passages in a prompt, at least 1.
    #[schemars(range(min = 1))]
    pub context_tokens: usize,
    /// Sampling temperature, at least 0.
    #[schemars(range(min = 0))]
    pub temperature: f64,
    /// Nucleus sampling. Default: the endpoint's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Sampling seed. Default: the endpoint's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    /// Stop sequences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// Maximum tokens per reply, reasoning included, at least 1. A reply that reaches it before its answer is counted as
    /// truncated.
    #[schemars(range(min = 1))]
    pub max_tokens: u32,
    /// Maximum number of concurrent calls, at least 1.
    #[schemars(extend("x-resume" = "may change"))]
    #[schemars(range(min = 1))]
    pub concurrency: usize,
    /// Timeout of a call in seconds, above 0.
    #[schemars(extend("x-resume" = "may change"))]
    #[schemars(range(min = 1e-3, max = 86_400.0))]
    pub timeout_s: f64,
    /// Time limit in seconds per prompt, including retries and waits. Default: three times `timeout_s`, at least 180.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-resume" = "may change"))]
    #[schemars(range(min = 1e-3, max = 864_000.0))]
    pub deadline_s: Option<f64>,
    /// Calls per question for the condition `retrieved`, at least 1; above 1 no cached responses are used.
    #[schemars(range(min = 1))]
    pub repeat: usize,
    /// Cost limit of a run in US dollars, by `price`; the run stops before a call that could exceed it. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-resume" = "may change"))]
    #[schemars(range(min = 0.0, max = 1e9))]
    pub max_usd: Option<f64>,
    /// Token limit of a run, prompts and answers together. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-resume" = "may change"))]
    pub max_tokens_total: Option<u64>,
    /// Price of tokens.
    #[schemars(extend("x-resume" = "may change"))]
    pub price: Price,
    /// PEM file of a private certificate authority.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-resume" = "may change"))]
    pub ca_file: Option<PathBuf>,
}

impl Default for GenerationSettings {
    fn default() -> Self {
        Self {
            generator: GeneratorName::None,
            base_url: "http://localhost:11434/v1".to_owned(),
            model: String::new(),
            responses: None,
            fallback: None,
            api_key_env: None,
            headers_env: BTreeMap::new(),
            extra_body: serde_json::Map::new(),
            prompt: "short-answer".to_owned(),
            context_tokens: 3000,
            temperature: 0.0,
            top_p: None,
            seed: None,
            stop: Vec::new(),
            // The default prompt asks to reason first: a few sentences over several passages, and then the answer.
            max_tokens: 1_024,
            concurrency: 8,
            timeout_s: 120.0,
            deadline_s: None,
            repeat: 1,
            max_usd: None,
            max_tokens_total: None,
            price: Price::default(),
            ca_file: None,
        }
    }
}

/// Maximum bootstrap resamples: more take gigabytes and change no significant digit. Holds for manifests as for configuration files.
pub const MOST_RESAMPLES: usize = 1_000_000;

/// `[evaluation]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EvaluationSettings {
    /// Cutoffs of all metrics, each at least 1.
    #[schemars(extend("x-affects" = "summary"))]
    #[schemars(length(min = 1), inner(range(min = 1)))]
    pub ks: Vec<usize>,
    /// Metrics in addition to the standard ones, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-affects" = "summary"))]
    pub measures: Vec<Measure>,
    /// Primary metric: comparisons are decided by it. Default: the first available of
    /// `AnswerRight`, `AnswerF1`, `EM@prompt`, `EM@5` and `nDCG@10`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-affects" = "summary"))]
    pub primary: Option<Measure>,
    /// Scorer of answers.
    pub scorer: Scorer,
    /// Rule that decides whether an answer is right. Classes, loss budget, gates and verdict use it.
    pub right: RightRule,
    /// Replies by which the product declines to answer, besides those that are recognised: `["Ask our service desk."]`. A reply that
    /// begins with one declines.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub declined: Vec<String>,
    /// Minimum `AnswerF1` of a right answer where F1 decides, in 0..=1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub correct_f1: f64,
    /// Counterfactual conditions (arms) to generate answers for.
    pub arms: Vec<ArmName>,
    /// Number of questions in the condition `closed_book`, as a seeded sample.
    pub closed_book_sample: usize,
    /// Position of the gold passages among the others in the condition `gold_in_noise`.
    pub noise_position: NoisePosition,
    /// Seed of bootstrap resampling.
    pub seed: u64,
    /// Bootstrap resamples, at least 1.
    #[schemars(extend("x-affects" = "summary"))]
    #[schemars(range(min = 1, max = MOST_RESAMPLES))]
    pub resamples: usize,
    /// Resample together questions whose gold evidence overlaps.
    pub cluster: bool,
}

impl Default for EvaluationSettings {
    fn default() -> Self {
        Self {
            ks: vec![1, 3, 5, 10],
            measures: Vec::new(),
            primary: None,
            scorer: Scorer::Squad2,
            right: RightRule::Auto,
            declined: Vec::new(),
            correct_f1: 0.6,
            arms: vec![
                ArmName::Retrieved,
                ArmName::Oracle,
                ArmName::GoldInNoise,
                ArmName::ClosedBook,
            ],
            closed_book_sample: 200,
            noise_position: NoisePosition::default(),
            seed: 0,
            resamples: 10_000,
            cluster: true,
        }
    }
}

/// `[gates]`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GatesSettings {
    /// Minimum mean of each metric, or share of each failure class: `{ "EM@5" = 0.8 }`.
    pub min: BTreeMap<Quantity, f64>,
    /// Maximum mean of each metric, or share of each failure class: `{ hallucinated = 0.05 }`.
    pub max: BTreeMap<Quantity, f64>,
    /// Maximum loss of each metric compared with the baseline.
    pub max_drop: BTreeMap<Quantity, f64>,
    /// Maximum rise over the baseline of each failure class, or metric where lower is better.
    pub max_rise: BTreeMap<Quantity, f64>,
    /// Smallest change from the baseline that matters: no drop or rise up to it fails.
    #[schemars(range(min = 0))]
    pub min_effect: f64,
    /// Run folder or baseline file for `max_drop` and `max_rise`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<PathBuf>,
    /// Count an inconclusive gate as failed.
    pub strict: bool,
    /// Decide gates by the 95% CI or by the mean alone.
    pub mode: GateMode,
}

/// `[cache]`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CacheSettings {
    /// Cache folder. Default: `ragtriage` in the user's cache folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
}
