//! Every setting with its default: the one list of names that files, `--set` and `config show` share.
//!
//! Unknown keys are refused. Paths are relative to the settings file's folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::dataset::{Format, MissingEvidence};
use super::evaluation::{GateMode, NoisePosition};
use super::price::Price;
use super::retrieval::{RerankSettings, RetrievalSettings, VectorStoreSettings};
use super::tune::TuneSettings;
use crate::chunk::Strategy;
use crate::measure::Measure;
use crate::measure::answer::Scorer;
use crate::text::tokens::Tokenizer;
use crate::types::ArmName;

/// The whole file.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Which documents and questions.
    pub dataset: DatasetSettings,
    /// How documents are cut.
    pub chunking: ChunkingSettings,
    /// How chunks are found.
    pub retrieval: RetrievalSettings,
    /// What orders the candidates again.
    pub rerank: RerankSettings,
    /// Where vectors are kept.
    pub vector_store: VectorStoreSettings,
    /// What answers.
    pub generation: GenerationSettings,
    /// Whose pipeline is asked instead of all that.
    pub external: ExternalSettings,
    /// How answers and rankings are judged.
    pub evaluation: EvaluationSettings,
    /// When a run is good enough; read by `ragtriage check`.
    #[schemars(extend("x-resume" = "may change"))]
    pub gates: GatesSettings,
    /// Where things are kept between runs.
    #[schemars(extend("x-resume" = "may change"))]
    pub cache: CacheSettings,
    /// How a sweep is searched and its winner confirmed; read by `ragtriage tune`.
    pub tune: TuneSettings,
    /// What a sweep varies: any of the above, each with a list of values: `chunking.size = [64, 128]`; read by `ragtriage tune`.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub sweep: serde_json::Map<String, serde_json::Value>,
}

/// `[dataset]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DatasetSettings {
    /// What the files are.
    pub format: Format,
    /// A file or folder, as the format wants it.
    pub path: PathBuf,
    /// Only questions of this split; BEIR: the qrels file of that name. Default: all; BEIR: `test`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub split: Option<String>,
    /// Only so many questions, a seeded sample; the corpus stays whole. Default: all.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub limit: Option<usize>,
    /// Seed of that sample.
    pub seed: u64,
    /// What to do with evidence that names a missing document. Default: `error` for one's own data, `keep` for published sets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing_evidence: Option<MissingEvidence>,
    /// Leave a document out whose id equals the question's, as BEIR does.
    pub skip_same_id: bool,
    /// Which files of a folder are documents. Default: Markdown, text, reStructuredText and source code.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub globs: Vec<String>,
}

impl Default for DatasetSettings {
    fn default() -> Self {
        Self {
            format: Format::Files,
            path: PathBuf::from("."),
            split: None,
            limit: None,
            seed: 0,
            missing_evidence: None,
            skip_same_id: false,
            globs: Vec::new(),
        }
    }
}

impl DatasetSettings {
    /// Creates the configuration of the whole of `path`, with the defaults of its format.
    #[must_use]
    pub fn new(format: Format, path: &Path) -> Self {
        Self {
            format,
            path: path.to_owned(),
            ..Self::default()
        }
    }

    /// Returns the name of the data set in manifests and caches: format and path.
    #[must_use]
    pub fn label(&self) -> String {
        format!("{} {}", self.format, self.path.display())
    }

    /// Returns the treatment of missing evidence: the configured one, else the format's default.
    #[must_use]
    pub fn missing_evidence(&self) -> MissingEvidence {
        self.missing_evidence
            .unwrap_or(self.format.missing_evidence())
    }
}

/// `[chunking]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ChunkingSettings {
    /// The splitter.
    pub strategy: Strategy,
    /// Most tokens of a chunk, at least 1.
    #[schemars(range(min = 1))]
    pub size: usize,
    /// Tokens that neighbours share, less than `size`.
    pub overlap: usize,
    /// What a token is.
    pub tokenizer: Tokenizer,
    /// For `recursive`: split by these, the first that fits first, instead of by Unicode structure.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub separators: Vec<String>,
    /// Put the document's title before each chunk when it is indexed and shown; never counted in size or range.
    pub title_prefix: bool,
}

