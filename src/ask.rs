//! `ragtriage ask`: one question through the pipeline, its ranking explained; nothing is recorded.

use std::path::PathBuf;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use crate::announce::announce;
use crate::bars::ProgressBars;
use crate::environment::{assembled, environment};
use crate::failure::Failure;
use crate::output;
use crate::overrides::OverrideArgs;
use crate::run_folder::configuration;
use crate::runtime::block_on;
use ragtriage_core::attribute::judge::read_by_question;
use ragtriage_core::config::Settings;

use ragtriage_pipeline::settings::Resolved;
use ragtriage_pipeline::settings::assemble::Assembled;
use ragtriage_pipeline::settings::assemble::recipients::recipients;
use ragtriage_pipeline::single::{Single, ask_single};
use ragtriage_report::ask::{AskedQuestion, PromptMessages};
use ragtriage_report::render::terminal::render;

#[derive(Debug, Args)]
pub struct AskArgs {
    /// Question to ask; it need not be in the data set.
    #[arg(value_parser = NonEmptyStringValueParser::new())]
    question: String,
    /// Configuration file [default: ragtriage.toml, here or above].
    config: Option<PathBuf>,
    #[command(flatten)]
    overrides: OverrideArgs,
    /// Refuse connections to other machines.
    #[arg(long)]
    offline: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn ask(args: &AskArgs) -> Result<(), Failure> {
    let config = configuration(args.config.as_deref())?;
    let mut resolved = Resolved::new(Some(&config), &args.overrides.sets()?)?;
    if resolved.settings.external.url.is_some() {
        let hint = "remove `external.url`: `ask` explains the built-in pipeline";
        return Err(Failure::new("the configuration evaluates an external RAG service", hint));
    }
    let (mut single, generator) = block_on(answered(args, &mut resolved))?;
    if let Some(failure) = single.trace.failure().filter(|failure| failure.condition.is_none()) {
        return Err(Failure::bare(failure.to_string()));
    }
    let Settings { evaluation, dataset, retrieval, .. } = &resolved.settings;
    if let Some(attempt) =
        single.trace.conditions.first_mut().and_then(|condition| condition.attempts.first_mut())
    {
        read_by_question(&single.trace.question, attempt, &evaluation.declined, dataset.language());
    }
    let asked = AskedQuestion {
        config: config.display().to_string(),
        dataset: dataset.label(),
        n_chunks: single.facts.n_chunks,
        k: retrieval.k,
        trace: &single.trace,
        passages: &single.passages,
        prompt: PromptMessages {
            system: &single.prompt.system,
            user: &single.prompt.user,
            n_tokens: single.prompt_tokens,
        },
        generator: generator.as_deref(),
    };
    output::data(&if args.json {
        output::json(&asked, "the answer")?
    } else {
        render(&asked.report(), output::screen())
    })?;
    // A failed call ends the command with an error, after what was retrieved is printed.
    match asked.attempt().and_then(|attempt| attempt.error.as_ref()) {
        Some(error) => Err(Failure::bare(format!("no answer: {}", error.message))),
        None => Ok(()),
    }
}

/// Asks the question; with the name of the generator.
async fn answered(
    args: &AskArgs,
    resolved: &mut Resolved,
) -> Result<(Single, Option<String>), Failure> {
    let documents = ragtriage_data::dataset::documents(&resolved.dataset())?;
    resolved.detect_language(&documents);
    let environment = environment(resolved, args.offline, false);
    let bars = ProgressBars::new();
    let Assembled { plan, models, .. } = assembled(resolved, &environment, &bars).await?;
    let mut models = models.into_iter();
    let generator = models.find(|model| model.role == "generator").map(|model| model.name);
    announce(recipients(&resolved.settings));
    let single = Box::pin(ask_single(documents, &args.question, plan, &bars)).await?;
    Ok((single, generator))
}
