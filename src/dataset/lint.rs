//! `ragtriage dataset lint`: checks a data set for errors and weaknesses. Exit 1 on errors.

use std::sync::Arc;

use clap::Args;

use super::source::{self, SourceArgs};
use crate::bars::ProgressBars;
use crate::environment::{assembled, environment};
use crate::failure::Failure;
use crate::output;
use crate::runtime::block_on;
use ragtriage_core::chunk::{self, Strategy};
use ragtriage_core::config::{GenerationSettings, GeneratorName, RerankSettings};
use ragtriage_core::text::tokens::Tokenizer;
use ragtriage_core::types::Corpus;
use ragtriage_core::types::RetrieverName;
use ragtriage_data::dataset::Inspection;
use ragtriage_data::dataset::lint::lengths::PromptBudget;
use ragtriage_data::dataset::lint::subject::LintSubject;
use ragtriage_data::dataset::lint::{self, Lint, PoolSummary, lengths, missing_labels};
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
    /// Skip what needs a model: missing labels, an encoder's limits.
    #[arg(long)]
    no_pool: bool,
}

/// Runs the command; returns true if the data set has no errors.
pub fn lint(args: &LintArgs) -> Result<bool, Failure> {
    let resolved = source::resolve(&args.source)?;
    let spec = resolved.dataset();
    let inspection = ragtriage_data::dataset::inspect(&spec)?;
    let mut lint = lint::content(resolved.settings.dataset.label(), &inspection);
    if inspection.documents.iter().any(|document| !document.text.trim().is_empty()) {
        block_on(searched(args, &local(resolved, args.no_pool), &inspection, &mut lint))?;
    }
    if args.json {
        output::data(&output::json(&lint, "the findings")?)?;
    } else {
        output::report(&ragtriage_report::lint::report(&lint))?;
    }
    Ok(lint.errors == 0)
}

/// Returns the settings that lint needs, without services: checking data sends it nowhere. With `no_pool` they need no model.
fn local(mut resolved: Resolved, no_pool: bool) -> Resolved {
    let settings = &mut resolved.settings;
    let context_tokens = settings.generation.context_tokens;
    settings.generation = GenerationSettings {
        generator: GeneratorName::None,
        context_tokens,
        ..GenerationSettings::default()
    };
    settings.external.url = None;
    settings.rerank = RerankSettings::default();
    settings.retrieval.min_score = None;
    if no_pool {
        settings.retrieval.retrievers = vec![RetrieverName::Bm25];
        settings.retrieval.fusion.weights.clear();
        settings.chunking.tokenizer = Tokenizer::default();
    }
    resolved.settings = without_services(&resolved.settings);
    resolved
}

/// Adds the findings that need encoders and retrievers.
async fn searched(
    args: &LintArgs,
    resolved: &Resolved,
    inspection: &Inspection,
    lint: &mut Lint,
) -> Result<(), Failure> {
    let bars = ProgressBars::new();
    let environment = environment(resolved, args.offline, false);
    let plan = assembled(resolved, &environment, &bars).await?.plan;
    let subject = LintSubject::new(inspection);
    let asked = if args.no_pool { Vec::new() } else { missing_labels::worth_pooling(&subject) };
    let corpus = if asked.is_empty() {
        let chunks = chunk::chunk_documents(
            &inspection.documents,
            &plan.chunking,
            plan.chunk_counter.as_ref(),
        )
        .map_err(ragtriage_pipeline::Error::from)?;
        Arc::new(Corpus::new(inspection.documents.clone(), chunks))
    } else {
        let questions = asked.iter().map(|&number| inspection.questions[number].clone()).collect();
        let pools =
            pool(inspection.documents.clone(), questions, &plan, missing_labels::DEPTH, &bars)
                .await?;
        lint.add(missing_labels::check(&subject, &asked, &pools));
        let retrievers = resolved
            .settings
            .retrieval
            .retrievers
            .iter()
            .map(|name| name.name().to_owned())
            .collect();
        lint.figures.pooled =
            Some(PoolSummary { retrievers, depth: missing_labels::DEPTH, questions: asked.len() });
        pools.corpus
    };
    let encoders = ragtriage_pipeline::lengths::lengths(&plan, &corpus, subject.questions)
        .await
        .map_err(ragtriage_pipeline::Error::from)?;
    let budget = PromptBudget {
        counter: plan.prompt.counter.as_ref(),
        context_tokens: plan.prompt.context_tokens,
    };
    let whole_documents = (plan.chunking.strategy() == Strategy::Document).then_some(&budget);
    let (truncated, found) = lengths::check(&subject, &corpus, &encoders, whole_documents);
    lint.figures.truncated = truncated;
    lint.add(found);
    Ok(())
}
