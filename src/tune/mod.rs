//! `ragtriage tune`: ranks many trials on the same questions and confirms the best on held-out questions.

mod files;
mod progress;

use std::path::PathBuf;

use clap::Args;

use self::files::report;

use crate::bars::ProgressBars;
use crate::environment::{environment, git_commit};
use crate::failure::Failure;
use crate::output;
use crate::overrides::SetArgs;
use crate::run::stem_of;
use crate::run_folder::{configuration, runs};
use crate::runtime::block_on;
use crate::sample::{load, sample};
use ragtriage_pipeline::settings::Resolved;
use ragtriage_pipeline::sweep::folder::SweepFolder;
use ragtriage_pipeline::sweep::tune::{SweepOutcome, SweepRequest, tune as sweep};
use ragtriage_pipeline::sweep::tune_file::TuneFile;

/// Hint for a sweep that was not finished.
const RERUN: &str = "run the same command again to resume: finished trials are reused";

#[derive(Debug, Args)]
pub struct TuneArgs {
    /// Configuration file with a `[sweep]` table [default: ragtriage.toml].
    config: Option<PathBuf>,
    #[command(flatten)]
    overrides: SetArgs,
    /// Name of the sweep; finished trials are reused [default: file name].
    #[arg(long)]
    name: Option<String>,
    /// Folder to write runs to; the sweep is a folder of runs in it.
    #[arg(long, value_name = "DIR", default_value_os_t = runs())]
    out: PathBuf,
    /// Refuse connections to other machines.
    #[arg(long)]
    offline: bool,
    /// Print tune.json instead of the report.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn tune(args: TuneArgs) -> Result<(), Failure> {
    block_on(async move {
        let config = &configuration(args.config.as_deref())?;
        let mut base = Resolved::new(Some(config), &args.overrides.sets)?;
        let environment = environment(&base, args.offline, false);
        let mut dataset = load(&mut base)?;
        sample(&mut dataset, &base.settings)?;
        let digest = dataset.digest.clone();
        let n_documents = dataset.documents.len();
        let folder =
            SweepFolder::open(&args.out, &args.name.clone().unwrap_or_else(|| stem_of(config)))?;
        let bars = ProgressBars::new();
        let request = SweepRequest {
            base: &base,
            folder: &folder,
            environment: &environment,
            git_commit: git_commit(),
            watch: &bars,
            on_download: &|download| bars.download(download),
        };
        let outcome = Box::pin(sweep(&request, dataset)).await?;
        let record = TuneFile::new(
            &outcome,
            &base.settings.tune,
            config,
            (base.settings.dataset.label(), &digest),
            folder.path(),
        );
        let json = output::json(&record, "tune.json")?;
        let call = (config.as_path(), &args.overrides);
        let report = report(&outcome, call, &base, (n_documents, &digest), &folder, &json)?;
        output::data(if args.json { &json } else { &report })?;
        output::talk(&format!("sweep folder: {}", folder.path().display()));
        conclude(&outcome)
    })
}

/// Returns an error if something in the sweep failed.
fn conclude(outcome: &SweepOutcome) -> Result<(), Failure> {
    let failed = if outcome.runs.iter().all(Option::is_none) {
        "every trial failed".to_owned()
    } else if let Some(failure) = &outcome.failure {
        failure.clone()
    } else {
        return Ok(());
    };
    Err(Failure::new(failed, format!("the report shows each error; {RERUN}")))
}
