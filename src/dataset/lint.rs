//! `ragtriage dataset lint`: checks a data set for errors and weaknesses. Exit 1 on errors.

use clap::Args;

use super::source::{self, SourceArgs};
use crate::bars::ProgressBars;
use crate::environment::{assembled, environment};
use crate::failure::Failure;
use crate::output;
use crate::runtime::block_on;
use ragtriage_core::config::{GenerationSettings, GeneratorName, RerankSettings};
use ragtriage_data::dataset::lint::subject::LintSubject;
use ragtriage_data::dataset::lint::{self, Lint, PoolSummary, missing_labels};
use ragtriage_pipeline::pool::pool;
use ragtriage_pipeline::settings::Resolved;
use ragtriage_pipeline::settings::assemble::recipients::without_services;

#[derive(Debug, Args)]
pub struct LintArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// Print JSON, with every finding.
    #[arg(long)]
    json: bool,
    /// Refuse connections to other machines.
    #[arg(long)]
    offline: bool,
    /// Skip the search for missing labels, which may need a model.
    #[arg(long)]
    no_pool: bool,
}

/// Runs the command; returns true if the data set has no errors.
pub fn lint(args: &LintArgs) -> Result<bool, Failure> {
    let resolved = source::resolve(&args.source)?;
    let spec = resolved.dataset();
    let inspection = ragtriage_data::dataset::inspect(&spec)?;
    let mut lint = lint::content(resolved.settings.dataset.label(), &inspection);
    let subject = LintSubject::new(&inspection);
    let asked = missing_labels::worth_pooling(&subject);
    if !args.no_pool && !asked.is_empty() {
        block_on(pooled(args.offline, local(resolved), &subject, &asked, &mut lint))?;
    }
    if args.json {
        output::data(&output::json(&lint, "the findings")?)?;
    } else {
        output::report(&ragtriage_report::lint::report(&lint))?;
    }
    Ok(lint.errors == 0)
}

/// Returns the settings that lint needs, without services: checking data sends it nowhere.
fn local(mut resolved: Resolved) -> Resolved {
    let settings = &mut resolved.settings;
    settings.generation =
        GenerationSettings { generator: GeneratorName::None, ..GenerationSettings::default() };
    settings.external.url = None;
    settings.rerank = RerankSettings::default();
    settings.retrieval.min_score = None;
    resolved.settings = without_services(&resolved.settings);
    resolved
}

/// Adds the missing labels among the passages that the retrievers find for the questions `asked`.
async fn pooled(
    offline: bool,
    resolved: Resolved,
    subject: &LintSubject<'_>,
    asked: &[usize],
    lint: &mut Lint,
) -> Result<(), Failure> {
    let bars = ProgressBars::new();
    let environment = environment(&resolved, offline, false);
    let plan = assembled(&resolved, &environment, &bars).await?.plan;
    let questions = asked.iter().map(|&number| subject.questions[number].clone()).collect();
    let pools =
        pool(subject.documents.to_vec(), questions, &plan, missing_labels::DEPTH, &bars).await?;
    lint.add(missing_labels::check(subject, asked, &pools));
    let retrievers = resolved.settings.retrieval.retrievers.iter();
    let retrievers = retrievers.map(|name| name.name().to_owned()).collect();
    lint.figures.pooled =
        Some(PoolSummary { retrievers, depth: missing_labels::DEPTH, questions: asked.len() });
    Ok(())
}
