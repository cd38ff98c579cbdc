//! `ragtriage dataset lint`: checks a data set for errors and weaknesses. Exit 1 on errors.

use clap::Args;

use super::source::{self, SourceArgs};
use crate::bars::ProgressBars;
use crate::environment::environment;
use crate::failure::Failure;
use crate::output;
use crate::runtime::block_on;
use ragtriage_core::config::{GenerationSettings, GeneratorName, RerankSettings};
use ragtriage_core::text::numbers::listed;
use ragtriage_core::text::tokens::Tokenizer;
use ragtriage_core::types::RetrieverName;
use ragtriage_data::dataset::lint::subject::LintSubject;
use ragtriage_data::dataset::lint::{self, Lint, PoolSummary, missing_labels};
use ragtriage_pipeline::Kind;
use ragtriage_pipeline::plan::Plan;
use ragtriage_pipeline::pool::pool;
use ragtriage_pipeline::progress::Progress;
use ragtriage_pipeline::settings::assemble;
use ragtriage_pipeline::settings::assemble::recipients::without_services;
use ragtriage_pipeline::settings::{Resolved, Settings};

#[derive(Debug, Args)]
pub struct LintArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// Print JSON, with every finding.
    #[arg(long)]
    json: bool,
    /// Refuse connections to other machines; fetch no model.
    #[arg(long)]
    offline: bool,
    /// Skip the search for missing labels; fetch no model.
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
    mut resolved: Resolved,
    subject: &LintSubject<'_>,
    asked: &[usize],
    lint: &mut Lint,
) -> Result<(), Failure> {
    let bars = ProgressBars::new();
    let plan = plan(offline, &mut resolved, lint, &bars).await?;
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

/// The wired parts; without those whose model cannot be had, which `lint` then notes and `resolved` no longer has.
async fn plan(
    offline: bool,
    resolved: &mut Resolved,
    lint: &mut Lint,
    bars: &ProgressBars,
) -> Result<Plan, Failure> {
    let environment = environment(resolved, offline, false);
    let assembled =
        assemble::assemble(resolved, &environment, &|download| bars.download(download)).await;
    bars.finish();
    let error = match assembled {
        Ok(assembled) => return Ok(assembled.plan),
        Err(error) if error.kind == Kind::Model => error,
        Err(error) => return Err(error.into()),
    };
    let left_out = without_models(&mut resolved.settings);
    lint.notes.push(format!("{} left out: {error}", listed(&left_out)));
    Ok(assemble::assemble(resolved, &environment, &|_| {}).await?.plan)
}

/// Leaves out what needs a model; the names of the retrievers that are.
fn without_models(settings: &mut Settings) -> Vec<String> {
    let retrieval = &mut settings.retrieval;
    let (by_terms, left_out): (Vec<RetrieverName>, Vec<RetrieverName>) = retrieval
        .retrievers
        .iter()
        .copied()
        .partition(|name| matches!(name, RetrieverName::Bm25 | RetrieverName::Tfidf));
    let left_out = left_out.iter().map(|name| name.name().to_owned()).collect();
    retrieval.retrievers = by_terms;
    if retrieval.retrievers.is_empty() {
        retrieval.retrievers.push(RetrieverName::Bm25);
    }
    retrieval.fusion.weights.clear();
    if settings.chunking.tokenizer == Tokenizer::Model {
        settings.chunking.tokenizer = Tokenizer::default();
    }
    left_out
}
