//! `ragtriage report --audit` and `--audited`: a sample for a person to look at, and what that person found.

use std::path::Path;

use clap::ValueEnum;

use crate::failure::Failure;
use crate::output;
use crate::report_format::ReportFormat;
use ragtriage_eval::audit;
use ragtriage_eval::diagnose;
use ragtriage_eval::summary::EvaluationPlan;
use ragtriage_report::audit as shown;
use ragtriage_report::render::markdown;
use ragtriage_runs::SavedRun;
use ragtriage_runs::external::input::Input;

/// Prints a sample of `n` questions as JSON lines, or as Markdown for reading.
pub(super) fn sheet(
    run: &SavedRun,
    plan: &EvaluationPlan,
    n: usize,
    seed: u64,
    form: ReportFormat,
) -> Result<(), Failure> {
    let lines = audit::sheet(run, &diagnose::outcomes(run, plan.k, plan.judge), n, seed);
    if lines.is_empty() {
        let hint = "ask for at least one: `--audit 50`; questions that failed are left out";
        return Err(Failure::new("there is no question to look at", hint));
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

/// Prints what the corrections in `file` come to.
pub(super) fn audited(
    run: &SavedRun,
    plan: &EvaluationPlan,
    file: &Path,
    form: ReportFormat,
) -> Result<(), Failure> {
    let corrections = audit::read(&Input::read(file)?, run)?;
    let outcomes = diagnose::outcomes(run, plan.k, plan.judge);
    let audit = audit::audit(run, &outcomes, &corrections, plan);
    match form {
        ReportFormat::Terminal => output::report(&shown::report(&audit)),
        ReportFormat::Json => output::data(&output::json(&audit, "the audit")?),
        other => Err(other_form("--audited", "terminal, json", other)),
    }
}

fn other_form(flag: &str, forms: &str, found: ReportFormat) -> Failure {
    let value = found.to_possible_value();
    let name = value.as_ref().map_or("", |value| value.get_name());
    Failure::new(
        format!("there is no `--format {name}` of an audit"),
        format!("{flag} takes {forms}"),
    )
}
