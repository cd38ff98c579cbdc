//! `ragxray report`: a saved run's report again, and the files that every report writes.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::{Failure, audit, output};
use crate::eval::summary::{self, EvaluationPlan, Summary};
use crate::report::view::View;
use crate::report::{csv, html, markdown, terminal, trec};
use crate::settings::{Settings, assemble};
use crate::store::{Manifest, RunFolder, SavedRun};

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The run's folder, or the name of one under evals/runs/.
    run: PathBuf,
    /// What to print.
    #[arg(long, value_enum, default_value_t = Form::Terminal)]
    format: Form,
    /// Print a seeded sample of N questions as JSON lines, with all that their class rests on, for a person to look at.
    #[arg(long, value_name = "N", conflicts_with = "audited")]
    audit: Option<usize>,
    /// Seed of that sample.
    #[arg(long, value_name = "S", default_value_t = 0, requires = "audit")]
    audit_seed: u64,
    /// Read that sample back with its `correct_class` filled in: how often the attribution is wrong, and corrected shares.
    #[arg(long, value_name = "FILE")]
    audited: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum Form {
    /// Text for a terminal.
    Terminal,
    /// One self-contained HTML file.
    Html,
    /// Markdown.
    Md,
    /// summary.json.
    Json,
    /// The final ranking of documents, a TREC run.
    Trec,
    /// The judged documents, as `trec_eval` reads them.
    Qrels,
    /// A table, a row a question.
    Csv,
}

/// Runs the command.
pub fn report(args: &ReportArgs) -> Result<(), Failure> {
    let run = SavedRun::load(&folder_of(&args.run))?;
    let settings = recorded_settings(&run.manifest)?;
    let plan = assemble::evaluation(&settings);
    if let Some(n) = args.audit {
        return audit::sheet(&run, &plan, n, args.audit_seed, args.format);
    }
    if let Some(file) = &args.audited {
        return audit::audited(&run, &plan, file, args.format);
    }
    let evaluation = summary::evaluate(&run, &plan);
    let view = View::new(&run, &evaluation);
    output::data(&match args.format {
        Form::Terminal => terminal::render(&view, output::color()),
        Form::Html => html::render(&view),
        Form::Md => markdown::render(&view),
        Form::Json => output::json(&evaluation.summary, "summary.json")?,
        Form::Trec => trec::documents(&run),
        Form::Qrels => trec::qrels(&run),
        Form::Csv => csv::render(&run, &evaluation),
    })
}

/// The folder of a run: as given, or by its name under evals/runs/.
pub fn folder_of(run: &Path) -> RunFolder {
    let named = Path::new(super::run::DEFAULT_OUT).join(run);
    let is_run = |path: &Path| path.join("run.json").is_file();
    RunFolder::existing(if !is_run(run) && is_run(&named) { &named } else { run })
}

/// The settings that a run's record holds.
pub fn recorded_settings(manifest: &Manifest) -> Result<Settings, Failure> {
    serde_json::from_value(manifest.settings.clone()).map_err(|error| {
        let message = format!("run.json holds settings this version does not know: {error}");
        Failure::new(message, Some("run it again with this version".to_owned()))
    })
}

/// Evaluates the run in `folder`, writes all derived files, prints the report (or `summary.json`).
pub fn write_and_print(folder: &RunFolder, plan: &EvaluationPlan, as_json: bool) -> Result<Summary, Failure> {
    let run = SavedRun::load(folder)?;
    let evaluation = summary::evaluate(&run, plan);
    let view = View::new(&run, &evaluation);
    let summary = output::json(&evaluation.summary, "summary.json")?;
    folder.write("summary.json", summary.as_bytes())?;
    folder.write("retrieval.trec", trec::documents(&run).as_bytes())?;
    folder.write("chunks.trec", trec::chunks(&run).as_bytes())?;
    folder.write("qrels.trec", trec::qrels(&run).as_bytes())?;
    folder.write("report.html", html::render(&view).as_bytes())?;
    let printed = output::data(&if as_json { summary } else { terminal::render(&view, output::color()) });
    printed.map_err(|failure| {
        let path = folder.path().display();
        Failure::new(failure.message, Some(format!("the run is whole; print it again: `ragxray report {path}`")))
    })?;
    Ok(evaluation.summary)
}
