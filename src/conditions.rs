//! `ragtriage import --conditions`: the configured generator answers the conditions of a record.

use crate::bars::ProgressBars;
use crate::dry_run;
use crate::environment::environment;
use crate::failure::Failure;
use ragtriage_core::config::{ExternalSettings, Price};
use ragtriage_core::types::{Document, Question};
use ragtriage_pipeline::ask::FAILURES_IN_A_ROW;
use ragtriage_pipeline::conditions::ConditionPlan;
use ragtriage_pipeline::estimate::EstimateSink;
use ragtriage_pipeline::execute::{RunSource, execute};
use ragtriage_pipeline::progress::Progress;
use ragtriage_pipeline::recorded::RecordedPlan;
use ragtriage_pipeline::settings::Resolved;
use ragtriage_pipeline::settings::assemble::recipients::condition_recipients;
use ragtriage_pipeline::settings::assemble::{self, RecordConditions, most_completion_tokens};
use ragtriage_report::estimate::DryRun;

/// The generator of the settings.
pub async fn assembled(
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
pub fn asked(
    plan: RecordedPlan,
    mut conditions: ConditionPlan,
    questions: &[Question],
) -> RecordedPlan {
    conditions.draw(questions);
    RecordedPlan {
        concurrency: plan.concurrency.max(conditions.calls.at_once),
        most_failures: Some(FAILURES_IN_A_ROW),
        conditions: Some(Box::new(conditions)),
        ..plan
    }
}

/// Prints what the conditions would ask, over the very prompts.
pub async fn dry_run(
    resolved: &Resolved,
    (documents, questions): (Vec<Document>, Vec<Question>),
    plan: RecordedPlan,
    json: bool,
) -> Result<(), Failure> {
    let mut settings = resolved.settings.clone();
    settings.external = ExternalSettings::default();
    let mut sink = EstimateSink::new(most_completion_tokens(&settings.generation));
    let source = RunSource::External {
        documents,
        questions: questions.into_iter().enumerate().collect(),
        plan,
    };
    execute(source, &mut sink, &ProgressBars::new()).await?;
    let estimate = sink.estimate(0);
    let recipients = condition_recipients(&settings);
    let sent = recipients.iter().map(|recipient| dry_run::sending(recipient, &settings));
    let report = DryRun {
        config: resolved.file.as_deref().unwrap_or("".as_ref()).display().to_string(),
        dataset: settings.dataset.label(),
        generator: dry_run::generator(&settings),
        max_tokens: most_completion_tokens(&settings.generation),
        is_priced: settings.generation.price != Price::default(),
        stand_in: None,
        sent: sent.collect(),
        estimate,
    };
    dry_run::print(&report, json)
}
