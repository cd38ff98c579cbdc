//! Settings to wired parts: the one place that knows which setting makes which part.

mod generation;
mod reader;
pub mod recipients;
mod retrieval;

use ragtriage_core::hint::Hint;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use sha2::{Digest, Sha256};

pub use self::generation::terms;
use self::generation::{allowance, generator, keep_replies, most_concurrency};
pub use self::reader::reader;
use self::retrieval::Wiring;
use super::{Resolved, Settings, SettingsError};
use crate::ask::FAILURES_IN_A_ROW;
use crate::plan::{ArmPlan, Plan, PromptPlan};
use crate::recorded::RecordedPlan;
use crate::settings::cache_folder::ScratchFolder;
use ragtriage_core::attribute::judge::Judge;
use ragtriage_core::chunk::ChunkSpec;
use ragtriage_core::config::{GeneratorName, MOST_RESAMPLES};
use ragtriage_core::measure::{Cutoff, Family, Measure};
use ragtriage_core::prompt::Template;
use ragtriage_core::text::address;
use ragtriage_core::text::hex::hex;
use ragtriage_core::text::tokens::{self, TokenCounter, Tokenizer};
use ragtriage_datasets::LoadSpec;
use ragtriage_encoder::checkpoint::CheckpointError;
use ragtriage_eval::gate::{Gate, GateBound, GateError};
use ragtriage_eval::summary::EvaluationPlan;
use ragtriage_http::OnDownload;
use ragtriage_models::cache::CacheError;
use ragtriage_models::embed::{CachedEncoder, EmbedError};
use ragtriage_models::llm::{Allowance, CachedReplies, Generator, LlmError, load_template};
use ragtriage_models::rerank::RerankError;
use ragtriage_models::service::{Rag, Service, ServiceError, ServiceSettings};
use ragtriage_runs::ModelRecord;

/// What the machine gives: read once in the shell, so that nothing below looks at the environment.
pub struct Environment {
    /// Where models, vectors, collections and replies are kept.
    pub cache_dir: PathBuf,
    /// The Hugging Face hub's address.
    pub hub: String,
    /// Whether every connection that is not loopback is refused.
    pub offline: bool,
    /// Present where no cache is read or written; holds the collections of this process.
    pub scratch: Option<ScratchFolder>,
    /// An environment variable's value.
    pub variable: fn(&str) -> Option<String>,
}

/// A plan with what the run's record says of its parts.
pub struct Assembled {
    /// The wired parts.
    pub plan: Plan,
    /// Models with their hashes.
    pub models: Vec<ModelRecord>,
    /// The vector caches, for their counts.
    pub vector_caches: Vec<Arc<CachedEncoder>>,
    /// The generator's, for its failure.
    pub replies: Option<Arc<CachedReplies>>,
    /// What the generator may cost, where that is limited: to be told what a resumed run has spent already.
    pub allowance: Option<Arc<Allowance>>,
}

