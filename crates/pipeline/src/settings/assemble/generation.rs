//! Assembles the generator: an endpoint with its key, retry policy and spending limits, or recorded responses.

use std::sync::Arc;
use std::time::Duration;

use super::environment::{Client, Environment};
use super::prompt::prompt_counter;
use super::retrieval::Wiring;
use crate::Error;
use crate::settings::{Resolved, Settings, cache_folder};
use ragtriage_clients::http::ServiceNames;
use ragtriage_clients::llm::openai::{self, OpenAiSettings};
use ragtriage_clients::llm::{Allowance, CachedGenerator, Generator, Limits, RecordedResponses};
use ragtriage_clients::services::GENERATION;
use ragtriage_core::config::{GenerationSettings, GeneratorName, OutOfRange, Price};
use ragtriage_core::hint::Hint;
use serde_json::Map;

/// A prompt's deadline in units of the time for one call.
const CALLS_A_PROMPT: f64 = 3.0;
/// Minimum deadline of a prompt, in seconds: rate limits are mostly per minute, so this outlasts two of them.
const LEAST_DEADLINE_S: f64 = 180.0;

/// Creates the generator and records its model; `allowance`: the spending limit of an endpoint.
pub(super) fn generator(
    wiring: &mut Wiring<'_>,
    allowance: Option<Arc<Allowance>>,
) -> Result<Option<Arc<dyn Generator>>, Error> {
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
        Error::setting("`generation.responses` is not set").with_hint(hint)
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
) -> Result<Option<Arc<dyn Generator>>, Error> {
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
///
/// # Errors
/// An unset key; an address on another machine in offline mode.
pub fn endpoint(resolved: &Resolved, environment: &Environment) -> Result<OpenAiSettings, Error> {
    let generation = &resolved.settings.generation;
    let client = environment.client(&generation.service(), &resolved.base())?;
    let deadline_s = generation
        .deadline_s
        .unwrap_or((CALLS_A_PROMPT * generation.timeout_s).max(LEAST_DEADLINE_S));
    Ok(OpenAiSettings {
        model: generation.model.clone(),
        extra_body: generation.extra_body.clone(),
        temperature: Some(generation.temperature),
        max_tokens: Some(generation.max_tokens),
        deadline: Duration::from_secs_f64(deadline_s),
        ..chat(&GENERATION, client)
    })
}

/// Returns the settings of a chat endpoint whose model and request are still to be named.
pub(super) fn chat(names: &'static ServiceNames, client: Client) -> OpenAiSettings {
    let Client { url, api_key, headers, timeout, concurrency, ca_file, backoff: _ } = client;
    let deadline_s = (CALLS_A_PROMPT * timeout.as_secs_f64()).max(LEAST_DEADLINE_S);
    OpenAiSettings {
        names,
        base_url: url,
        model: String::new(),
        api_key,
        headers,
        extra_body: Map::new(),
        temperature: None,
        max_tokens: None,
        timeout,
        deadline: Duration::from_secs_f64(deadline_s),
        concurrency,
        ca_file,
    }
}

/// Wraps the generator in a response cache, whose new responses are labelled with `dataset`, unless caching is off.
pub(super) fn cached(
    generator: Arc<dyn Generator>,
    dataset: String,
    environment: &Environment,
) -> Result<Arc<dyn Generator>, Error> {
    if generator.fingerprint().is_none() || environment.scratch.is_some() {
        return Ok(generator);
    }
    let path = environment.cache_dir.join(cache_folder::REPLIES);
    let (since, notices) = (environment.resumed_since, &environment.notices);
    let cached = CachedGenerator::open(generator, &path, dataset, since, notices);
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
    let most = openai::most_completion_tokens(&generation.extra_body, Some(generation.max_tokens));
    most.unwrap_or_default()
}

/// Creates the spending limit of the generator's endpoint, if configured.
pub(super) fn allowance(generation: &GenerationSettings) -> Result<Option<Arc<Allowance>>, Error> {
    if !generation.calls_endpoint() {
        return Ok(None);
    }
    let limits = Limits { usd: generation.max_usd, tokens: generation.max_tokens_total };
    limited(&GENERATION, limits, generation.price, most_completion_tokens(generation))
}

/// Creates the spending limit of an endpoint, if there is one.
pub(super) fn limited(
    names: &'static ServiceNames,
    limits: Limits,
    price: Price,
    most_completion_tokens: u64,
) -> Result<Option<Arc<Allowance>>, Error> {
    if limits == Limits::default() {
        return Ok(None);
    }
    if let Some(usd) = limits.usd.filter(|_| price == Price::default()) {
        let table = names.table;
        return Err(OutOfRange {
            name: format!("{table}.max_usd").into(),
            value: usd.to_string(),
            problem: format!("but no call has a price: set `{table}.price`").into(),
        }
        .into());
    }
    let counter = prompt_counter()?;
    Ok(Some(Arc::new(Allowance::new(limits, price, counter, most_completion_tokens, names))))
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
