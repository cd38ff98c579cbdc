//! Assembles the components of a pipeline from its configuration.

mod collection;
mod environment;
mod evaluation;
mod external;
mod generation;
pub(crate) mod judge;
pub mod probe;
pub(crate) mod prompt;
pub mod recipients;
mod retrieval;

use std::path::Path;
use std::sync::Arc;

use sha2::{Digest, Sha256};

pub use self::environment::Environment;
pub use self::evaluation::{check, evaluation, gates};
pub use self::external::{RecordConditions, record_conditions, recorded, service};
pub use self::generation::most_completion_tokens;
use self::generation::{allowance, cached, calls, concurrency, generator};
pub use self::judge::{AssembledJudge, judge};
use self::prompt::{prompt_counter, template};
use self::retrieval::Wiring;
use super::resolve::unreadable;
use super::{Resolved, Settings, cache_folder};
use crate::Error;
use crate::answerer::Answerer;
use crate::error::SEE_SCHEMA;
use crate::generate::Calls;
use crate::plan::{Plan, PlannedCondition, PromptPlan};
use ragtriage_clients::embed::CachedEncoder;
use ragtriage_clients::fetch::OnDownload;
use ragtriage_clients::llm::Allowance;
use ragtriage_core::chunk::{ChunkSpec, Strategy};
use ragtriage_core::hint::Hint;
use ragtriage_core::text::hex::hex;
use ragtriage_core::text::tokens::{self, TokenCounter, Tokenizer};
use ragtriage_data::run::external::chunks;
use ragtriage_data::run::external::input::Input;
use ragtriage_data::run::{ModelRecord, read_file};

/// A plan with the records of its components for the run's manifest.
pub struct Assembled {
    /// The assembled plan.
    pub plan: Plan,
    /// Models with their hashes.
    pub models: Vec<ModelRecord>,
    /// The vector caches, for their counts.
    pub vector_caches: Vec<Arc<CachedEncoder>>,
    /// The generator's spending limit, if configured; add the amount that a resumed run has already spent.
    pub allowance: Option<Arc<Allowance>>,
}

/// Assembles the components. Downloads missing models.
///
/// # Errors
/// A setting out of range, an unset key, an unavailable model, an invalid endpoint address.
pub async fn assemble(
    resolved: &Resolved,
    environment: &Environment,
    on_download: OnDownload<'_>,
) -> Result<Assembled, Error> {
    let settings = &resolved.settings;
    check(settings)?;
    let chunking = chunk_spec(resolved)?;
    let template = template(resolved)?;
    let allowance = allowance(&settings.generation)?;
    let mut wiring = Wiring::new(resolved, environment, on_download);
    // Before retrieval, which may download models; recorded after them.
    let generator = generator(&mut wiring, allowance.clone())?;
    let mut generators = std::mem::take(&mut wiring.models);
    let (chunk_counter, chunk_counter_id) = chunk_counter(&wiring).await?;
    if let (Some(chunks), Some(file)) = (chunking.foreign(), &settings.chunking.file) {
        let sha256 = chunks.sha256();
        let name = file.display().to_string();
        generators.push(ModelRecord {
            role: "chunks".to_owned(),
            sha256: [(name.clone(), sha256)].into(),
            name,
        });
    }
    let retrieval = wiring.retrieval().await?;
    let Wiring { mut models, caches, .. } = wiring;
    models.extend(generators);
    let generator = generator.map(|it| cached(it, environment)).transpose()?;
    let counter = prompt_counter()?;
    let plan = Plan {
        chunking,
        chunk_counter,
        chunk_counter_id,
        chunk_cache: environment.cached(cache_folder::CHUNKS),
        title_prefix: settings.chunking.title_prefix,
        retrieval,
        prompt: PromptPlan {
            template,
            counter: Arc::clone(&counter),
            context_tokens: settings.generation.context_tokens,
        },
        rewrites: settings.retrieval.rewrite,
        concurrency: concurrency(settings),
        calls: generator.map(|generator| {
            let (price, at_once) = (settings.generation.price, calls(settings));
            Calls::new(Answerer::Generator(generator), counter, price, at_once)
        }),
        conditions: condition_plan(settings),
    };
    Ok(Assembled { plan, models, vector_caches: caches, allowance })
}

fn chunk_spec(resolved: &Resolved) -> Result<ChunkSpec, Error> {
    let chunking = &resolved.settings.chunking;
    if let (Strategy::File, Some(file)) = (chunking.strategy, &chunking.file) {
        let chunks = chunks::read(&Input::read(&resolved.base().join(file))?)?;
        return Ok(ChunkSpec::of_file(Arc::new(chunks), chunking.tokenizer));
    }
    ChunkSpec::new(chunking.strategy, chunking.size, chunking.overlap, chunking.tokenizer)
        .map_err(Error::from)
}

/// Returns the counter of a chunk's size and its identity; `model`: the dense encoder's tokenizer.
async fn chunk_counter(wiring: &Wiring<'_>) -> Result<(Arc<dyn TokenCounter>, String), Error> {
    let settings = &wiring.resolved.settings;
    let tokenizer = settings.chunking.tokenizer;
    let bytes = if tokenizer == Tokenizer::Model {
        let checkpoint = wiring.locate(&settings.retrieval.dense.model).await?;
        Some(read_tokenizer(&checkpoint.folder)?)
    } else {
        None
    };
    let counter = tokens::counter(tokenizer, bytes.as_deref()).map_err(|error| {
        Error::setting(format!("`chunking.tokenizer`: {error}"))
            .with_hint(error.hint().unwrap_or_else(|| SEE_SCHEMA.to_owned()))
    })?;
    Ok((counter, bytes.map(|bytes| hex(&Sha256::digest(bytes))).unwrap_or_default()))
}

fn read_tokenizer(folder: &Path) -> Result<Vec<u8>, Error> {
    let path = folder.join("tokenizer.json");
    read_file(&path).map_err(|error| unreadable(&path, &error))
}

fn condition_plan(settings: &Settings) -> PlannedCondition {
    let evaluation = &settings.evaluation;
    PlannedCondition { names: evaluation.conditions.clone(), seed: evaluation.seed }
}