/// Why parts could not be wired.
#[derive(Debug, thiserror::Error)]
pub enum AssembleError {
    /// A setting.
    #[error(transparent)]
    Settings(#[from] SettingsError),
    /// A model.
    #[error(transparent)]
    Checkpoint(#[from] CheckpointError),
    /// The encoder.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// The reranker.
    #[error(transparent)]
    Rerank(#[from] RerankError),
    /// The generator.
    #[error(transparent)]
    Llm(#[from] LlmError),
    /// The generator's replies.
    #[error(transparent)]
    Replies(#[from] CacheError),
    /// The service that is asked instead of our own pipeline.
    #[error(transparent)]
    Service(#[from] ServiceError),
}

impl Hint for AssembleError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Settings(error) => error.hint(),
            Self::Checkpoint(error) => error.hint(),
            Self::Embed(error) => error.hint(),
            Self::Rerank(error) => error.hint(),
            Self::Llm(error) => error.hint(),
            Self::Replies(error) => error
                .hint()
                .map(|hint| format!("{hint}, but its responses are paid for again")),
            Self::Service(error) => error.hint(),
        }
    }
}

/// What a run's record and its kept replies call the data set.
#[must_use]
pub fn dataset_label(settings: &Settings) -> String {
    format!(
        "{} {}",
        settings.dataset.format,
        settings.dataset.path.display()
    )
}

/// Which data set the settings name; relative paths start from the settings file's folder.
#[must_use]
pub fn load_spec(resolved: &Resolved) -> LoadSpec {
    let dataset = &resolved.settings.dataset;
    LoadSpec {
        format: dataset.format,
        path: resolved.base().join(&dataset.path).components().collect(), // `docs/.` is `docs`
        split: dataset.split.clone(),
        missing_evidence: dataset.missing_evidence,
        globs: dataset.globs.clone(),
    }
}

/// Refuses values outside their range, and gates that no measure could meet.
fn check(settings: &Settings) -> Result<(), SettingsError> {
    settings.validate()?;
    gates(settings).map_err(|error| unusable(&format!("`[gates]`: {error}"), error.hint()))?;
    Ok(())
}

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
    let all = [
        (GateBound::Min, &gates.min),
        (GateBound::Max, &gates.max),
        (GateBound::MaxDrop, &gates.max_drop),
    ];
    let each = all
        .into_iter()
        .flat_map(|(bound, limits)| limits.iter().map(move |limit| (bound, limit)));
    each.map(|(bound, (measure, limit))| Gate::new(*measure, bound, *limit))
        .collect()
}

/// The standard measures at `ks`, `EM@k` and the rule of thumb's `EM@5`, and what was asked for besides; each once.
fn measures(settings: &Settings) -> Vec<Measure> {
    let evaluation = &settings.evaluation;
    let em = [settings.retrieval.k, 5].map(|k| Measure::new(Family::Em, Some(Cutoff::Top(k))));
    let further = evaluation
        .measures
        .iter()
        .copied()
        .chain(evaluation.primary);
    let all = Measure::standard(&evaluation.ks)
        .into_iter()
        .chain(em.into_iter().flatten())
        .chain(further);
    all.collect::<BTreeSet<Measure>>().into_iter().collect()
}

fn judge(settings: &Settings) -> Judge {
    Judge {
        scorer: settings.evaluation.scorer,
        correct_f1: settings.evaluation.correct_f1,
    }
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
    let template = template(resolved)?;
    let allowance = allowance(settings)?;
    let generator = generator(resolved, environment, allowance.clone())?;
    let mut wiring = Wiring::new(resolved, environment, on_download);
    let (chunk_counter, chunk_counter_id) = chunk_counter(&wiring).await?;
    let retrieval = wiring.retrieval().await?;
    let Wiring {
        mut models, caches, ..
    } = wiring;
    if let Some(generator) = &generator {
        let (role, name) = ("generator".to_owned(), generator.name().to_owned());
        models.push(ModelRecord {
            role,
            name,
            sha256: [].into(),
        });
    }
    let replies = generator
        .clone()
        .map(|generator| keep_replies(generator, settings, environment))
        .transpose()?
        .flatten();
    let plan = Plan {
        chunking,
        chunk_counter,
        chunk_counter_id,
        title_prefix: settings.chunking.title_prefix,
        retrieval,
        prompt: PromptPlan {
            template,
            counter: prompt_counter()?,
            context_tokens: settings.generation.context_tokens,
        },
        generator: replies
            .clone()
            .map(|replies| replies as Arc<dyn Generator>)
            .or(generator),
        concurrency: concurrency(settings),
        calls: calls(settings),
        arms: arm_plan(settings),
        price: settings.generation.price,
    };
    Ok(Assembled {
        plan,
        models,
        vector_caches: caches,
        replies,
        allowance,
    })
}

/// Wires what a record of somebody else's pipeline needs. What failed there says nothing of the next question.
///
/// # Errors
/// A setting out of range.
pub fn recorded(
    settings: &Settings,
    rag: Arc<dyn Rag>,
    concurrency: usize,
) -> Result<RecordedPlan, AssembleError> {
    check(settings)?;
    Ok(RecordedPlan {
        rag,
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
pub fn service(
    settings: &Settings,
    url: &str,
    environment: &Environment,
) -> Result<RecordedPlan, AssembleError> {
    check(settings)?;
    if environment.offline && !address::is_on_this_machine(url) {
        return Err(not_here("external.url", url).into());
    }
    let external = &settings.external;
    let service = Service::new(ServiceSettings {
        url: url.to_owned(),
        api_key: key(
            external.api_key_env.as_deref(),
            "external.api_key_env",
            environment,
        )?,
        timeout: Duration::from_secs_f64(external.timeout_s),
        retries: external.retries,
        answers: settings.generation.generator != GeneratorName::None,
    })?;
    let plan = recorded(settings, Arc::new(service), external.concurrency)?;
    Ok(RecordedPlan {
        most_failures: Some(FAILURES_IN_A_ROW),
        ..plan
    })
}

fn chunk_spec(settings: &Settings) -> Result<ChunkSpec, SettingsError> {
    let chunking = &settings.chunking;
    let separators = chunking.separators.clone();
    ChunkSpec::new(
        chunking.strategy,
        chunking.size,
        chunking.overlap,
        separators,
        chunking.tokenizer,
    )
    .map_err(|error| unusable(&error.to_string(), error.hint()))
}

/// Refuses an address elsewhere in offline mode.
fn not_here(key: &str, url: &str) -> SettingsError {
    SettingsError::NotLocal {
        key: key.to_owned(),
        url: address::shown_url(url),
    }
}

fn unusable(message: &str, hint: Option<String>) -> SettingsError {
    SettingsError::Unusable {
        message: message.to_owned(),
        hint,
    }
}

fn template(resolved: &Resolved) -> Result<Template, LlmError> {
    let name = &resolved.settings.generation.prompt;
    if Template::BUILT_IN.iter().any(|(known, _)| known == name) {
        return load_template(name);
    }
    load_template(&resolved.base().join(name).to_string_lossy())
}

fn key(
    name: Option<&str>,
    key: &'static str,
    environment: &Environment,
) -> Result<Option<String>, SettingsError> {
    let Some(name) = name else { return Ok(None) };
    let value = (environment.variable)(name).filter(|value| !value.is_empty());
    value.map(Some).ok_or_else(|| SettingsError::NoKey {
        name: name.to_owned(),
        key,
    })
}

/// The counter of a chunk's size, and what it depends on; `model`: the dense encoder's own.
async fn chunk_counter(
    wiring: &Wiring<'_>,
) -> Result<(Arc<dyn TokenCounter>, String), AssembleError> {
    let settings = &wiring.resolved.settings;
    let tokenizer = settings.chunking.tokenizer;
    let bytes = if tokenizer == Tokenizer::Model {
        let dense = &settings.retrieval.dense;
        let checkpoint = wiring
            .locate(&dense.model, dense.model_path.as_ref())
            .await?;
        Some(read_tokenizer(&checkpoint.folder)?)
    } else {
        None
    };
    let counter = tokens::counter(tokenizer, bytes.as_deref())
        .map_err(|error| unusable(&format!("`chunking.tokenizer`: {error}"), error.hint()))?;
    Ok((
        counter,
        bytes
            .map(|bytes| hex(&Sha256::digest(bytes)))
            .unwrap_or_default(),
    ))
}

fn read_tokenizer(folder: &Path) -> Result<Vec<u8>, SettingsError> {
    let path = folder.join("tokenizer.json");
    std::fs::read(&path).map_err(|source| SettingsError::Unreadable { path, source })
}

fn prompt_counter() -> Result<Arc<dyn TokenCounter>, SettingsError> {
    tokens::counter(Tokenizer::Cl100kBase, None).map_err(|error| {
        unusable(
            &format!("`generation.context_tokens`: {error}"),
            error.hint(),
        )
    })
}

/// Questions in work at once: for an endpoint twice as many as calls, so that a prompt is ready whenever a call ends; for local work
/// as many.
fn concurrency(settings: &Settings) -> usize {
    match settings.generation.generator {
        GeneratorName::Openai => 2 * calls(settings),
        GeneratorName::Extractive | GeneratorName::None => calls(settings),
    }
}

/// Calls of the generator at once: of an endpoint at most, of local work two a core (one may wait for the vector engine).
fn calls(settings: &Settings) -> usize {
    match settings.generation.generator {
        GeneratorName::Openai => most_concurrency(&settings.generation),
        GeneratorName::Extractive | GeneratorName::None => 2 * rayon::current_num_threads(),
    }
}

fn arm_plan(settings: &Settings) -> ArmPlan {
    let evaluation = &settings.evaluation;
    ArmPlan {
        names: evaluation.arms.clone(),
        repeat: settings.generation.repeat,
        closed_book_sample: evaluation.closed_book_sample,
        seed: evaluation.seed,
        noise_position: evaluation.noise_position,
    }
}
