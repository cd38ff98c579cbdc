//! `ragtriage report`: a saved run's report again, and the files that every report writes.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::Failure;
use crate::overrides::OverrideArgs;
use crate::page::{self, Reported};
use crate::report_format::ReportFormat;
use crate::run_folder::folder_of;
use crate::{audit, next, output};
use ragtriage_core::text::hex::hex;
use ragtriage_eval::outcomes;
use ragtriage_eval::summary::EvaluationPlan;
use ragtriage_pipeline::settings::assemble;
use ragtriage_report::document::Report;
use ragtriage_report::render::terminal::Screen;
use ragtriage_report::render::{markdown, terminal};
use ragtriage_report::run::{COLUMNS, RunReport};
use ragtriage_report::{csv, trec};
use ragtriage_runs::external::recorded;
use ragtriage_runs::{Manifest, PRIVATE, RunFolder, SavedRun, deciding};
use sha2::{Digest, Sha256};

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Folder of the run, or its name under evals/runs/.
    run: PathBuf,
    /// Compare with this baseline run.
    #[arg(long, value_name = "BASELINE", conflicts_with_all = ["audit", "audited"])]
    compare: Option<PathBuf>,
    /// Compare only the questions that both runs share.
    #[arg(long, requires = "compare")]
    intersect: bool,
    /// Format [default: html; json for --audit, terminal for --audited].
    #[arg(long, value_enum)]
    format: Option<ReportFormat>,
    /// Output file, `-` for standard output.
    ///
    /// By default HTML goes to the run's folder and everything else to standard output.
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Omit document text, gold answers and model answers.
    ///
    /// Questions, ids, classes and metrics are kept.
    #[arg(long)]
    no_text: bool,
    /// Hits shown per ranking in HTML.
    ///
    /// Packed and gold passages are always included.
    #[arg(long, value_name = "N", default_value_t = page::DEPTH)]
    depth: usize,
    /// Print N sampled questions for a person to judge.
    ///
    /// JSON lines (`--format md` for reading) with answers and failure classes.
    #[arg(long, value_name = "N", conflicts_with_all = ["audited", "no_text", "out"])]
    audit: Option<usize>,
    /// Seed of the --audit sample.
    #[arg(long, value_name = "S", default_value_t = 0, requires = "audit")]
    audit_seed: u64,
    /// Report on a completed --audit file.
    ///
    /// Shows agreement, the corrected share of right answers and the classes' error rate.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["no_text", "out"])]
    audited: Option<PathBuf>,
}

/// Runs the command.
pub fn report(args: &ReportArgs) -> Result<(), Failure> {
    let folder = folder_of(&args.run);
    if args.audit.is_some() || args.audited.is_some() {
        let mut run = SavedRun::load(&folder)?;
        // An audit is drawn from the results without an earlier one, and measures these.
        run.decided.answers.person.clear();
        let plan = assemble::evaluation(&run.manifest.settings);
        return match (args.audit, &args.audited) {
            (Some(n), _) => audit::sheet(
                &run,
                &plan,
                n,
                args.audit_seed,
                args.format.unwrap_or(ReportFormat::Json),
            ),
            (None, Some(file)) => audit::audited(
                &folder,
                &run,
                &plan,
                file,
                args.format.unwrap_or(ReportFormat::Terminal),
            ),
            (None, None) => Ok(()),
        };
    }
    let form = args.format.unwrap_or(ReportFormat::Html);
    let depth = if form == ReportFormat::Html { args.depth } else { 0 };
    let mut reported = Reported::load(&folder, args.compare.as_deref(), args.intersect, depth)?;
    reported.read_audit(&folder)?;
    if form == ReportFormat::Html {
        reported.draw();
    }
    if args.no_text {
        reported.forget_texts();
    }
    let content = content(&reported, form, page::PageScope { depth, has_text: !args.no_text })?;
    let file = args.out.clone().or_else(|| {
        (form == ReportFormat::Html).then(|| folder.file(&page::file_name(&reported, args.no_text)))
    });
    // The process ends: freeing a run of thousands of questions piece by piece would take a tenth of a second.
    std::mem::forget(reported);
    match file.filter(|file| file != Path::new("-")) {
        None => output::data(&content),
        Some(file) => {
            output::file(&file, PRIVATE, content.as_bytes())?;
            output::data(&format!("{}\n", file.display()))
        }
    }
}

