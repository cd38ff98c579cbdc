//! Checks before a run that recorded responses cover its prompts.

use crate::dry_run::counted;
use crate::failure::Failure;
use crate::run::RunArgs;
use crate::sample::sample;
use ragtriage_core::config::GeneratorName;
use ragtriage_core::text::numbers::{percent_of, thousands};
use ragtriage_pipeline::ask::Done;
use ragtriage_pipeline::settings::Resolved;

/// Share of prompts without a response above which a run does not start, in percent.
const MOST_MISSING: u64 = 5;

/// Retrieves for every question that is not `done` and counts the prompts that have no recorded response.
///
/// # Errors
/// More than 5% of the prompts lack one.
pub async fn check(args: &RunArgs, resolved: &Resolved, done: &Done) -> Result<(), Failure> {
    let settings = &resolved.settings;
    let generation = &settings.generation;
    let is_recorded = generation.generator == GeneratorName::Recorded;
    if !is_recorded || settings.external.url.is_some() {
        return Ok(());
    }
    let mut dataset = ragtriage_data::dataset::load(&resolved.dataset())?;
    sample(&mut dataset, settings)?;
    let estimate = Box::pin(counted(args, resolved, dataset, done, 0)).await?;
    let prompts = estimate.prompts;
    if 100 * estimate.calls <= MOST_MISSING * prompts {
        return Ok(());
    }
    let [missing, prompts] = [estimate.calls, prompts].map(|n| n as usize);
    let responses = generation.responses.as_deref().unwrap_or("".as_ref());
    Err(Failure::new(
        format!(
            "{} of {} prompts ({}) have no response in `{}`, which was recorded for another configuration",
            thousands(missing),
            thousands(prompts),
            percent_of(missing, prompts),
            responses.display()
        ),
        "ask a language model with `--llm ollama:NAME` or `--llm openai:NAME`, or evaluate retrieval only with \
         `--set generation.generator=none`",
    ))
}
