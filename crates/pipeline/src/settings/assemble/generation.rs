//! Assembles the generator: an endpoint with its key and spending limit, or recorded responses.

use std::sync::Arc;

use super::environment::Environment;
use super::prompt::prompt_counter;
use super::retrieval::Wiring;
use crate::Error;
use crate::settings::{Resolved, Settings, cache_folder};
use ragtriage_clients::http::{GENERATION, ServiceNames};
use ragtriage_clients::llm::openai::{self, OpenAi, OpenAiSettings};
use ragtriage_clients::llm::{Allowance, CachedGenerator, Generator, RecordedResponses};
use ragtriage_core::config::{GenerationSettings, GeneratorName, OutOfRange, Price};
use ragtriage_core::hint::Hint;

/// Creates the generator and records its model; `allowance`: the spending limit of an endpoint.
pub(super) fn generator(
    wiring: &mut Wiring<'_>,
    allowance: Option<Arc<Allowance>>,
) -> Result<Option<Arc<dyn Generator>>, Error> {
    let resolved = wiring.resolved;
    let generation = &resolved.settings.generation;
    let generator: Arc<dyn Generator> = match generation.generator {
        GeneratorName::None => return Ok(None),
        GeneratorName::Openai => {
            Arc::new(OpenAi::new(&endpoint(resolved, wiring.environment)?, allowance)?)
        }
        GeneratorName::Recorded => {
            let responses = generation.responses.as_ref().ok_or_else(|| {
                let hint = "name the file of recorded responses";
                Error::setting("`generation.responses` is not set").with_hint(hint)
            })?;
            Arc::new(RecordedResponses::open(&resolved.base().join(responses))?)
        }
    };
    wiring.record("generator", generator.name(), None);
    Ok(Some(generator))
}

/// Returns the settings of the generator's endpoint.
///
/// # Errors
/// An unset key; an address on another machine in offline mode.
pub fn endpoint(resolved: &Resolved, environment: &Environment) -> Result<OpenAiSettings, Error> {
    let GenerationSettings { base_url, api_key_env, headers_env, .. } =
        &resolved.settings.generation;
    let generation = &resolved.settings.generation;
    let key = api_key_env.as_ref();
    Ok(OpenAiSettings {
        endpoint: environment.endpoint(&GENERATION, base_url, key, headers_env, resolved)?,
        model: generation.model.clone(),
        extra_body: generation.extra_body.clone(),
        temperature: generation.temperature,
        max_tokens: generation.max_tokens,
    })
}

/// Wraps the generator in a response cache, unless caching is off.
pub(super) fn cached(
    generator: Arc<dyn Generator>,
    environment: &Environment,
) -> Result<Arc<dyn Generator>, Error> {
    if generator.fingerprint().is_none() || environment.scratch.is_some() {
        return Ok(generator);
    }
    let path = environment.cache_dir.join(cache_folder::REPLIES);
    let cached = CachedGenerator::open(generator, &path, &environment.notices);
    let cached = cached.map_err(|error| {
        let hint = error.hint().unwrap_or_default();
        Error::from(error).with_hint(format!(
            "{hint}, but its responses are paid for again; use `--no-cache` to run without the cache"
        ))
    })?;
    Ok(Arc::new(cached))
}

/// Returns the maximum number of tokens of an answer.
#[must_use]
pub fn most_completion_tokens(generation: &GenerationSettings) -> u64 {
    openai::most_completion_tokens(&generation.extra_body, generation.max_tokens)
}

/// Creates the spending limit of the generator's endpoint, if configured.
pub(super) fn allowance(generation: &GenerationSettings) -> Result<Option<Arc<Allowance>>, Error> {
    if !generation.calls_endpoint() {
        return Ok(None);
    }
    let most_tokens = most_completion_tokens(generation);
    limited(&GENERATION, generation.max_usd, generation.price, most_tokens)
}

/// Creates the spending limit of an endpoint, if there is one.
pub(super) fn limited(
    names: &'static ServiceNames,
    max_usd: Option<f64>,
    price: Price,
    most_completion_tokens: u64,
) -> Result<Option<Arc<Allowance>>, Error> {
    let Some(usd) = max_usd else {
        return Ok(None);
    };
    if price == Price::default() {
        let table = names.table;
        return Err(OutOfRange {
            name: format!("{table}.max_usd").into(),
            value: usd.to_string(),
            problem: format!("but no call has a price: set `{table}.price`").into(),
        }
        .into());
    }
    let counter = prompt_counter()?;
    Ok(Some(Arc::new(Allowance::new(usd, price, counter, most_completion_tokens, names))))
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
        settings.http.concurrency
    } else {
        2 * rayon::current_num_threads()
    }
}
