//! Gates as annotations of a GitHub Actions job (docs.github.com, "Workflow commands for GitHub Actions").

use ragtriage_core::text::sanitize::one_line;
use ragtriage_eval::gate::{GateReport, GateResult, GateVerdict};

/// Writes a line for every gate that does not pass: an error where it fails the run, else a warning.
#[must_use]
pub fn annotations(report: &GateReport) -> Vec<String> {
    report
        .gates
        .iter()
        .filter(|gate| gate.verdict != GateVerdict::Pass)
        .map(|gate| annotation(gate, report))
        .collect()
}

fn annotation(gate: &GateResult, report: &GateReport) -> String {
    let level = if gate.verdict.passes(report.strict) { "warning" } else { "error" };
    let title = format!("{}: {}", report.run, gate.gate);
    format!("::{level} title={}::{}", property(&title), message(&gate.reason))
}

/// Escapes a command's message as the runner's toolkit does (actions/toolkit, `command.ts`).
fn message(text: &str) -> String {
    one_line(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a command's property.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}
