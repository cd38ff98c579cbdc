//! `ragtriage compare`: runs against a baseline, question by question.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::Failure;
use crate::output;
use crate::run_folder::folder_of;
use ragtriage_core::measure::Measure;
use ragtriage_eval::compare::{self, ComparePlan, ComparedRun, Comparison};
use ragtriage_pipeline::settings::{Settings, assemble};
use ragtriage_report::comparison::{self, ComparisonDetail};
use ragtriage_report::render::{markdown, terminal};
use ragtriage_runs::SavedRun;

#[derive(Debug, Args)]
pub struct CompareArgs {
    /// Baseline run: its folder, or its name under evals/runs/.
    #[arg(value_name = "BASELINE")]
    baseline: PathBuf,
    /// Runs to compare with it.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<PathBuf>,
    /// Measures to compare: `-m EM@5 -m nDCG@10` [default: all].
    #[arg(short = 'm', long = "measure", value_name = "MEASURE")]
    measures: Vec<String>,
    /// Primary measure, which decides [default: `evaluation.primary`].
    ///
    /// If none is configured: the first available of `AnswerRight`, `AnswerF1`, `EM@prompt`, `EM@5` and `nDCG@10`.
    #[arg(long, value_name = "MEASURE")]
    primary: Option<String>,
    /// Compare only the questions that all runs share.
    #[arg(long)]
    intersect: bool,
    /// Show measures at every cutoff, not only the baseline's k.
    #[arg(long)]
    all: bool,
    /// Flipped questions to show of each kind; --json has all.
    #[arg(long, value_name = "N", default_value_t = 3)]
    limit_flips: usize,
    #[command(flatten)]
    form: FormArgs,
}

/// Formats other than text for a terminal.
#[derive(Debug, Args)]
struct FormArgs {
    /// Print Markdown.
    #[arg(long, conflicts_with = "json")]
    md: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn compare(args: &CompareArgs) -> Result<(), Failure> {
    let measures: Result<Vec<Measure>, _> = args.measures.iter().map(|name| name.parse()).collect();
    let primary = args.primary.as_deref().map(str::parse::<Measure>).transpose()?;
    let baseline = load(&args.baseline)?;
    let others = args.runs.iter().map(|run| load(run)).collect::<Result<Vec<_>, Failure>>()?;
    let plan = ComparePlan {
        evaluation: assemble::evaluation(&baseline.1),
        measures: measures?,
        primary: primary.or(baseline.1.evaluation.primary),
        intersect: args.intersect,
    };
    let subjects: Vec<ComparedRun<'_>> =
        others.iter().map(|(run, settings)| ComparedRun { run, k: settings.retrieval.k }).collect();
    let comparison = compare::compare(&baseline.0, &subjects, &plan)?;
    if args.form.json {
        return output::data(&output::json(&comparison, "the comparison")?);
    }
    // Measures that were named are all shown.
    let every_cutoff = args.all || !args.measures.is_empty();
    let detail = ComparisonDetail { flips: args.limit_flips, every_cutoff };
    let mut report = comparison::report(&comparison, detail);
    report.list(hints(&comparison, detail));
    output::data(&if args.form.md {
        markdown::render(&report)
    } else {
        terminal::render(&report, output::screen())
    })
}

/// The flags that show what the report leaves out.
fn hints(comparison: &Comparison, detail: ComparisonDetail) -> Vec<String> {
    let measures = "--all shows the measures at every cutoff";
    let flips = "--limit-flips N shows more flipped questions, --json all of them";
    [(detail.hides_measures(comparison), measures), (detail.hides_flips(comparison), flips)]
        .into_iter()
        .filter(|(hides, _)| *hides)
        .map(|(_, hint)| hint.to_owned())
        .collect()
}

/// Loads a run with the settings of its manifest.
fn load(named: &Path) -> Result<(SavedRun, Settings), Failure> {
    let run = SavedRun::load(&folder_of(named))?;
    let settings = run.manifest.settings.clone();
    Ok((run, settings))
}
