//! `ragtriage doctor`: checks what a configuration needs, before a run does. Exit 1 if a check fails.

mod check;
mod endpoints;
mod machine;
mod models;
mod vectors;

use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;

use self::check::{Check, Status};
use crate::environment::environment;
use crate::failure::Failure;
use crate::output;
use crate::overrides::OverrideArgs;
use crate::run_args::DEFAULT_CONFIG;
use crate::runtime::block_on;
use ragtriage_pipeline::settings::{Resolved, Settings, assemble};
use ragtriage_report::document::{Fact, Report};

/// Maximum time in seconds that a check waits for a service.
const MOST_S: f64 = 10.0;

#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Configuration file [default: config/runbooks.toml if it exists].
    config: Option<PathBuf>,
    #[command(flatten)]
    overrides: OverrideArgs,
    /// Refuse connections to other machines.
    #[arg(long)]
    offline: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Checkup<'a> {
    passed: bool,
    checks: &'a [Check],
}

/// Runs the command; returns true if no check failed.
pub fn doctor(args: &DoctorArgs) -> Result<bool, Failure> {
    let checks = block_on(async { Ok(checks(args).await) })?;
    let passed = checks.iter().all(|check| check.status != Status::Failed);
    if args.json {
        let checks = &checks;
        output::data(&output::json(&Checkup { passed, checks }, "the checks")?)?;
    } else {
        output::report(&report(&checks))?;
    }
    Ok(passed)
}

async fn checks(args: &DoctorArgs) -> Vec<Check> {
    let (config, resolved) = match configuration(args) {
        Ok(found) => found,
        Err(failure) => return vec![Check::new("configuration", Err(failure))],
    };
    let mut checks = vec![Check::new("configuration", Ok(config))];
    let environment = match environment(&resolved, args.offline, false) {
        Ok(environment) => environment,
        Err(failure) => {
            checks.push(Check::new("cache folder", Err(failure)));
            return checks;
        }
    };
    checks.extend(machine::checks(&environment));
    checks.extend(models::checks(&resolved, &environment).await);
    checks.extend(vectors::checks(&resolved, &environment).await);
    checks.extend(endpoints::checks(&resolved, &environment).await);
    checks
}

/// Reads and validates the configuration; with the text that names it.
fn configuration(args: &DoctorArgs) -> Result<(String, Resolved), Failure> {
    let default = Path::new(DEFAULT_CONFIG);
    let file = args.config.as_deref().or(default.exists().then_some(default));
    let mut resolved = Resolved::new(file, &args.overrides.sets()?)?;
    limit_waits(&mut resolved.settings);
    assemble::check(&resolved.settings)?;
    let name = file.map_or("built-in defaults".to_owned(), |file| file.display().to_string());
    Ok((name, resolved))
}

/// Limits every timeout to what a person waits for.
fn limit_waits(settings: &mut Settings) {
    let timeouts = [
        &mut settings.retrieval.dense.timeout_s,
        &mut settings.retrieval.collection.timeout_s,
        &mut settings.rerank.timeout_s,
        &mut settings.vector_store.timeout_s,
        &mut settings.generation.timeout_s,
        &mut settings.judge.timeout_s,
        &mut settings.external.timeout_s,
    ];
    for timeout in timeouts {
        *timeout = timeout.min(MOST_S);
    }
}

/// One line for each check, and one for its hint.
fn report(checks: &[Check]) -> Report {
    let facts = checks.iter().flat_map(|check| {
        let status = match check.status {
            Status::Ok => "ok    ",
            Status::Note => "note  ",
            Status::Failed => "failed",
        };
        let label = format!("{status}  {}", check.subject);
        let hint = check.hint.iter();
        let hint = hint.map(|hint| Fact::new("", format!("hint: {hint}")));
        [Fact::new(label, check.fact.clone())].into_iter().chain(hint)
    });
    let mut report = Report::default();
    report.facts(facts.collect());
    report
}
