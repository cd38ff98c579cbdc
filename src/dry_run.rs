//! `ragtriage run --dry-run`: what a run would ask, cost and send. Retrieval is run; no service is called, not even one on this
//! machine, since it may pass on what it is sent.

use std::collections::BTreeSet;

use crate::bars::Bars;
use crate::environment::environment;
use crate::failure::Failure;
use crate::output;
use crate::run::{RunArgs, resolved_config, sample};
use ragtriage_core::config::{GeneratorName, PriceSettings};
use ragtriage_core::types::Dataset;
use ragtriage_core::types::Estimate;
use ragtriage_pipeline::ask::Done;
use ragtriage_pipeline::estimate::EstimateSink;
use ragtriage_pipeline::execute::{Source, execute};
use ragtriage_pipeline::run::stocked;
use ragtriage_pipeline::settings::assemble::recipients::{
    Recipient, Role, recipients, without_services,
};
use ragtriage_pipeline::settings::assemble::{self, dataset_label, terms};
use ragtriage_pipeline::settings::{Resolved, Settings};
use ragtriage_report::estimate::{EstimateView, Sending, render};

/// Prints what a run of these settings would do for the questions that are not `done`.
pub(super) async fn dry_run(
    args: &RunArgs,
    resolved: Resolved,
    done: &Done,
) -> Result<(), Failure> {
    let settings = resolved.settings.clone();
    let mut dataset = ragtriage_datasets::load(&assemble::load_spec(&resolved))?;
    sample(&mut dataset, &settings)?;
    let recipients = recipients(&settings);
    let mut local = resolved;
    local.settings = without_services(&settings);
    let estimate = if settings.external.url.is_some() {
        let questions = dataset
            .questions
            .iter()
            .filter(|question| !done.questions.contains(&question.id))
            .count();
        Estimate {
            questions,
            ..Estimate::default()
        }
    } else {
        Box::pin(counted(args, &local, dataset, done)).await?
    };
    let sent = recipients
        .iter()
        .map(|recipient| sending(recipient, &settings, &estimate))
        .collect();
    let view = EstimateView {
        config: local
            .file
            .as_deref()
            .unwrap_or(resolved_config(args))
            .display()
            .to_string(),
        dataset: dataset_label(&settings),
        generator: generator(&settings),
        repeat: settings.generation.repeat,
        max_tokens: terms(&settings.generation).most_completion_tokens,
        is_priced: settings.generation.price != PriceSettings::default(),
        stand_in: stand_in(&settings, &local.settings),
        estimate,
        sent,
    };
    output::data(&if args.json {
        output::json(&view, "the estimate")?
    } else {
        render(&view)
    })
}

/// Counts over the very prompts of the run, as far as `local` has the run's own retrieval.
async fn counted(
    args: &RunArgs,
    local: &Resolved,
    dataset: Dataset,
    done: &Done,
) -> Result<Estimate, Failure> {
    let environment = environment(local, args.offline, args.no_cache)?;
    let bars = Bars::new();
    let assembled =
        assemble::assemble(local, &environment, &|download| bars.download(download)).await;
    ragtriage_pipeline::progress::Progress::finish(&bars);
    let mut sink = EstimateSink::new(terms(&local.settings.generation));
    let mut stock = stocked(dataset, done);
    let source = Source::Pipeline {
        stock: &mut stock,
        plan: assembled?.plan,
    };
    let executed = execute(source, &mut sink, &bars).await;
    // Closes the collections, which may lie in the folder that goes now.
    drop(stock);
    if let Some(scratch) = &environment.scratch {
        let _ = std::fs::remove_dir_all(scratch);
    }
    executed?;
    Ok(sink.estimate())
}

fn generator(settings: &Settings) -> String {
    let generation = &settings.generation;
    match generation.generator {
        _ if settings.external.url.is_some() => "the service's own".to_owned(),
        GeneratorName::Openai => format!("{}, prompt `{}`", generation.model, generation.prompt),
        GeneratorName::Extractive => {
            "the built-in reader, on this machine, free of charge".to_owned()
        }
        GeneratorName::None => "none: retrieval alone".to_owned(),
    }
}

/// What is said where `local` retrieves otherwise than the run.
fn stand_in(settings: &Settings, local: &Settings) -> Option<String> {
    (settings != local).then(|| {
        let names: Vec<&str> = local.retrieval.retrievers.iter().map(|name| name.name()).collect();
        format!(
            "retrieval by {} alone stands in for the run's own, which calls a service: prompts of the arms `retrieved` and \
             `gold_in_noise`, and what follows from them, are estimates",
            names.join(" and ")
        )
    })
}

/// What goes to one service.
fn sending(recipient: &Recipient, settings: &Settings, estimate: &Estimate) -> Sending {
    let Recipient {
        role,
        address,
        is_here,
    } = recipient;
    let (questions, chunks) = (estimate.questions as u64, estimate.chunks as u64);
    let depth = settings
        .rerank
        .depth
        .unwrap_or(settings.retrieval.candidates) as u64;
    let is_own = stand_in(settings, &without_services(settings)).is_none();
    let (purpose, passages, questions, exact) = match role {
        Role::Encoder => ("encoder", chunks, questions, false),
        Role::VectorStore => ("vector store", chunks, questions, false),
        Role::Reranker => (
            "reranker",
            chunks.min(questions.saturating_mul(depth)),
            questions,
            false,
        ),
        Role::Generator => (
            "generator",
            estimate.passages_called as u64,
            estimate.questions_called as u64,
            is_own,
        ),
        Role::Service => ("service", 0, questions, true),
    };
    let texts = *role != Role::VectorStore;
    Sending {
        to: address.clone(),
        purpose,
        here: *is_here,
        passages,
        questions,
        texts,
        exact,
    }
}

/// Says before a run what will leave this machine, where anything will.
pub(super) fn announce(settings: &Settings, dataset: &Dataset) {
    announce_all([settings], dataset.questions.len(), dataset.documents.len());
}

/// The same of several settings, each service once.
pub(super) fn announce_all<'a>(
    all: impl IntoIterator<Item = &'a Settings>,
    questions: usize,
    documents: usize,
) {
    let told = |Recipient { role, address, .. }: &Recipient| match role {
        Role::Encoder => {
            format!(
                "{questions} questions and all passages of {documents} documents go to {address} (encoder)"
            )
        }
        Role::VectorStore => {
            format!(
                "vectors, ids and metadata of all passages of {documents} documents go to {address} (vector store)"
            )
        }
        Role::Reranker => {
            format!("{questions} questions and their candidates go to {address} (reranker)")
        }
        Role::Generator => {
            format!(
                "{questions} questions with passages of {documents} documents go to {address} (generator)"
            )
        }
        Role::Service => format!("{questions} questions go to {address} (service)"),
    };
    // What is no address at all is refused a moment later.
    let is_elsewhere =
        |recipient: &&Recipient| !recipient.is_here && recipient.address.contains("://");
    let all: Vec<Recipient> = all.into_iter().flat_map(recipients).collect();
    let mut elsewhere: Vec<String> = all.iter().filter(is_elsewhere).map(told).collect();
    let mut seen = BTreeSet::new();
    elsewhere.retain(|line| seen.insert(line.clone()));
    if !elsewhere.is_empty() {
        output::talk(&format!(
            "leaves this machine: {}; `--dry-run` counts it",
            elsewhere.join("; ")
        ));
    }
}
