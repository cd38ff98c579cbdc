//! What a run, or an import with `--conditions`, would ask, cost and send. Retrieval is run; no service is called, not even one on
//! this machine, since it may pass on what it is sent.

use crate::bars::ProgressBars;
use crate::environment::{assembled, environment};
use crate::failure::Failure;
use crate::output;
use crate::run::RunArgs;
use crate::sample::{load, sample};
use ragtriage_core::config::{ExternalSettings, GeneratorName, Price};
use ragtriage_core::types::{Dataset, Estimate};
use ragtriage_pipeline::ask::Done;
use ragtriage_pipeline::estimate::EstimateSink;
use ragtriage_pipeline::execute::{RunSource, execute};
use ragtriage_pipeline::recorded::RecordedPlan;
use ragtriage_pipeline::run::stocked;
use ragtriage_pipeline::settings::assemble::most_completion_tokens;
use ragtriage_pipeline::settings::assemble::recipients::{
    import_recipients, recipients, without_services,
};
use ragtriage_pipeline::settings::{Resolved, Settings};
use ragtriage_report::estimate::{DryRun, report};

/// Prints the estimate of a run for the questions that are not `done`.
pub(super) async fn of_run(
    args: &RunArgs,
    mut resolved: Resolved,
    done: &Done,
) -> Result<(), Failure> {
    let mut dataset = load(&mut resolved)?;
    let settings = resolved.settings.clone();
    sample(&mut dataset, &settings)?;
    let mut local = resolved;
    local.settings = without_services(&settings);
    // What an external RAG asks its model is not known here.
    let is_counted = settings.external.url.is_none();
    let estimate = if is_counted {
        Box::pin(counted(args, &local, dataset, done)).await?
    } else {
        let asked = dataset.questions.iter().filter(|it| !done.questions.contains(&it.id));
        Estimate { questions: asked.count(), ..Estimate::default() }
    };
    let dry_run = DryRun {
        stand_in: is_counted.then(|| stand_in(&settings, &local.settings)).flatten(),
        sent: recipients(&settings),
        ..estimated(&settings, &local, estimate)
    };
    print(&dry_run, args.json)
}

/// Prints what the conditions of an import would ask, over the very prompts.
pub(super) async fn of_conditions(
    resolved: &Resolved,
    dataset: Dataset,
    plan: RecordedPlan,
    json: bool,
) -> Result<(), Failure> {
    let mut settings = resolved.settings.clone();
    settings.external = ExternalSettings::default();
    let mut sink = EstimateSink::new(&settings)?;
    let questions = dataset.questions.into_iter().enumerate().collect();
    let source = RunSource::External { documents: dataset.documents, questions, plan };
    execute(source, &mut sink, &ProgressBars::new()).await?;
    let dry_run = DryRun {
        sent: import_recipients(&settings, true),
        ..estimated(&settings, resolved, sink.estimate())
    };
    print(&dry_run, json)
}

/// Counts the prompts of the run, exactly if `local` has its retrieval.
async fn counted(
    args: &RunArgs,
    local: &Resolved,
    dataset: Dataset,
    done: &Done,
) -> Result<Estimate, Failure> {
    // Nothing is sent, so no key is needed.
    let mut local = local.clone();
    local.settings.generation.api_key_env = None;
    local.settings.generation.headers_env.clear();
    let environment = environment(&local, args.offline, args.no_cache);
    let bars = ProgressBars::new();
    let plan = assembled(&local, &environment, &bars).await?.plan;
    let mut sink = EstimateSink::new(&local.settings)?;
    let mut stock = stocked(dataset, done);
    execute(RunSource::Pipeline { stock: &mut stock, plan }, &mut sink, &bars).await?;
    Ok(sink.estimate())
}

/// A dry run that sends nothing, by these settings.
fn estimated(settings: &Settings, resolved: &Resolved, estimate: Estimate) -> DryRun {
    DryRun {
        config: resolved.file.clone().unwrap_or_default().display().to_string(),
        dataset: settings.dataset.label(),
        generator: generator(settings),
        max_tokens: most_completion_tokens(&settings.generation),
        is_priced: settings.generation.price != Price::default(),
        is_recorded: settings.generation.generator == GeneratorName::Recorded,
        stand_in: None,
        estimate,
        sent: Vec::new(),
    }
}

fn print(dry_run: &DryRun, json: bool) -> Result<(), Failure> {
    if json {
        output::data(&output::json(dry_run, "the estimate")?)
    } else {
        output::report(&report(dry_run))
    }
}

fn generator(settings: &Settings) -> String {
    let generation = &settings.generation;
    match generation.generator {
        _ if settings.external.url.is_some() => "that of the service".to_owned(),
        GeneratorName::Openai => format!("{}, prompt `{}`", generation.model, generation.prompt),
        GeneratorName::Recorded => "recorded responses".to_owned(),
        GeneratorName::None => "none: retrieval alone".to_owned(),
    }
}

/// Describes the substitute where `local` retrieves differently from the run.
fn stand_in(settings: &Settings, local: &Settings) -> Option<String> {
    (settings != local).then(|| {
        let names: Vec<&str> = local.retrieval.retrievers.iter().map(|name| name.name()).collect();
        format!(
            "retrieval by {} replaces the configured retrieval, which calls a service: prompts of the conditions \
             `retrieved` and `gold_with_distractors` are estimates",
            names.join(" and ")
        )
    })
}
