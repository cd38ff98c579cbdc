//! Settings to wired parts: the one place that knows which setting makes which part.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::file::{ArmSetting, GeneratorName, RetrieverName, VectorStoreKind};
use super::{Resolved, Settings, SettingsError};
use crate::checkpoint::CheckpointError;
use crate::checkpoint::source::{self, Checkpoint, ModelRef, OnDownload, Source};
use crate::chunk::ChunkSpec;
use crate::dataset::LoadSpec;
use crate::embed::{Cached, EmbedError, Encoder, Local, LocalOptions};
use crate::eval::gate::{Bound, Gate, GateError};
use crate::eval::summary::EvaluationPlan;
use crate::external::Rag;
use crate::external::service::{Service, ServiceError, ServiceSettings};
use crate::index::{Bm25Parameters, SearchMode, Server};
use crate::llm::openai::{self, OpenAiSettings};
use crate::llm::{Extractive, Generator, LlmError, Secret, Template};
use crate::measure::{Cutoff, Family, Measure};
use crate::pipeline::ask::FAILURES_IN_A_ROW;
use crate::pipeline::plan::{DensePlan, Judge, Plan, Price, PromptPlan, SparsePlan, VectorPlace};
use crate::pipeline::recorded::RecordedPlan;
use crate::store::ModelRecord;
use crate::text::address;
use crate::text::analyse::Analyzer;
use crate::text::tokens::{self, TokenCounter, Tokenizer};
use crate::types::{ArmName, Stage};

/// What the machine gives: read once in the shell, so that nothing below looks at the environment.
pub struct Environment {
    /// Where models, vectors and collections are kept.
    pub cache_dir: PathBuf,
    /// The Hugging Face hub's address.
    pub hub: String,
    /// Whether every connection that is not loopback is refused.
    pub offline: bool,
    /// Whether vectors are computed anew and their collection is thrown away; the folder it lives in meanwhile.
    pub scratch: Option<PathBuf>,
    /// An environment variable's value.
    pub variable: fn(&str) -> Option<String>,
}

/// A plan with what the run's record says of its parts.
pub struct Assembled {
    /// The wired parts.
    pub plan: Plan,
    /// Models with their hashes.
    pub models: Vec<ModelRecord>,
    /// The vector cache, for its counts.
    pub vector_cache: Option<Arc<Cached>>,
}

/// Why parts could not be wired.
#[derive(Debug, thiserror::Error)]
pub enum AssembleError {
    /// A setting.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// The encoder.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The generator.
    #[error(transparent)]
    Llm(#[from] LlmError),
    /// The service that is asked instead of our own pipeline.
    #[error(transparent)]
    Service(#[from] ServiceError),
}

impl AssembleError {
    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Settings(error) => error.hint(),
            Self::Embed(error) => error.hint(),
            Self::Llm(error) => Some(error.hint().unwrap_or(SEE_DEFAULTS).to_owned()),
            Self::Service(error) => Some(error.hint().unwrap_or(SEE_DEFAULTS).to_owned()),
        }
    }
}

/// Which data set the settings name; relative paths start from the settings file's folder.
#[must_use]
pub fn load_spec(resolved: &Resolved) -> LoadSpec {
    let dataset = &resolved.settings.dataset;
    LoadSpec {
        format: dataset.format,
        path: resolved.base().join(&dataset.path),
        split: dataset.split.clone(),
        missing_evidence: dataset.missing_evidence,
        globs: dataset.globs.clone(),
    }
}

/// More resamples would tell nothing that matters and take gigabytes; a run's record is no more believed than a file.
const MOST_RESAMPLES: usize = 1_000_000;

/// How a run of these settings is evaluated.
#[must_use]
pub fn evaluation(settings: &Settings) -> EvaluationPlan {
    let evaluation = &settings.evaluation;
    EvaluationPlan {
        measures: measures(settings),
        k: settings.retrieval.k,
        judge: judge(settings),
        resamples: evaluation.resamples.min(MOST_RESAMPLES),
        seed: evaluation.seed,
        cluster: evaluation.cluster,
    }
}