fn content(
    reported: &Reported,
    form: ReportFormat,
    shown: page::PageScope,
) -> Result<String, Failure> {
    let Reported { run, evaluation, compared, .. } = reported;
    Ok(match (form, compared.as_ref()) {
        (ReportFormat::Html, _) => page::render(reported, shown),
        (ReportFormat::Terminal, _) => terminal::render(&plain(reported), output::screen()),
        (ReportFormat::Md, _) => markdown::render(&plain(reported)),
        (ReportFormat::Json, None) => output::json(&evaluation.summary, "summary.json")?,
        (ReportFormat::Json, Some(compared)) => {
            let both = serde_json::json!({"summary": evaluation.summary, "comparison": compared.comparison});
            output::json(&both, "the comparison")?
        }
        (ReportFormat::Trec, None) => trec::documents(run),
        (ReportFormat::Qrels, None) => trec::qrels(run),
        (ReportFormat::Csv, None) => csv::render(run, evaluation),
        (ReportFormat::Record, None) => recorded::write(run, &configuration_digest(&run.manifest)),
        (ReportFormat::Record, Some(_)) => return Err(not_of_two("record")),
        (ReportFormat::Trec, Some(_)) => return Err(not_of_two("trec")),
        (ReportFormat::Qrels, Some(_)) => return Err(not_of_two("qrels")),
        (ReportFormat::Csv, Some(_)) => return Err(not_of_two("csv")),
    })
}

/// Returns the digest of the settings that decide a run's traces, and of its data.
pub fn configuration_digest(manifest: &Manifest) -> String {
    let decides = serde_json::json!([deciding(&manifest.settings), manifest.dataset_digest]);
    hex(&Sha256::digest(decides.to_string()))
}

/// The results of the run, followed by its comparison, if any.
fn plain(reported: &Reported) -> Report {
    let mut report = RunReport::new(&reported.run, &reported.evaluation).report();
    let manifest = &reported.run.manifest;
    let classes = &reported.evaluation.summary.classes;
    let has_failed = classes.get("failed").is_some_and(|n| *n > 0);
    if has_failed && !manifest.is_imported() {
        let hint =
            format!("`ragtriage run --resume {}` asks failed questions again", manifest.name);
        report.list(vec![hint]);
    }
    if let Some(compared) = &reported.compared {
        report.append(compared.report());
    }
    report
}

fn not_of_two(form: &str) -> Failure {
    let hint = "leave --compare out, or write html, md, json or terminal";
    Failure::new(format!("unsupported `--format {form}` with --compare"), hint)
}

/// Output of a finished run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Printed {
    /// The first screen.
    Screen,
    /// The full report.
    Full,
    /// `summary.json`.
    Json,
}

impl Printed {
    /// Returns what the two flags ask for.
    pub fn new(full: bool, json: bool) -> Self {
        match (full, json) {
            (_, true) => Self::Json,
            (true, false) => Self::Full,
            (false, false) => Self::Screen,
        }
    }
}

/// Evaluates the run in `folder`, writes all derived files, and prints what is asked for. `config` is the run's configuration
/// file, `overrides` its flags; `None` for an imported run.
pub fn write_and_print(
    folder: &RunFolder,
    plan: &EvaluationPlan,
    config: &Path,
    overrides: Option<&OverrideArgs>,
    printed: Printed,
) -> Result<(), Failure> {
    let mut reported = Reported::alone(SavedRun::load_with_parts(folder, page::DEPTH)?, plan);
    reported.read_audit(folder)?;
    reported.draw();
    let Reported { run, evaluation, .. } = &reported;
    let summary = output::json(&evaluation.summary, "summary.json")?;
    folder.write("summary.json", summary.as_bytes())?;
    let judged = outcomes::render(&run.traces, &evaluation.outcomes);
    folder.write(outcomes::FILE, judged.as_bytes())?;
    folder.write("retrieval.trec", trec::documents(run).as_bytes())?;
    folder.write("chunks.trec", trec::chunks(run).as_bytes())?;
    folder.write("qrels.trec", trec::qrels(run).as_bytes())?;
    let page = page::render(&reported, page::PageScope { depth: page::DEPTH, has_text: true });
    folder.write(page::FILE, page.as_bytes())?;
    let text = match printed {
        Printed::Json => summary,
        Printed::Full => terminal::render(&plain(&reported), output::screen()),
        Printed::Screen => screen(&reported, folder, config, overrides),
    };
    output::data(&text).map_err(|failure| {
        let path = folder.path().display();
        Failure::new(
            failure.message,
            format!("the run is complete; print it with `ragtriage report {path}`"),
        )
    })
}

fn screen(
    reported: &Reported,
    folder: &RunFolder,
    config: &Path,
    overrides: Option<&OverrideArgs>,
) -> String {
    let Reported { run, evaluation, .. } = reported;
    let screen = output::screen();
    let screen = Screen { width: screen.width.min(COLUMNS), ..screen };
    let report = RunReport::new(run, evaluation);
    report.screen(
        &next::steps(&evaluation.summary, &run.manifest, folder, config, overrides),
        |report| terminal::render(report, screen),
    )
}