impl Default for ChunkingSettings {
    /// 200 tokens of `cl100k_base`: an encoder that reads 256 word pieces sees the whole chunk.
    fn default() -> Self {
        Self {
            strategy: Strategy::Recursive,
            size: 200,
            overlap: 40,
            tokenizer: Tokenizer::Cl100kBase,
            separators: Vec::new(),
            title_prefix: true,
        }
    }
}

/// A generator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GeneratorName {
    /// The built-in extractive reader: offline and deterministic, a baseline.
    #[default]
    Extractive,
    /// An OpenAI-compatible endpoint.
    Openai,
    /// No generator: retrieval only.
    None,
}

/// `[generation]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GenerationSettings {
    /// What answers.
    pub generator: GeneratorName,
    /// The endpoint, up to and with `/v1`; `/chat/completions` is added.
    pub base_url: String,
    /// The endpoint's model.
    pub model: String,
    /// The environment variable that holds the endpoint's key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-resume" = "may change", "x-private" = true))]
    pub api_key_env: Option<String>,
    /// Further headers of every request, each with the environment variable that holds its value: `{ "api-key" = "AZURE_KEY" }`.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("x-private" = true))]
    pub headers_env: BTreeMap<String, String>,
    /// Further fields of every request.
    #[serde(skip_serializing_if = "serde_json::Map::is_empty")]
    pub extra_body: serde_json::Map<String, serde_json::Value>,
    /// A built-in template (`short-answer`, `free`) or a file.
    pub prompt: String,
    /// How many tokens (`cl100k_base`) of passages fit the prompt, at least 1.
    #[schemars(range(min = 1))]
    pub context_tokens: usize,
    /// Sampling temperature.
    pub temperature: f64,
    /// Nucleus sampling. Default: the endpoint's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Sampling seed. Default: the endpoint's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<i64>,
    /// Texts that end an answer.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub stop: Vec<String>,
    /// Most tokens of an answer, at least 1.
    #[schemars(range(min = 1))]
    pub max_tokens: u32,
    /// Calls at once to begin with, at least 1; more while it goes well, a fifth less whenever the endpoint says that it is too much.
    #[schemars(extend("x-resume" = "may change"))]
    #[schemars(range(min = 1))]
    pub concurrency: usize,
    /// Most calls at once, at least `concurrency`. Default: four times that.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-resume" = "may change"))]
    pub most_concurrency: Option<usize>,
    /// Seconds until a call counts as failed, > 0.
    #[schemars(extend("x-resume" = "may change"))]
    #[schemars(range(min = 1e-3, max = 86_400.0))]
    pub timeout_s: f64,
    /// Seconds for one prompt, all tries and waits between them, > 0. Default: three times `timeout_s`, at least 180.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-resume" = "may change"))]
    #[schemars(range(min = 1e-3, max = 864_000.0))]
    pub deadline_s: Option<f64>,
    /// How often each question's own prompt is asked, at least 1; above 1 no reply is taken from the cache.
    #[schemars(range(min = 1))]
    pub repeat: usize,
    /// US dollars that a run may cost, by `price`: it stops before a call that could exceed them. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-resume" = "may change"))]
    #[schemars(range(min = 0.0, max = 1e9))]
    pub max_usd: Option<f64>,
    /// Tokens of prompts and answers that a run may use. Default: no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-resume" = "may change"))]
    pub max_tokens_total: Option<u64>,
    /// What tokens cost.
    #[schemars(extend("x-resume" = "may change"))]
    pub price: Price,
    /// A PEM file with a private certificate authority.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-resume" = "may change"))]
    pub ca_file: Option<PathBuf>,
}