/// The gates that the settings set.
///
/// # Errors
/// A limit that its measure cannot keep or cannot break.
pub fn gates(settings: &Settings) -> Result<Vec<Gate>, GateError> {
    let gates = &settings.gates;
    let all = [(Bound::Min, &gates.min), (Bound::Max, &gates.max), (Bound::MaxDrop, &gates.max_drop)];
    let each = all.into_iter().flat_map(|(bound, limits)| limits.iter().map(move |limit| (bound, limit)));
    each.map(|(bound, (measure, limit))| Gate::new(*measure, bound, *limit)).collect()
}

/// The standard measures at `ks`, `EM@k` and the rule of thumb's `EM@5`, and what was asked for besides; each once.
fn measures(settings: &Settings) -> Vec<Measure> {
    let evaluation = &settings.evaluation;
    let em = [settings.retrieval.k, 5].map(|k| Measure::new(Family::Em, Some(Cutoff::Top(k))));
    let further = evaluation.measures.iter().copied().chain(evaluation.primary);
    let all = Measure::standard(&evaluation.ks).into_iter().chain(em.into_iter().flatten()).chain(further);
    all.collect::<BTreeSet<Measure>>().into_iter().collect()
}

fn judge(settings: &Settings) -> Judge {
    Judge { flavour: settings.evaluation.flavour, correct_f1: settings.evaluation.correct_f1 }
}

/// Wires the parts. Fetches the model where it is not there yet.
///
/// # Errors
/// A setting out of range, a key that is not set, a model that cannot be had, an endpoint's address that is none.
pub async fn assemble(
    resolved: &Resolved,
    environment: &Environment,
    on_download: OnDownload<'_>,
) -> Result<Assembled, AssembleError> {
    let settings = &resolved.settings;
    check(settings)?;
    let chunking = chunk_spec(settings)?;
    let params = bm25_parameters(settings)?;
    let template = template(resolved)?;
    let generator = generator(resolved, environment)?;
    let place = vector_place(settings, environment)?;

    let wants_dense = settings.retrieval.retrievers.contains(&RetrieverName::Dense);
    let wants_model = wants_dense || settings.chunking.tokenizer == Tokenizer::Model;
    let checkpoint = if wants_model {
        Some(locate_model(resolved, environment, on_download).await.map_err(EmbedError::from)?)
    } else {
        None
    };
    let chunk_counter = chunk_counter(settings, checkpoint.as_ref())?;
    let mut models = Vec::new();
    let mut vector_cache = None;
    let mut dense = None;
    if let Some(checkpoint) = checkpoint.filter(|_| wants_dense) {
        models.push(model_record(settings, &checkpoint));
        let encoder = encoder(settings, checkpoint, environment, &mut vector_cache)?;
        let mode = if settings.vector_store.exact { SearchMode::Exact } else { SearchMode::Approximate };
        dense = Some(DensePlan { encoder, place, mode });
    }
    if let Some(generator) = &generator {
        let (role, name) = ("generator".to_owned(), generator.name().to_owned());
        models.push(ModelRecord { role, name, sha256: [].into() });
    }
    let analyzer = &settings.retrieval.analyzer;
    let analyzer = Analyzer::new(analyzer.words, analyzer.lowercase, analyzer.stopwords, analyzer.stemmer);
    let plan = Plan {
        chunking,
        chunk_counter,
        title_prefix: settings.chunking.title_prefix,
        retrievers: settings.retrieval.retrievers.iter().map(|name| stage(*name)).collect(),
        sparse: SparsePlan { analyzer: Arc::new(analyzer), params },
        dense,
        candidates: settings.retrieval.candidates,
        k: settings.retrieval.k,
        fusion_k: settings.retrieval.fusion.k,
        skip_same_id: settings.dataset.skip_same_id,
        prompt: PromptPlan { template, counter: prompt_counter()?, context_tokens: settings.generation.context_tokens },
        generator,
        concurrency: concurrency(settings),
        arms: settings.evaluation.arms.iter().map(|arm| arm_name(*arm)).collect(),
        judge: judge(settings),
        price: Price {
            prompt_usd: settings.generation.price.prompt,
            completion_usd: settings.generation.price.completion,
        },
    };
    Ok(Assembled { plan, models, vector_cache })
}

