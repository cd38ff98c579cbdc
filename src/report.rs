//! `ragtriage report`: a finished run in every format; its audit by a person; and the files that every run ends with.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::failure::Failure;
use crate::overrides::OverrideArgs;
use crate::run_folder::folder_of;
use crate::{next, output};
use ragtriage_data::run::external::input::Input;
use ragtriage_data::run::judged::AUDIT_FILE;
use ragtriage_data::run::{PRIVATE, RunFolder, SavedRun};
use ragtriage_eval::audit::{self, answer_audit, decisions};
use ragtriage_eval::summary::{self, Evaluation, EvaluationPlan};
use ragtriage_eval::{diagnose, outcomes};
use ragtriage_pipeline::settings::assemble;
use ragtriage_pipeline::sparse::EXPLAINED;
use ragtriage_report::audit as audit_report;
use ragtriage_report::document::Report;
use ragtriage_report::html;
use ragtriage_report::questions::{Evaluated, PageScope, Questions};
use ragtriage_report::render::terminal::Screen;
use ragtriage_report::render::{markdown, terminal};
use ragtriage_report::run::{self, COLUMNS};
use ragtriage_report::trec;

/// Hits per ranking in HTML: those whose scores are explained.
const DEPTH: usize = EXPLAINED;
/// The HTML report in the folder of its run.
pub const HTML_FILE: &str = "report.html";
/// The seed of the sample that a person judges.
const AUDIT_SEED: u64 = 0;

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// Folder of the run, or its name in ragtriage-runs/.
    run: PathBuf,
    /// Format [default: html; terminal for --audited].
    ///
    /// HTML is written to the run's folder, everything else is printed.
    #[arg(long, value_enum, conflicts_with = "audit")]
    format: Option<ReportFormat>,
    /// Omit document text, gold answers and model answers.
    ///
    /// Questions, ids, classes and metrics are kept.
    #[arg(long)]
    no_text: bool,
    /// Print N sampled questions for a person to judge.
    ///
    /// JSON lines with answers and failure classes.
    #[arg(long, value_name = "N", conflicts_with_all = ["audited", "no_text"])]
    audit: Option<usize>,
    /// Report on a completed --audit file.
    ///
    /// Shows agreement, the corrected share of correct answers and the classes' error rate.
    #[arg(long, value_name = "FILE", conflicts_with = "no_text")]
    audited: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ReportFormat {
    /// One self-contained HTML file.
    Html,
    /// Text for a terminal.
    Terminal,
    /// Markdown, for a pull request.
    Md,
    /// summary.json.
    Json,
    /// The first screen, as a run prints it.
    Screen,
}

/// A run that is reported.
struct Reported {
    run: SavedRun,
    evaluation: Evaluation,
    k: usize,
}

impl Reported {
    /// Evaluates the run, with the audit stored in its folder.
    fn new(folder: &RunFolder, run: SavedRun, plan: &EvaluationPlan) -> Result<Self, Failure> {
        let mut evaluation = summary::evaluate(&run, plan);
        let file = folder.file(AUDIT_FILE);
        if file.exists() {
            let corrections = audit::read(&Input::read(&file)?, &run)?;
            let rule = decisions(&run, &evaluation.outcomes);
            evaluation.summary.answer_audit = answer_audit(&run, &rule, &corrections);
        }
        Ok(Self { run, evaluation, k: plan.k })
    }

    /// Removes document text, gold answers and model answers.
    fn forget_texts(&mut self) {
        self.run.forget_texts();
        self.evaluation.forget_texts();
    }

    fn html(&self, has_text: bool) -> String {
        let Self { run, evaluation, k } = self;
        let scope = PageScope { depth: DEPTH, has_text };
        let questions = Questions::new(Evaluated { run, evaluation, k: *k }, scope);
        html::render(&run.manifest.name, &self.document(), &questions.blocks())
    }

    /// The results of the run.
    fn document(&self) -> Report {
        run::report(&self.run, &self.evaluation)
    }

    /// The first screen, with `steps` as its last lines.
    fn first_screen(&self, steps: &Report) -> String {
        let screen = output::screen();
        let screen = Screen { width: screen.width.min(COLUMNS), ..screen };
        run::screen(&self.run, &self.evaluation, steps, |report| terminal::render(report, screen))
    }

    fn content(&self, form: ReportFormat, has_text: bool) -> Result<String, Failure> {
        Ok(match form {
            ReportFormat::Html => self.html(has_text),
            ReportFormat::Terminal => terminal::render(&self.document(), output::screen()),
            ReportFormat::Md => markdown::render(&self.document()),
            ReportFormat::Json => output::json(&self.evaluation.summary, "summary.json")?,
            ReportFormat::Screen => self.first_screen(&Report::default()),
        })
    }
}

