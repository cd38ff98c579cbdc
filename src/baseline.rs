//! `ragtriage baseline`: a run as one small file, to keep in a repository and check later runs against.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::Failure;
use crate::output;
use crate::run_folder::folder_of;
use ragtriage_eval::baseline::{JudgedRun, file};
use ragtriage_eval::gate::GatePlan;
use ragtriage_eval::summary::EvaluationPlan;
use ragtriage_pipeline::settings::assemble;
use ragtriage_runs::{SHARED, SavedRun};

#[derive(Debug, Args)]
pub struct BaselineArgs {
    /// Folder of the run, or its name under evals/runs/.
    run: PathBuf,
    /// File to write.
    #[arg(long, short, value_name = "FILE", default_value = "baseline.json")]
    out: PathBuf,
}

/// Runs the command.
pub fn baseline(args: &BaselineArgs) -> Result<(), Failure> {
    if args.out.is_file() && file::read(&args.out).is_err() {
        return Err(Failure::new(
            format!("`{}` exists and is not a baseline file", args.out.display()),
            "remove it, or name another file with `--out`",
        ));
    }
    let run = SavedRun::load(&folder_of(&args.run))?;
    let EvaluationPlan { measures, k, judge, .. } = assemble::evaluation(&run.manifest.settings);
    let judged = JudgedRun::new(&run, &measures, k, judge);
    let text = file::write(&judged, &run.manifest);
    output::file(&args.out, SHARED, text.as_bytes())?;
    output::talk(&format!(
        "wrote {} ({} questions, {} KB)",
        args.out.display(),
        run.traces.len(),
        text.len().div_ceil(1000)
    ));
    Ok(())
}

/// Reads the baseline `named`, a file or a run's folder or name, with what the gates of `plan` need.
pub fn read(named: &Path, plan: &GatePlan) -> Result<JudgedRun, Failure> {
    let is_file_name = named.extension().is_some_and(|extension| extension == "json");
    if !named.is_dir() && (named.exists() || is_file_name) {
        return Ok(file::read(named)?);
    }
    let run = SavedRun::load(&folder_of(named))?;
    let k = assemble::evaluation(&run.manifest.settings).k;
    Ok(plan.judged(&run, k))
}