/// Wires what a record of somebody else's pipeline needs. What failed there says nothing of the next question.
///
/// # Errors
/// A setting out of range.
pub fn recorded(settings: &Settings, rag: Arc<dyn Rag>, concurrency: usize) -> Result<RecordedPlan, AssembleError> {
    check(settings)?;
    Ok(RecordedPlan {
        rag,
        judge: judge(settings),
        k: settings.retrieval.k,
        counter: prompt_counter()?,
        concurrency,
        most_failures: None,
        skip_same_id: settings.dataset.skip_same_id,
    })
}

/// Wires the service at `url` instead of our own pipeline.
///
/// # Errors
/// A setting out of range, an address that is none, a key that is not set.
pub fn service(settings: &Settings, url: &str, environment: &Environment) -> Result<RecordedPlan, AssembleError> {
    check(settings)?;
    if environment.offline && !address::is_on_this_machine(url) {
        return Err(not_here("external.url", url).into());
    }
    let external = &settings.external;
    let service = Service::new(ServiceSettings {
        url: url.to_owned(),
        api_key: key(external.api_key_env.as_deref(), "external.api_key_env", environment)?,
        timeout: Duration::from_secs_f64(external.timeout_s),
        retries: external.retries,
        answers: settings.generation.generator != GeneratorName::None,
    })?;
    let plan = recorded(settings, Arc::new(service), external.concurrency)?;
    Ok(RecordedPlan { most_failures: Some(FAILURES_IN_A_ROW), ..plan })
}

/// Refuses values outside their range. What a part checks itself is left to it.
fn check(settings: &Settings) -> Result<(), SettingsError> {
    let Settings { retrieval, generation, evaluation, dataset, .. } = settings;
    let at_least = |key, value: usize, least: usize| {
        let why = format!("it must be at least {least}");
        if value < least { Err(SettingsError::OutOfRange { key, value: value.to_string(), why }) } else { Ok(()) }
    };
    let within = |key, value: f64, range: std::ops::RangeInclusive<f64>| {
        let why = format!("it must lie in {} to {}", range.start(), range.end());
        if range.contains(&value) {
            Ok(())
        } else {
            Err(SettingsError::OutOfRange { key, value: value.to_string(), why })
        }
    };
    at_least("retrieval.k", retrieval.k, 1)?;
    at_least("retrieval.candidates", retrieval.candidates, retrieval.k)?;
    at_least("retrieval.retrievers", retrieval.retrievers.len(), 1)?;
    within("retrieval.fusion.k", retrieval.fusion.k, f64::MIN_POSITIVE..=1e9)?;
    at_least("generation.context_tokens", generation.context_tokens, 1)?;
    at_least("generation.max_tokens", generation.max_tokens as usize, 1)?;
    at_least("generation.concurrency", generation.concurrency, 1)?;
    within("generation.timeout_s", generation.timeout_s, 1e-3..=86_400.0)?;
    within("generation.price.prompt", generation.price.prompt, 0.0..=1e6)?;
    within("generation.price.completion", generation.price.completion, 0.0..=1e6)?;
    at_least("external.concurrency", settings.external.concurrency, 1)?;
    within("external.timeout_s", settings.external.timeout_s, 1e-3..=86_400.0)?;
    within("external.retries", f64::from(settings.external.retries), 0.0..=10.0)?;
    within("evaluation.correct_f1", evaluation.correct_f1, 0.0..=1.0)?;
    within("evaluation.resamples", evaluation.resamples as f64, 1.0..=MOST_RESAMPLES as f64)?;
    at_least("evaluation.ks", evaluation.ks.len(), 1)?;
    evaluation.ks.iter().try_for_each(|k| at_least("evaluation.ks", *k, 1))?;
    dataset.limit.map_or(Ok(()), |limit| at_least("dataset.limit", limit, 1))?;
    gates(settings).map_err(|error| unusable(&format!("`[gates]`: {error}"), Some(error.hint())))?;
    check_lists(settings)
}

