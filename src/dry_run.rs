//! `ragtriage run --dry-run`: what a run would ask, cost and send. Retrieval is run; no service is called, not even one on this
//! machine, since it may pass on what it is sent.

use crate::announce::purpose;
use crate::bars::ProgressBars;
use crate::environment::{assembled, environment};
use crate::failure::Failure;
use crate::output;
use crate::run::RunArgs;
use crate::sample::{load, sample};
use ragtriage_core::config::{ExternalSettings, GeneratorName, Price};
use ragtriage_core::text::numbers::{percent_of, thousands};
use ragtriage_core::types::{Dataset, Document, Estimate, JudgeEstimate, PROBES, Question};
use ragtriage_pipeline::ask::{Done, FAILURES_IN_A_ROW};
use ragtriage_pipeline::conditions::ConditionPlan;
use ragtriage_pipeline::estimate::EstimateSink;
use ragtriage_pipeline::execute::{RunSource, execute};
use ragtriage_pipeline::progress::Progress;
use ragtriage_pipeline::recorded::RecordedPlan;
use ragtriage_pipeline::run::stocked;
use ragtriage_pipeline::settings::assemble::recipients::{
    Recipient, RecipientRole, condition_recipients, in_place_of_service, recipients,
    without_services,
};
use ragtriage_pipeline::settings::assemble::{self, RecordConditions, most_completion_tokens};
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
    let judge = assemble::judge_estimate(&settings, &dataset.questions)?;
    let recipients = recipients(&settings);
    let answers_contexts = settings.external.url.is_some() && settings.external.answers_contexts;
    let mut local = resolved;
    local.settings = match &settings.external.url {
        Some(_) => in_place_of_service(&settings),
        None => without_services(&settings),
    };
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
    let sent = recipients
        .iter()
        .map(|recipient| {
            sending(recipient, &settings, &estimate, judge.as_ref(), stand_in.is_none())
        })
        .collect();
    let dry_run = DryRun {
        config: local.file.as_deref().unwrap_or(args.config()).display().to_string(),
        dataset: settings.dataset.label(),
        generator: generator(&settings),
        repeat: settings.generation.repeat,
        max_tokens: most_completion_tokens(&settings.generation),
        is_priced: settings.generation.price != Price::default(),
        stand_in,
        estimate,
        judge,
        sent,
    };
    print(&dry_run, args.json)
}

fn print(dry_run: &DryRun, json: bool) -> Result<(), Failure> {
    if json {
        output::data(&output::json(dry_run, "the estimate")?)
    } else {
        output::report(&report(dry_run))
    }
}

/// Counts the prompts of the run, exactly if `local` has its retrieval; `probes` of the condition `oracle` are asked twice.
async fn counted(
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
    let assembled = assembled(local, &environment, &bars).await?;
    let mut sink =
        EstimateSink::new(most_completion_tokens(&local.settings.generation), probes as u64);
    let mut stock = stocked(dataset, done);
    let source = RunSource::Pipeline { stock: &mut stock, plan: assembled.plan };
    execute(source, &mut sink, &bars).await?;
    Ok(sink.estimate())
}

