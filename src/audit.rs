//! `ragtriage report --audit` and `--audited`: a sample for a person to judge, and the results of that audit.

use std::path::Path;

use clap::ValueEnum;

use crate::failure::Failure;
use crate::output;
use crate::report_format::ReportFormat;
use ragtriage_eval::audit::{self, Corrections};
use ragtriage_eval::diagnose;
use ragtriage_eval::summary::EvaluationPlan;
use ragtriage_report::audit as shown;
use ragtriage_report::render::markdown;
use ragtriage_runs::external::input::Input;
use ragtriage_runs::judged::AUDIT_FILE;
use ragtriage_runs::{RunFolder, SavedRun};

/// Prints a sample of `n` questions as JSON lines, or as Markdown for reading.
pub(super) fn sheet(
    run: &SavedRun,
    plan: &EvaluationPlan,
    n: usize,
    seed: u64,
    form: ReportFormat,
) -> Result<(), Failure> {
    let outcomes = diagnose::outcomes(run, plan.k, plan.judge);
    let rule = audit::decisions(run, &outcomes);
    let lines = audit::sheet(run, &outcomes, &rule, n, seed);
    if lines.is_empty() {
        let hint = "sample at least one: `--audit 50`; failed questions are left out";
        return Err(Failure::new("no questions to judge", hint));
    }
    match form {
        ReportFormat::Md => output::data(&markdown::render(&shown::sheet(&lines))),
        ReportFormat::Terminal | ReportFormat::Json => {
            let json: Result<Vec<String>, _> = lines.iter().map(serde_json::to_string).collect();
            let json =
                json.map_err(|error| Failure::bare(format!("cannot write the sheet: {error}")))?;
            output::data(&(json.join("\n") + "\n"))
        }
        other => Err(other_form("--audit", "json, md", other)),
    }
}

/// Prints the results of the audit in `file`. Judged answers are stored in the run's folder, for its reports.
pub(super) fn audited(
    folder: &RunFolder,
    run: &SavedRun,
    plan: &EvaluationPlan,
    file: &Path,
    form: ReportFormat,
) -> Result<(), Failure> {
    let input = Input::read(file)?;
    let corrections = audit::read(&input, run)?;
    let outcomes = diagnose::outcomes(run, plan.k, plan.judge);
    let rule = audit::decisions(run, &outcomes);
    let audit = audit::audit(run, &outcomes, &rule, &corrections, plan);
    if audit.answers.is_some() {
        folder.write(AUDIT_FILE, input.text().as_bytes())?;
    }
    match form {
        ReportFormat::Terminal => output::report(&shown::report(&audit)),
        ReportFormat::Json => output::data(&output::json(&audit, "the audit")?),
        other => Err(other_form("--audited", "terminal, json", other)),
    }
}

/// Reads the audit stored in the run's folder, if there is one.
pub(super) fn stored(folder: &RunFolder, run: &SavedRun) -> Result<Option<Corrections>, Failure> {
    let file = folder.file(AUDIT_FILE);
    if !file.exists() {
        return Ok(None);
    }
    Ok(Some(audit::read(&Input::read(&file)?, run)?))
}

fn other_form(flag: &str, forms: &str, found: ReportFormat) -> Failure {
    let value = found.to_possible_value();
    let name = value.as_ref().map_or("", |value| value.get_name());
    Failure::new(
        format!("unsupported `--format {name}` for an audit"),
        format!("{flag} supports {forms}"),
    )
}