fn check_lists(settings: &Settings) -> Result<(), SettingsError> {
    let twice = |key, value: String| SettingsError::OutOfRange { key, value, why: "it stands there twice".to_owned() };
    let retrievers = &settings.retrieval.retrievers;
    if let Some(name) = retrievers.iter().enumerate().find(|(at, name)| retrievers[..*at].contains(name)) {
        return Err(twice("retrieval.retrievers", format!("{:?}", name.1).to_lowercase()));
    }
    let arms = &settings.evaluation.arms;
    if let Some(arm) = arms.iter().enumerate().find(|(at, arm)| arms[..*at].contains(arm)) {
        return Err(twice("evaluation.arms", format!("{:?}", arm.1)));
    }
    if arms.first() != Some(&ArmSetting::Retrieved) {
        let why = "its first arm must be `retrieved`".to_owned();
        return Err(SettingsError::OutOfRange { key: "evaluation.arms", value: format!("{arms:?}"), why });
    }
    Ok(())
}

fn chunk_spec(settings: &Settings) -> Result<ChunkSpec, SettingsError> {
    let chunking = &settings.chunking;
    let separators = chunking.separators.clone();
    ChunkSpec::new(chunking.strategy, chunking.size, chunking.overlap, separators, chunking.tokenizer)
        .map_err(|error| unusable(&error.to_string(), Some(error.hint())))
}

fn bm25_parameters(settings: &Settings) -> Result<Bm25Parameters, SettingsError> {
    let bm25 = &settings.retrieval.bm25;
    Bm25Parameters::new(bm25.variant, bm25.k1, bm25.b, bm25.delta)
        .map_err(|error| unusable(&error.to_string(), error.hint().or_else(|| Some(SEE_DEFAULTS.to_owned()))))
}

/// What `--offline` says to an address elsewhere, without what of it may be secret.
fn not_here(key: &str, url: &str) -> SettingsError {
    let message = format!("`{key}`: --offline refuses `{}`: it is not on this machine", address::shown_url(url));
    unusable(&message, Some("name a service on this machine, or leave --offline out".to_owned()))
}

/// What to do about a value that a part refuses without advice of its own.
const SEE_DEFAULTS: &str = "`ragxray config show` prints every setting with its default";

fn unusable(message: &str, hint: Option<String>) -> SettingsError {
    SettingsError::Unusable { message: message.to_owned(), hint }
}

fn template(resolved: &Resolved) -> Result<Template, LlmError> {
    let name = &resolved.settings.generation.prompt;
    if Template::BUILT_IN.iter().any(|(known, _)| known == name) {
        return Template::load(name);
    }
    Template::load(&resolved.base().join(name).to_string_lossy())
}

fn generator(resolved: &Resolved, environment: &Environment) -> Result<Option<Arc<dyn Generator>>, AssembleError> {
    let generation = &resolved.settings.generation;
    match generation.generator {
        GeneratorName::None => Ok(None),
        GeneratorName::Extractive => Ok(Some(Arc::new(Extractive))),
        GeneratorName::Openai => {
            if environment.offline && !address::is_on_this_machine(&generation.base_url) {
                return Err(not_here("generation.base_url", &generation.base_url).into());
            }
            let settings = OpenAiSettings {
                base_url: generation.base_url.clone(),
                model: generation.model.clone(),
                api_key: key(generation.api_key_env.as_deref(), "generation.api_key_env", environment)?
                    .map(Secret::new),
                headers: Vec::new(),
                extra_body: generation.extra_body.clone(),
                temperature: Some(generation.temperature),
                top_p: generation.top_p,
                seed: generation.seed,
                max_tokens: Some(generation.max_tokens),
                stop: generation.stop.clone(),
                timeout: Duration::from_secs_f64(generation.timeout_s),
                concurrency: generation.concurrency,
                ca_file: generation.ca_file.as_ref().map(|path| resolved.base().join(path)),
            };
            Ok(Some(Arc::new(openai::connect(&settings)?)))
        }
    }
}

fn key(name: Option<&str>, key: &'static str, environment: &Environment) -> Result<Option<String>, SettingsError> {
    let Some(name) = name else { return Ok(None) };
    let value = (environment.variable)(name).filter(|value| !value.is_empty());
    value.map(Some).ok_or_else(|| SettingsError::NoKey { name: name.to_owned(), key })
}

fn vector_place(settings: &Settings, environment: &Environment) -> Result<VectorPlace, SettingsError> {
    let store = &settings.vector_store;
    match store.kind {
        VectorStoreKind::Embedded => {
            let base = environment.scratch.as_ref().unwrap_or(&environment.cache_dir);
            Ok(VectorPlace::Embedded(base.join("collections")))
        }
        VectorStoreKind::Server if environment.offline && !address::is_on_this_machine(&store.url) => {
            Err(not_here("vector_store.url", &store.url))
        }
        VectorStoreKind::Server => Ok(VectorPlace::Server(Server {
            url: store.url.clone(),
            api_key: key(store.api_key_env.as_deref(), "vector_store.api_key_env", environment)?,
            timeout: Duration::from_mins(1),
        })),
    }
}

