//! Reassembles the generator of a finished run from the settings in its manifest.

use std::sync::Arc;

use super::environment::Environment;
use super::error::AssembleError;
use super::evaluation::check;
use super::generation::{GENERATION, allowance, calls, generator, keep_replies};
use super::prompt::{prompt_counter, template};
use super::retrieval::Wiring;
use crate::cross::Reader;
use crate::settings::Resolved;
use ragtriage_eval::compare::cross::PromptMaker;
use ragtriage_models::llm::Generator;

/// Returns the generator with its template, spending limits and response cache, as `assemble` does; `None` for a run without one.
///
/// # Errors
/// A setting out of range, a cache that cannot be opened, an unset key, a missing template, an invalid address.
pub async fn reader(
    resolved: &Resolved,
    environment: &Environment,
) -> Result<Option<Reader>, AssembleError> {
    let settings = &resolved.settings;
    check(settings)?;
    let mut wiring = Wiring::new(resolved, environment, &|_| {});
    let allowance = allowance(&settings.generation, GENERATION)?;
    let Some(generator) = generator(&mut wiring, allowance).await? else {
        return Ok(None);
    };
    let replies = keep_replies(
        Arc::clone(&generator),
        settings.generation.repeat,
        settings.dataset.label(),
        environment,
    )?;
    let generator = replies.map_or(generator, |replies| replies as Arc<dyn Generator>);
    let prompts = PromptMaker {
        generator: generator.name().to_owned(),
        fingerprint: generator.fingerprint().map(str::to_owned),
        template: template(resolved)?,
        counter: prompt_counter()?,
    };
    Ok(Some(Reader {
        generator,
        prompts: Arc::new(prompts),
        price: settings.generation.price,
        concurrency: calls(settings),
    }))
}
