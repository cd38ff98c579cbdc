//! `ragtriage check`: gates on a run, for a continuous integration job. Exit 1 when the run does not pass.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::failure::Failure;
use crate::output;
use crate::run_folder::{announce, folder_of, nearest};
use crate::shell::shell;
use ragtriage_core::config::{GateMode, GatesSettings};
use ragtriage_core::metric::Quantity;
use ragtriage_data::run::{Manifest, SHARED, SavedRun};
use ragtriage_eval::compare::ComparedRun;
use ragtriage_eval::gate::{self, Gate, GateBound, GatePlan, GateReport};
use ragtriage_pipeline::settings::{Resolved, Settings, assemble};
use ragtriage_report::document::{Element, Fact};
use ragtriage_report::gates;

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Folder of the run, or its name in ragtriage-runs/.
    run: PathBuf,
    /// Configuration file with `[gates]` [default: ragtriage.toml if it has gates, else the run's].
    config: Option<PathBuf>,
    /// Minimum mean of a metric or share of a failure class: `--min EM@5=0.8`.
    #[arg(long, value_name = "METRIC=X")]
    min: Vec<String>,
    /// Maximum mean or share: `--max hallucinated=0.05`.
    #[arg(long, value_name = "METRIC=X")]
    max: Vec<String>,
    /// Maximum worsening from the baseline: `--max-drop AnswerCorrect=0.05`.
    #[arg(long, value_name = "METRIC=X")]
    max_drop: Vec<String>,
    /// Baseline of drops: the folder of a run, or its name.
    #[arg(long, value_name = "RUN")]
    baseline: Option<PathBuf>,
    /// Metric changes only on the questions that both runs share.
    #[arg(long)]
    intersect: bool,
    /// Decide by the 95% interval, the same with inconclusive gates failing, or the mean [default: `gates.mode`].
    #[arg(long = "gate", value_name = "WHAT", value_parser = modes())]
    mode: Option<GateMode>,
    /// Also write a JUnit file; without a verdict the file is removed.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

fn modes() -> impl TypedValueParser<Value = GateMode> {
    let values = PossibleValuesParser::new(GateMode::ALL.map(GateMode::name));
    values.map(|name| GateMode::named(&name).expect("a possible value"))
}

/// Runs the command; returns true if the run passes.
pub fn check(args: &CheckArgs) -> Result<bool, Failure> {
    let flags = flags(args)?;
    let run = SavedRun::load(&folder_of(&args.run))?;
    let (settings, base) = gate_settings(args, &run.manifest)?;
    let gates = merged(assemble::gates(&settings)?, flags);
    if gates.is_empty() {
        return Err(Failure::new(
            "no gates to check",
            "set one with `--min EM@5=0.8`, or in `[gates]` of the configuration",
        ));
    }
    let configured = settings.gates.baseline.as_ref();
    let configured = configured.filter(|_| gates.iter().any(Gate::needs_baseline));
    let named = args.baseline.clone().or_else(|| configured.map(|path| base.join(path)));
    let plan = GatePlan {
        gates,
        evaluation: assemble::evaluation(&run.manifest.settings),
        mode: args.mode.unwrap_or(settings.gates.mode),
        intersect: args.intersect,
    };
    let real = |run: &PathBuf| folder_of(run).path().canonicalize().ok();
    if named.as_ref().is_some_and(|named| real(named) == real(&args.run)) {
        let message = format!("`{}` is its own baseline", args.run.display());
        return Err(Failure::new(message, "name an earlier run: `--baseline` or `gates.baseline`"));
    }
    let baseline = named.as_ref().map(|named| SavedRun::load(&folder_of(named))).transpose()?;
    let baseline = baseline.as_ref().map(|run| {
        let k = run.manifest.settings.retrieval.k;
        ComparedRun { run, k }
    });
    let report = gate::check(&run, baseline, &plan)?;
    tell(args, named.as_deref(), &report)?;
    Ok(report.passed)
}

/// Removes the JUnit file that the arguments of the program name, if they are a check's: an earlier verdict must not be read as that
/// of a check that then fails, even at its arguments.
pub fn remove_verdict(arguments: impl Iterator<Item = OsString>) -> Result<(), Failure> {
    let mut arguments = arguments.skip(1);
    if arguments.next().is_none_or(|command| command != "check") {
        return Ok(());
    }
    while let Some(argument) = arguments.next() {
        let file = match argument.to_str().and_then(|text| text.strip_prefix("--junit")) {
            Some("") => arguments.next(),
            Some(file) => file.strip_prefix('=').map(OsString::from),
            None => None,
        };
        let file = file.map(|file| PathBuf::from(&file).canonicalize().unwrap_or(file.into()));
        if let Some(file) = file.filter(|file| is_verdict(file)) {
            std::fs::remove_file(&file).map_err(|error| output::cannot_write(&file, &error))?;
        }
    }
    Ok(())
}

/// Returns true for a file that a check wrote: no other one is removed.
fn is_verdict(file: &Path) -> bool {
    let mut head = Vec::new();
    let read = std::fs::File::open(file).and_then(|file| file.take(256).read_to_end(&mut head));
    file.is_file() && read.is_ok() && String::from_utf8_lossy(&head).contains(gates::JUNIT)
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
    let limit = limit.trim();
    let share = limit.strip_suffix('%').filter(|_| quantity.range().1.is_finite());
    let (number, unit) = share.map_or((limit, 1.0), |share| (share, 100.0));
    let number: f64 = number.parse().map_err(|_| malformed(flag, text))?;
    Ok(Gate::new(quantity, bound, number / unit)?)
}

fn malformed(flag: &str, text: &str) -> Failure {
    let hint = "for example `--min EM@5=0.8`, `--max hallucinated=0.05`; the documentation's page Metrics has the metrics";
    Failure::new(format!("invalid gate `{flag} {text}`: expected METRIC=NUMBER"), hint)
}

/// The settings that hold the gates, and the folder that their paths start from.
fn gate_settings(args: &CheckArgs, manifest: &Manifest) -> Result<(Settings, PathBuf), Failure> {
    let found = args.config.clone().or_else(nearest);
    if let Some(path) = found {
        let resolved = Resolved::new(Some(&path), &[])?;
        let has_gates = resolved.settings.gates != GatesSettings::default();
        if has_gates && args.config.is_none() {
            announce(&path);
        }
        if has_gates || args.config.is_some() {
            return Ok((resolved.settings.clone(), resolved.base()));
        }
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
fn tell(args: &CheckArgs, baseline: Option<&Path>, report: &GateReport) -> Result<(), Failure> {
    if args.json {
        output::data(&output::json(report, "the gates")?)?;
    } else {
        let mut shown = gates::report(report);
        if !report.passed {
            let run = shell(&args.run);
            let command = match baseline.filter(|_| report.questions.is_some()) {
                Some(baseline) => {
                    let intersect = if args.intersect { " --intersect" } else { "" };
                    format!("ragtriage compare {} {run}{intersect}", shell(baseline))
                }
                None => format!("ragtriage report {run}"),
            };
            shown.facts(vec![Fact::new("next", "see the questions that the run loses")]);
            shown.elements.push(Element::Lines(vec![format!("  {command}")]));
        }
        output::report(&shown)?;
    }
    if let Some(path) = &args.junit {
        output::file(path, SHARED, gates::junit(report).as_bytes())?;
    }
    Ok(())
}
