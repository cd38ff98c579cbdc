//! `ragtriage check`: gates on a run, for a continuous integration job. Exit 1 when the run does not pass.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use crate::failure::Failure;
use crate::output;
use crate::run_folder::folder_of;
use ragtriage_core::config::GateMode;
use ragtriage_core::metric::Quantity;
use ragtriage_data::run::{Manifest, SHARED, SavedRun};
use ragtriage_eval::compare::ComparedRun;
use ragtriage_eval::gate::{self, Gate, GateBound, GatePlan, GateReport};
use ragtriage_pipeline::settings::{Resolved, Settings, assemble};
use ragtriage_report::gates;

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Folder of the run, or its name under evals/runs/.
    run: PathBuf,
    /// Minimum mean of a metric or share of a failure class: `--min EM@5=0.8`.
    #[arg(long, value_name = "METRIC=X")]
    min: Vec<String>,
    /// Maximum mean or share: `--max hallucinated=0.05`.
    #[arg(long, value_name = "METRIC=X")]
    max: Vec<String>,
    /// Maximum worsening from the baseline: `--max-drop AnswerF1=0.02`.
    #[arg(long, value_name = "METRIC=X")]
    max_drop: Vec<String>,
    /// Baseline of drops: the folder of a run, or its name.
    #[arg(long, value_name = "RUN")]
    baseline: Option<PathBuf>,
    /// Metric changes only on the questions that both runs share.
    #[arg(long)]
    intersect: bool,
    /// Configuration file with `[gates]` [default: the run's own].
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Decide by confidence interval or by mean [default: `gates.mode`].
    #[arg(long = "gate", value_enum, value_name = "WHAT")]
    mode: Option<Mode>,
    /// Also write a JUnit file.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Mode {
    /// 95% confidence interval: pass, fail or inconclusive.
    Interval,
    /// Mean: pass or fail.
    Mean,
}

/// Runs the command; returns true if the run passes.
pub fn check(args: &CheckArgs) -> Result<bool, Failure> {
    if let Some(path) = &args.junit
        && std::fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file())
    {
        // An earlier run's verdict must not be read as this one's, however this one ends.
        std::fs::remove_file(path).map_err(|error| output::cannot_write(path, &error))?;
    }
    let flags = flags(args)?;
    let run = SavedRun::load(&folder_of(&args.run))?;
    let (settings, base) = gate_settings(args, &run.manifest)?;
    let gates = merged(assemble::gates(&settings)?, flags);
    if gates.is_empty() {
        return Err(Failure::new(
            "no gates to check",
            "set one with `--min EM@5=0.8`, or name a configuration that has `[gates]` with --config",
        ));
    }
    let configured = settings.gates.baseline.as_ref();
    let configured = configured.filter(|_| gates.iter().any(Gate::needs_baseline));
    let baseline = args.baseline.clone();
    let baseline = baseline.or_else(|| configured.map(|path| base.join(path)));
    let plan = GatePlan {
        gates,
        evaluation: assemble::evaluation(&run.manifest.settings),
        mode: args.mode.map_or(settings.gates.mode, |mode| match mode {
            Mode::Interval => GateMode::Interval,
            Mode::Mean => GateMode::Mean,
        }),
        intersect: args.intersect,
    };
    let baseline = baseline.map(|named| SavedRun::load(&folder_of(&named))).transpose()?;
    let baseline = baseline.as_ref().map(|run| {
        let k = run.manifest.settings.retrieval.k;
        ComparedRun { run, k }
    });
    let report = gate::check(&run, baseline, &plan)?;
    tell(args, &report)?;
    Ok(report.passed)
}

/// The gates of the command line.
fn flags(args: &CheckArgs) -> Result<Vec<Gate>, Failure> {
    let all = [
        ("--min", GateBound::Min, &args.min),
        ("--max", GateBound::Max, &args.max),
        ("--max-drop", GateBound::MaxDrop, &args.max_drop),
    ];
    let mut gates = Vec::new();
    for (flag, bound, given) in all {
        for text in given {
            let gate = parse(flag, bound, text)?;
            if gates.iter().any(|other: &Gate| gate.replaces(other)) {
                let hint = "set each limit of a metric once";
                return Err(Failure::new(format!("duplicate gate `{flag} {text}`"), hint));
            }
            gates.push(gate);
        }
    }
    Ok(gates)
}

fn parse(flag: &str, bound: GateBound, text: &str) -> Result<Gate, Failure> {
    let (name, limit) = text.split_once('=').ok_or_else(|| malformed(flag, text))?;
    let quantity: Quantity = name.trim().parse()?;
    let limit = limit.trim().parse().map_err(|_| malformed(flag, text))?;
    Ok(Gate::new(quantity, bound, limit)?)
}

fn malformed(flag: &str, text: &str) -> Failure {
    let hint =
        format!("for example `{flag} EM@5=0.8`; `ragtriage score --list` explains the metrics");
    Failure::new(format!("invalid gate `{flag} {text}`: expected METRIC=NUMBER"), hint)
}

/// The settings that hold the gates, and the folder that their paths start from.
fn gate_settings(args: &CheckArgs, manifest: &Manifest) -> Result<(Settings, PathBuf), Failure> {
    if let Some(path) = &args.config {
        let resolved = Resolved::new(Some(path), &[])?;
        return Ok((resolved.settings.clone(), resolved.base()));
    }
    let base = Path::new(&manifest.config).parent().map(Path::to_owned).unwrap_or_default();
    Ok((manifest.settings.clone(), base))
}

/// Merges gates: a flag replaces the configured gate for the same bound.
fn merged(settings: Vec<Gate>, flags: Vec<Gate>) -> Vec<Gate> {
    let mut gates: Vec<Gate> = settings;
    for flag in flags {
        match gates.iter_mut().find(|gate| flag.replaces(gate)) {
            Some(gate) => *gate = flag,
            None => gates.push(flag),
        }
    }
    gates
}

/// Prints the report and writes the JUnit file.
fn tell(args: &CheckArgs, report: &GateReport) -> Result<(), Failure> {
    if args.json {
        output::data(&output::json(report, "the gates")?)?;
    } else {
        output::report(&gates::report(report))?;
    }
    if let Some(path) = &args.junit {
        output::file(path, SHARED, gates::junit(report).as_bytes())?;
    }
    Ok(())
}