/// Runs the command.
pub fn report(args: &ReportArgs) -> Result<(), Failure> {
    let folder = folder_of(&args.run);
    if let Some(n) = args.audit {
        return sheet(&folder, n);
    }
    if let Some(file) = &args.audited {
        return audited(&folder, file, args.format.unwrap_or(ReportFormat::Terminal));
    }
    let form = args.format.unwrap_or(ReportFormat::Html);
    let is_html = form == ReportFormat::Html;
    let run = SavedRun::load_with_parts(&folder, if is_html { DEPTH } else { 0 })?;
    let plan = assemble::evaluation(&run.manifest.settings);
    let mut reported = Reported::new(&folder, run, &plan)?;
    if args.no_text {
        reported.forget_texts();
    }
    let content = reported.content(form, !args.no_text)?;
    let name = if args.no_text { "report-no-text.html" } else { HTML_FILE };
    let file = is_html.then(|| folder.file(name));
    // The process ends: freeing a run of thousands of questions piece by piece would take a tenth of a second.
    std::mem::forget(reported);
    let Some(file) = file else {
        return output::data(&content);
    };
    output::file(&file, PRIVATE, content.as_bytes())?;
    output::data(&format!("{}\n", file.display()))
}

/// Reads a run whose audit is drawn from, or that measures the results without an earlier one.
fn unaudited(folder: &RunFolder) -> Result<(SavedRun, EvaluationPlan), Failure> {
    let mut run = SavedRun::load(folder)?;
    run.decided.answers.person.clear();
    let plan = assemble::evaluation(&run.manifest.settings);
    Ok((run, plan))
}

/// Prints a sample of `n` questions as JSON lines.
fn sheet(folder: &RunFolder, n: usize) -> Result<(), Failure> {
    let (run, plan) = unaudited(folder)?;
    let outcomes = diagnose::outcomes(&run, plan.k, plan.judge);
    let lines = audit::sheet(&run, &outcomes, &decisions(&run, &outcomes), n, AUDIT_SEED);
    if lines.is_empty() {
        let hint = "sample at least one: `--audit 50`; failed questions are left out";
        return Err(Failure::new("no questions to judge", hint));
    }
    let json: Result<Vec<String>, _> = lines.iter().map(serde_json::to_string).collect();
    let json = json.map_err(|error| Failure::bare(format!("cannot write the sheet: {error}")))?;
    output::data(&(json.join("\n") + "\n"))
}

/// Prints the results of the audit in `file`. Judged answers are stored in the run's folder, for its reports.
fn audited(folder: &RunFolder, file: &Path, form: ReportFormat) -> Result<(), Failure> {
    let (run, plan) = unaudited(folder)?;
    let input = Input::read(file)?;
    let corrections = audit::read(&input, &run)?;
    let outcomes = diagnose::outcomes(&run, plan.k, plan.judge);
    let rule = decisions(&run, &outcomes);
    let audit = audit::audit(&run, &outcomes, &rule, &corrections);
    if audit.answers.is_some() {
        folder.write(AUDIT_FILE, input.text().as_bytes())?;
    }
    if audit.answers.is_some() && run.manifest.finished.is_some() {
        let run = SavedRun::load_with_parts(folder, DEPTH)?;
        write_derived(folder, &Reported::new(folder, run, &plan)?)?;
    }
    match form {
        ReportFormat::Terminal => output::report(&audit_report::report(&audit)),
        ReportFormat::Json => output::data(&output::json(&audit, "the audit")?),
        _ => Err(Failure::new("an audit has no such report", "use `--format terminal` or `json`")),
    }
}

/// Evaluates the run in `folder`, writes all derived files, and prints the first screen, or the full report, or `summary.json`.
/// `config` is the run's configuration file, `overrides` its flags; `None` for an imported run.
pub fn conclude(
    folder: &RunFolder,
    plan: &EvaluationPlan,
    config: &Path,
    overrides: Option<&OverrideArgs>,
    (full, json): (bool, bool),
) -> Result<(), Failure> {
    let run = SavedRun::load_with_parts(folder, DEPTH)?;
    let reported = Reported::new(folder, run, plan)?;
    let summary = write_derived(folder, &reported)?;
    let text = if json {
        summary
    } else if full {
        terminal::render(&reported.document(), output::screen())
    } else {
        let Reported { run, evaluation, .. } = &reported;
        let steps = next::steps(&evaluation.summary, &run.manifest, folder, config, overrides);
        reported.first_screen(&steps)
    };
    output::data(&text).map_err(|failure| {
        let path = folder.path().display();
        let hint = format!("the run is complete; print it with `ragtriage report {path}`");
        Failure::new(failure.message, hint)
    })
}

/// Writes all derived files into the run's folder; returns `summary.json`.
fn write_derived(folder: &RunFolder, reported: &Reported) -> Result<String, Failure> {
    let Reported { run, evaluation, .. } = reported;
    let summary = output::json(&evaluation.summary, "summary.json")?;
    folder.write(outcomes::FILE, outcomes::render(run, evaluation).as_bytes())?;
    folder.write("retrieval.trec", trec::documents(run).as_bytes())?;
    folder.write("qrels.trec", trec::qrels(run).as_bytes())?;
    folder.write(HTML_FILE, reported.html(true).as_bytes())?;
    // The last one: with it the run is complete.
    folder.write("summary.json", summary.as_bytes())?;
    Ok(summary)
}