fn generator(settings: &Settings) -> String {
    let generation = &settings.generation;
    match generation.generator {
        _ if settings.external.url.is_some() => "that of the service".to_owned(),
        GeneratorName::Openai => format!("{}, prompt `{}`", generation.model, generation.prompt),
        GeneratorName::Baseline => {
            "the built-in reader, on this machine, free of charge".to_owned()
        }
        GeneratorName::Qa => format!("{}, on this machine, free of charge", generation.model),
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

/// Estimates the data sent to one service; `is_own`: the prompts counted are the run's own.
fn sending(
    recipient: &Recipient,
    settings: &Settings,
    estimate: &Estimate,
    judge: Option<&JudgeEstimate>,
    is_own: bool,
) -> Sending {
    let Recipient { role, address, is_here } = recipient;
    let (questions, chunks) = (estimate.questions as u64, estimate.chunks as u64);
    let depth = settings.rerank.depth.unwrap_or(settings.retrieval.candidates) as u64;
    let (passages, questions, exact) = match role {
        RecipientRole::Encoder | RecipientRole::VectorStore => (chunks, questions, false),
        RecipientRole::Collection | RecipientRole::Service => (0, questions, true),
        RecipientRole::Reranker => (chunks.min(questions.saturating_mul(depth)), questions, false),
        RecipientRole::Generator => {
            (estimate.passages_called as u64, estimate.questions_called as u64, is_own)
        }
        RecipientRole::Judge => (0, judge.map_or(0, |judge| judge.questions), false),
        RecipientRole::ServiceWithContexts => (estimate.passages_called as u64, questions, is_own),
    };
    let texts = match role {
        RecipientRole::VectorStore => false,
        RecipientRole::Collection => settings.retrieval.collection.mode.is_sparse(),
        _ => true,
    };
    Sending {
        to: address.clone(),
        purpose: purpose(*role),
        here: *is_here,
        passages,
        questions,
        texts,
        exact,
    }
}

/// Share of prompts without a response above which a run does not start, in percent.
const MOST_MISSING: u64 = 5;

/// Retrieves for every question that is not `done` and counts the prompts that have no recorded response.
///
/// # Errors
/// More than 5% of the prompts lack one, and no fallback is configured.
pub async fn check_recorded(
    args: &RunArgs,
    resolved: &Resolved,
    done: &Done,
) -> Result<(), Failure> {
    let settings = &resolved.settings;
    let generation = &settings.generation;
    let is_recorded = generation.generator == GeneratorName::Recorded;
    if !is_recorded || generation.fallback.is_some() || settings.external.url.is_some() {
        return Ok(());
    }
    let mut dataset = ragtriage_datasets::load(&resolved.dataset())?;
    sample(&mut dataset, settings)?;
    let estimate = Box::pin(counted(args, resolved, dataset, done, 0)).await?;
    let prompts: u64 = estimate.arms.iter().map(|arm| arm.questions).sum();
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

/// The generator of the settings.
pub async fn conditions(
    resolved: &Resolved,
    bars: &ProgressBars,
    offline: bool,
) -> Result<RecordConditions, Failure> {
    let environment = environment(resolved, offline, false)?;
    let conditions = assemble::record_conditions(resolved, &environment, &|download| {
        bars.download(download);
    })
    .await;
    bars.finish();
    Ok(conditions?)
}

/// The plan of an import that also asks these conditions. An endpoint that fails throughout ends it.
pub fn with_conditions(
    plan: RecordedPlan,
    mut conditions: ConditionPlan,
    questions: &[Question],
) -> RecordedPlan {
    conditions.draw(questions);
    RecordedPlan {
        concurrency: plan.concurrency.max(conditions.calls),
        most_failures: Some(FAILURES_IN_A_ROW),
        conditions: Some(Box::new(conditions)),
        ..plan
    }
}

/// Prints what the conditions would ask, over the very prompts.
pub async fn dry_run_of_conditions(
    resolved: &Resolved,
    (documents, questions): (Vec<Document>, Vec<Question>),
    plan: RecordedPlan,
    json: bool,
) -> Result<(), Failure> {
    let mut settings = resolved.settings.clone();
    settings.external = ExternalSettings::default();
    let judge = assemble::judge_estimate(&settings, &questions)?;
    let mut sink = EstimateSink::new(most_completion_tokens(&settings.generation), 0);
    let source = RunSource::External {
        documents,
        questions: questions.into_iter().enumerate().collect(),
        plan,
    };
    execute(source, &mut sink, &ProgressBars::new()).await?;
    let estimate = sink.estimate();
    let recipients = condition_recipients(&settings);
    let sent = recipients
        .iter()
        .map(|recipient| sending(recipient, &settings, &estimate, judge.as_ref(), true));
    let report = DryRun {
        config: resolved.file.as_deref().unwrap_or("".as_ref()).display().to_string(),
        dataset: settings.dataset.label(),
        generator: generator(&settings),
        repeat: 1,
        max_tokens: most_completion_tokens(&settings.generation),
        is_priced: settings.generation.price != Price::default(),
        stand_in: None,
        sent: sent.collect(),
        estimate,
        judge,
    };
    print(&report, json)
}
