//! `ragtriage run --dry-run`: what a run would ask, cost and send. Retrieval is run; no service is called, not even one on this
//! machine, since it may pass on what it is sent.

use crate::bars::ProgressBars;
use crate::environment::{assembled, environment};
use crate::failure::Failure;
use crate::output;
use crate::run::RunArgs;
use crate::sample::{load, sample};
use ragtriage_core::config::{GeneratorName, Price};
use ragtriage_core::types::{Dataset, Estimate, PROBES};
use ragtriage_pipeline::ask::Done;
use ragtriage_pipeline::estimate::EstimateSink;
use ragtriage_pipeline::execute::{RunSource, execute};
use ragtriage_pipeline::run::stocked;
use ragtriage_pipeline::settings::assemble::most_completion_tokens;
use ragtriage_pipeline::settings::assemble::recipients::{
    Recipient, RecipientRole, recipients, without_services,
};
use ragtriage_pipeline::settings::{Resolved, Settings};
use ragtriage_report::estimate::{DryRun, Sending, report};

/// Prints the estimate for the questions that are not `done`.
pub(super) async fn dry_run(
    args: &RunArgs,
    mut resolved: Resolved,
    done: &Done,
) -> Result<(), Failure> {
    let mut dataset = load(&mut resolved)?;
    let settings = resolved.settings.clone();
    sample(&mut dataset, &settings)?;
    let recipients = recipients(&settings);
    let answers_contexts = settings.external.url.is_some() && settings.external.answers_contexts;
    let mut local = resolved;
    local.settings = without_services(&settings);
    let is_counted = settings.external.url.is_none() || answers_contexts;
    let estimate = if is_counted {
        let probes = if answers_contexts { PROBES } else { 0 };
        Box::pin(counted(args, &local, dataset, done, probes)).await?
    } else {
        let questions = dataset
            .questions
            .iter()
            .filter(|question| !done.questions.contains(&question.id))
            .count();
        Estimate { questions, ..Estimate::default() }
    };
    let stand_in = is_counted.then(|| stand_in(&settings, &local.settings)).flatten();
    let sent = recipients.iter().map(|recipient| sending(recipient, &settings)).collect();
    let dry_run = DryRun {
        config: local.file.as_deref().unwrap_or(args.config()).display().to_string(),
        dataset: settings.dataset.label(),
        generator: generator(&settings),
        max_tokens: most_completion_tokens(&settings.generation),
        is_priced: settings.generation.price != Price::default(),
        stand_in,
        estimate,
        sent,
    };
    print(&dry_run, args.json)
}

/// Prints a dry run.
pub(super) fn print(dry_run: &DryRun, json: bool) -> Result<(), Failure> {
    if json {
        output::data(&output::json(dry_run, "the estimate")?)
    } else {
        output::report(&report(dry_run))
    }
}

/// Counts the prompts of the run, exactly if `local` has its retrieval, and `probes` more.
pub(super) async fn counted(
    args: &RunArgs,
    local: &Resolved,
    dataset: Dataset,
    done: &Done,
    probes: usize,
) -> Result<Estimate, Failure> {
    // Nothing is sent, so no key is needed.
    let mut local = local.clone();
    local.settings.generation.api_key_env = None;
    local.settings.generation.headers_env.clear();
    let local = &local;
    let environment = environment(local, args.offline, args.no_cache)?;
    let bars = ProgressBars::new();
    let plan = assembled(local, &environment, &bars).await?.plan;
    let mut sink = EstimateSink::new(most_completion_tokens(&local.settings.generation));
    let mut stock = stocked(dataset, done);
    let source = RunSource::Pipeline { stock: &mut stock, plan };
    execute(source, &mut sink, &bars).await?;
    Ok(sink.estimate(probes as u64))
}

pub(super) fn generator(settings: &Settings) -> String {
    let generation = &settings.generation;
    match generation.generator {
        _ if settings.external.url.is_some() => "that of the service".to_owned(),
        GeneratorName::Openai => format!("{}, prompt `{}`", generation.model, generation.prompt),
        GeneratorName::Recorded => "recorded responses, free of charge".to_owned(),
        GeneratorName::None => "none: retrieval alone".to_owned(),
    }
}

/// Describes the substitute where `local` retrieves differently from the run.
fn stand_in(settings: &Settings, local: &Settings) -> Option<String> {
    if settings.external.url.is_some() {
        let text = "BM25 and the configured prompt replace those of the service, which are unknown: all tokens, and the number of \
                    `gold_in_noise` prompts that differ from `retrieved`, are estimates";
        return Some(text.to_owned());
    }
    (settings != local).then(|| {
        let names: Vec<&str> = local.retrieval.retrievers.iter().map(|name| name.name()).collect();
        format!(
            "retrieval by {} replaces the configured retrieval, which calls a service: prompts of the conditions (arms) \
             `retrieved` and `gold_in_noise` are estimates",
            names.join(" and ")
        )
    })
}

/// Describes the data sent to one service.
pub(super) fn sending(recipient: &Recipient, settings: &Settings) -> Sending {
    let Recipient { role, address, is_here } = recipient;
    let (purpose, what) = match role {
        RecipientRole::Encoder => ("encoder", "passages and questions"),
        RecipientRole::VectorStore => {
            ("vector store", "the vectors, ids and metadata (no text) of passages and questions")
        }
        RecipientRole::Collection if settings.retrieval.collection.mode.is_sparse() => {
            ("existing collection", "questions")
        }
        RecipientRole::Collection => ("existing collection", "the vectors (no text) of questions"),
        RecipientRole::Reranker => ("reranker", "passages and questions"),
        RecipientRole::Generator => ("generator", "passages and questions"),
        RecipientRole::Judge => ("judge", "questions, answers and gold answers"),
        RecipientRole::Service => ("service", "questions"),
        RecipientRole::ServiceWithContexts => ("service", "passages and questions"),
    };
    Sending { to: address.clone(), purpose, here: *is_here, what }
}