async fn locate_model(
    resolved: &Resolved,
    environment: &Environment,
    on_download: OnDownload<'_>,
) -> Result<Checkpoint, CheckpointError> {
    let dense = &resolved.settings.retrieval.dense;
    let model = match &dense.model_path {
        Some(path) => ModelRef::NamedIn(dense.model.clone(), resolved.base().join(path)),
        None => match ModelRef::parse(&dense.model) {
            ModelRef::Folder(folder) if folder.is_relative() => ModelRef::Folder(resolved.base().join(folder)),
            named => named,
        },
    };
    let source =
        Source { cache_dir: environment.cache_dir.clone(), hub: environment.hub.clone(), offline: environment.offline };
    source::locate(&model, &source, on_download).await
}

fn encoder(
    settings: &Settings,
    checkpoint: Checkpoint,
    environment: &Environment,
    cache: &mut Option<Arc<Cached>>,
) -> Result<Arc<dyn Encoder>, EmbedError> {
    let dense = &settings.retrieval.dense;
    let options = LocalOptions {
        query_prefix: Some(dense.query_prefix.clone()).filter(|prefix| !prefix.is_empty()),
        passage_prefix: Some(dense.passage_prefix.clone()).filter(|prefix| !prefix.is_empty()),
        ..LocalOptions::default()
    };
    let local: Arc<dyn Encoder> = Arc::new(Local::open(checkpoint, options)?);
    if environment.scratch.is_some() {
        return Ok(local);
    }
    let cached = Arc::new(Cached::open(local, &environment.cache_dir.join("vectors.sqlite"))?);
    *cache = Some(Arc::clone(&cached));
    Ok(cached)
}

fn model_record(settings: &Settings, checkpoint: &Checkpoint) -> ModelRecord {
    let sha256 = checkpoint.files.iter().cloned().collect();
    ModelRecord { role: "dense".to_owned(), name: settings.retrieval.dense.model.clone(), sha256 }
}

fn chunk_counter(settings: &Settings, checkpoint: Option<&Checkpoint>) -> Result<Arc<dyn TokenCounter>, SettingsError> {
    let tokenizer = settings.chunking.tokenizer;
    let bytes = match checkpoint.filter(|_| tokenizer == Tokenizer::Model) {
        Some(checkpoint) => Some(read_tokenizer(&checkpoint.folder)?),
        None => None,
    };
    tokens::counter(tokenizer, bytes.as_deref())
        .map_err(|error| unusable(&format!("`chunking.tokenizer`: {error}"), Some(error.hint())))
}

fn read_tokenizer(folder: &Path) -> Result<Vec<u8>, SettingsError> {
    let path = folder.join("tokenizer.json");
    std::fs::read(&path).map_err(|source| SettingsError::Unreadable { path, source })
}

fn prompt_counter() -> Result<Arc<dyn TokenCounter>, SettingsError> {
    tokens::counter(Tokenizer::Cl100kBase, None)
        .map_err(|error| unusable(&format!("`generation.context_tokens`: {error}"), Some(error.hint())))
}

/// Questions in work at once: calls for an endpoint, two a core for local work (one may wait for the vector engine).
fn concurrency(settings: &Settings) -> usize {
    match settings.generation.generator {
        GeneratorName::Openai => settings.generation.concurrency,
        GeneratorName::Extractive | GeneratorName::None => 2 * rayon::current_num_threads(),
    }
}

fn stage(name: RetrieverName) -> Stage {
    match name {
        RetrieverName::Bm25 => Stage::Bm25,
        RetrieverName::Dense => Stage::Dense,
    }
}

fn arm_name(arm: ArmSetting) -> ArmName {
    match arm {
        ArmSetting::Retrieved => ArmName::Retrieved,
        ArmSetting::Oracle => ArmName::Oracle,
        ArmSetting::ClosedBook => ArmName::ClosedBook,
    }
}
