//! Assembles the generator: an endpoint with its key, retry policy and spending limits, or recorded responses.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::environment::Environment;
use super::error::{AssembleError, unusable};
use super::prompt::prompt_counter;
use super::retrieval::Wiring;
use crate::settings::{Resolved, Settings, SettingsError, cache_folder};
use ragtriage_core::config::{GenerationSettings, GeneratorName, OutOfRange, Price};
use ragtriage_http::ServiceNames;
use ragtriage_models::llm::openai::{self, OpenAiSettings};
use ragtriage_models::llm::{
    Allowance, CachedGenerator, Generator, Limits, RecordedResponses, Secret,
};
use ragtriage_models::services::GENERATION;

/// A prompt's deadline in units of the time for one call.
const CALLS_A_PROMPT: f64 = 3.0;
/// Minimum deadline of a prompt, in seconds: rate limits are mostly per minute, so this outlasts two of them.
const LEAST_DEADLINE_S: f64 = 180.0;

/// The names of the settings of keys, by service.
const GENERATION_KEYS: [&str; 2] = ["generation.api_key_env", "generation.headers_env"];
const JUDGE_KEYS: [&str; 2] = ["judge.api_key_env", "judge.headers_env"];

/// Creates the generator and records its model; `allowance`: the spending limit of an endpoint.
pub(super) fn generator(
    wiring: &mut Wiring<'_>,
    allowance: Option<Arc<Allowance>>,
) -> Result<Option<Arc<dyn Generator>>, AssembleError> {
    let resolved = wiring.resolved;
    let generation = &resolved.settings.generation;
    if generation.generator != GeneratorName::Recorded {
        return one(generation.generator, wiring, allowance);
    }
    let fallback = match generation.fallback {
        Some(name) => one(name, wiring, allowance)?,
        None => None,
    };
    let responses = generation.responses.as_ref().ok_or_else(|| {
        let hint = "name the file of recorded responses";
        unusable("`generation.responses` is not set", Some(hint.to_owned()))
    })?;
    let path = resolved.base().join(responses);
    let recorded = RecordedResponses::open(&path, fallback)?;
    wiring.record("generator", recorded.name(), None);
    Ok(Some(Arc::new(recorded)))
}

/// Creates a generator that is not `recorded`.
fn one(
    name: GeneratorName,
    wiring: &mut Wiring<'_>,
    allowance: Option<Arc<Allowance>>,
) -> Result<Option<Arc<dyn Generator>>, AssembleError> {
    let generator: Arc<dyn Generator> = match name {
        GeneratorName::None | GeneratorName::Recorded => return Ok(None),
        GeneratorName::Openai => {
            openai::connect(&endpoint(wiring.resolved, wiring.environment)?, allowance)?
        }
    };
    wiring.record("generator", generator.name(), None);
    Ok(Some(generator))
}

/// Returns the settings of the generator's endpoint.
pub(super) fn endpoint(
    resolved: &Resolved,
    environment: &Environment,
) -> Result<OpenAiSettings, SettingsError> {
    let generation = &resolved.settings.generation;
    environment.check_address("generation.base_url", &generation.base_url)?;
    openai_settings(generation, &GENERATION, &resolved.base(), environment)
}

/// Wraps the generator in a response cache, whose new responses are labelled with `dataset`, unless caching is off: repeats
/// measure the variation of responses.
pub(super) fn cached(
    generator: Arc<dyn Generator>,
    repeat: usize,
    dataset: String,
    environment: &Environment,
) -> Result<Arc<dyn Generator>, AssembleError> {
    if generator.fingerprint().is_none() || environment.scratch.is_some() || repeat > 1 {
        return Ok(generator);
    }
    let path = environment.cache_dir.join(cache_folder::REPLIES);
    let cached = CachedGenerator::open(generator, &path, dataset, &environment.notices);
    Ok(Arc::new(cached.map_err(AssembleError::Responses)?))
}

pub(super) fn openai_settings(
    generation: &GenerationSettings,
    names: &'static ServiceNames,
    base: &Path,
    environment: &Environment,
) -> Result<OpenAiSettings, SettingsError> {
    let [api_key_env, headers_env] =
        if names.table == GENERATION.table { GENERATION_KEYS } else { JUDGE_KEYS };
    let api_key = environment.key(generation.api_key_env.as_deref(), api_key_env)?;
    let deadline_s = generation
        .deadline_s
        .unwrap_or((CALLS_A_PROMPT * generation.timeout_s).max(LEAST_DEADLINE_S));
    Ok(OpenAiSettings {
        names,
        base_url: generation.base_url.clone(),
        model: generation.model.clone(),
        api_key: api_key.map(Secret::new),
        headers: headers(&generation.headers_env, headers_env, environment)?,
        extra_body: generation.extra_body.clone(),
        temperature: Some(generation.temperature),
        top_p: generation.top_p,
        seed: generation.seed,
        max_tokens: Some(generation.max_tokens),
        stop: generation.stop.clone(),
        timeout: Duration::from_secs_f64(generation.timeout_s),
        deadline: Duration::from_secs_f64(deadline_s),
        concurrency: generation.concurrency,
        ca_file: generation.ca_file.as_ref().map(|path| base.join(path)),
    })
}

/// Returns request headers with the values of their environment variables, configured under `key`.
pub(super) fn headers(
    configured: &BTreeMap<String, String>,
    key: &'static str,
    environment: &Environment,
) -> Result<Vec<(String, Secret)>, SettingsError> {
    let headers = configured.iter().map(|(header, variable)| {
        let value = environment.key(Some(variable), key)?.unwrap_or_default();
        Ok((header.clone(), Secret::new(value)))
    });
    headers.collect()
}

/// Returns the maximum number of tokens of an answer.
#[must_use]
pub fn most_completion_tokens(generation: &GenerationSettings) -> u64 {
    let most = openai::most_completion_tokens(&generation.extra_body, Some(generation.max_tokens));
    most.unwrap_or_default()
}

/// Creates the spending limit of an endpoint, if configured.
pub(super) fn allowance(
    generation: &GenerationSettings,
    names: &'static ServiceNames,
) -> Result<Option<Arc<Allowance>>, SettingsError> {
    let limits = Limits { usd: generation.max_usd, tokens: generation.max_tokens_total };
    if !generation.calls_endpoint() || limits == Limits::default() {
        return Ok(None);
    }
    let price = generation.price;
    if let Some(usd) = limits.usd.filter(|_| price == Price::default()) {
        let table = names.table;
        return Err(OutOfRange {
            name: format!("{table}.max_usd").into(),
            value: usd.to_string(),
            problem: format!("but no call has a price: set `{table}.price`").into(),
        }
        .into());
    }
    Ok(Some(Arc::new(Allowance::new(
        limits,
        price,
        prompt_counter()?,
        most_completion_tokens(generation),
        names,
    ))))
}

/// Returns the number of questions processed concurrently: for an endpoint twice the number of calls, so that a prompt is ready
/// whenever a call ends; for local work the same number.
pub(super) fn concurrency(settings: &Settings) -> usize {
    if settings.generation.calls_endpoint() { 2 * calls(settings) } else { calls(settings) }
}

/// Returns the number of concurrent generator calls: a maximum for an endpoint, two per core for local work (one may wait
/// for the vector engine).
pub(super) fn calls(settings: &Settings) -> usize {
    if settings.generation.calls_endpoint() {
        settings.generation.concurrency
    } else {
        2 * rayon::current_num_threads()
    }
}
