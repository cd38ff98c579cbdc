//! `ragtriage compare`: runs against a baseline, question by question.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::Failure;
use crate::output;
use crate::run_folder::folder_of;
use ragtriage_core::metric::Metric;
use ragtriage_data::run::SavedRun;
use ragtriage_eval::compare::{self, ComparePlan, ComparedRun};
use ragtriage_pipeline::settings::{Settings, assemble};
use ragtriage_report::comparison;
use ragtriage_report::render::{markdown, terminal};

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Baseline run: its folder, or its name in ragtriage-runs/.
    #[arg(value_name = "BASELINE")]
    baseline: PathBuf,
    /// Runs to compare with it.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// Metrics to compare: `-m EM@5 -m nDCG@10` [default: all, at the k of the baseline].
    #[arg(short = 'm', long = "metric", value_name = "METRIC")]
    metrics: Vec<String>,
    /// Primary metric, which decides.
    ///
    /// By default the first available of `AnswerCorrect`, `AnswerF1`, `EvidenceRecall@prompt`, `EM@prompt` and `nDCG@10`.
    #[arg(long, value_name = "METRIC")]
    primary: Option<String>,
    /// Compare only the questions that all runs share.
    #[arg(long)]
    intersect: bool,
    /// Print Markdown.
    #[arg(long, conflicts_with = "json")]
    md: bool,
    /// Print JSON, with the metrics at every cutoff and all flipped questions.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let metrics: Result<Vec<Metric>, _> = args.metrics.iter().map(|name| name.parse()).collect();
    let primary = args.primary.as_deref().map(str::parse::<Metric>).transpose()?;
    let baseline = load(&args.baseline)?;
    let others = args.runs.iter().map(|run| load(run)).collect::<Result<Vec<_>, Failure>>()?;
    let plan = ComparePlan {
        evaluation: assemble::evaluation(&baseline.1),
        metrics: metrics?,
        primary,
        intersect: args.intersect,
    };
    let subjects: Vec<ComparedRun<'_>> =
        others.iter().map(|(run, settings)| ComparedRun { run, k: settings.retrieval.k }).collect();
    let comparison = compare::compare(&baseline.0, &subjects, &plan)?;
    if args.json {
        return output::data(&output::json(&comparison, "the comparison")?);
    }
    // Metrics that were named are all shown.
    let report = comparison::report(&comparison, !args.metrics.is_empty());
    output::data(&if args.md {
        markdown::render(&report)
    } else {
        terminal::render(&report, output::screen())
    })
}

/// Loads a run with the settings of its manifest.
fn load(named: &Path) -> Result<(SavedRun, Settings), Failure> {
    let run = SavedRun::load(&folder_of(named))?;
    let settings = run.manifest.settings.clone();
    Ok((run, settings))
}