impl Default for GenerationSettings {
    fn default() -> Self {
        Self {
            generator: GeneratorName::Extractive,
            base_url: "http://localhost:11434/v1".to_owned(),
            model: String::new(),
            api_key_env: None,
            headers_env: BTreeMap::new(),
            extra_body: serde_json::Map::new(),
            prompt: "short-answer".to_owned(),
            context_tokens: 3000,
            temperature: 0.0,
            top_p: None,
            seed: None,
            stop: Vec::new(),
            max_tokens: 256,
            concurrency: 8,
            most_concurrency: None,
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

/// `[external]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ExternalSettings {
    /// Where each question is posted as `{"id", "question"}`, to be answered with contexts and answer. Default: this
    /// program's own pipeline answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The environment variable that holds the service's key.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-resume" = "may change", "x-private" = true))]
    pub api_key_env: Option<String>,
    /// Seconds until a call counts as failed, > 0.
    #[schemars(extend("x-resume" = "may change"))]
    #[schemars(range(min = 1e-3, max = 86_400.0))]
    pub timeout_s: f64,
    /// Most calls at once, at least 1.
    #[schemars(extend("x-resume" = "may change"))]
    #[schemars(range(min = 1))]
    pub concurrency: usize,
    /// How often a call that may succeed later is made again.
    #[schemars(extend("x-resume" = "may change"))]
    #[schemars(range(min = 0, max = 10))]
    pub retries: u32,
}

impl Default for ExternalSettings {
    fn default() -> Self {
        Self {
            url: None,
            api_key_env: None,
            timeout_s: 120.0,
            concurrency: 8,
            retries: 2,
        }
    }
}

/// The most bootstrap resamples: more take gigabytes and change no digit that matters. A manifest is trusted no more than a file.
pub const MOST_RESAMPLES: usize = 1_000_000;

/// `[evaluation]`
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EvaluationSettings {
    /// The cutoffs of all measures, each at least 1.
    #[schemars(extend("x-affects" = "summary"))]
    #[schemars(length(min = 1), inner(range(min = 1)))]
    pub ks: Vec<usize>,
    /// Measures besides the standard ones, by name (`ragtriage score --list`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("x-affects" = "summary"))]
    pub measures: Vec<Measure>,
    /// The measure that comparisons are decided by. Default: `AnswerF1` where there are answers, else `EM@5`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("x-affects" = "summary"))]
    pub primary: Option<Measure>,
    /// Whose script scores answers.
    pub scorer: Scorer,
    /// The least `AnswerF1` of a right answer, in 0..=1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub correct_f1: f64,
    /// What is asked of the generator.
    pub arms: Vec<ArmName>,
    /// How many questions the arm `closed_book` is asked, a seeded sample.
    pub closed_book_sample: usize,
    /// Where the arm `gold_in_noise` puts the gold among the other passages.
    pub noise_position: NoisePosition,
    /// Seed of the bootstrap.
    pub seed: u64,
    /// Bootstrap resamples, at least 1.
    #[schemars(extend("x-affects" = "summary"))]
    #[schemars(range(min = 1, max = MOST_RESAMPLES))]
    pub resamples: usize,
    /// Resample questions that share gold documents together.
    pub cluster: bool,
}

impl Default for EvaluationSettings {
    fn default() -> Self {
        Self {
            ks: vec![1, 3, 5, 10],
            measures: Vec::new(),
            primary: None,
            scorer: Scorer::Squad2,
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
    /// The least mean of a measure: `{ "EM@5" = 0.8 }`.
    pub min: BTreeMap<Measure, f64>,
    /// The largest mean of a measure.
    pub max: BTreeMap<Measure, f64>,
    /// How far a measure may get worse than the baseline's.
    pub max_drop: BTreeMap<Measure, f64>,
    /// The folder of the run that drops are taken from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<PathBuf>,
    /// Whether an inconclusive gate fails the run.
    pub strict: bool,
    /// What decides: the 95 % interval, or the mean alone.
    pub mode: GateMode,
}

/// `[cache]`
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CacheSettings {
    /// Where models, vectors and collections are kept. Default: `ragtriage` in the user's cache folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dir: Option<PathBuf>,
}
