//! Gates as annotations of a GitHub Actions job (docs.github.com, "Workflow commands for GitHub Actions").

use super::breaks;
use ragtriage_core::text::sanitize::one_line;
use ragtriage_eval::gate::{GateReport, GateVerdict};

/// A line for every gate that does not pass: an error where it keeps the run from passing, else a warning.
#[must_use]
pub fn annotations(report: &GateReport) -> Vec<String> {
    let open = report
        .gates
        .iter()
        .filter(|gate| gate.verdict != GateVerdict::Pass);
    let annotation = |gate: &ragtriage_eval::gate::GateResult| {
        let level = if breaks(gate, report.strict) {
            "error"
        } else {
            "warning"
        };
        let title = format!("{}: {}", report.run, gate.gate);
        format!(
            "::{level} title={}::{}",
            property(&title),
            message(&gate.reason)
        )
    };
    open.map(annotation).collect()
}

/// As the runner's own toolkit escapes a command's message (actions/toolkit, `command.ts`).
fn message(text: &str) -> String {
    one_line(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// As it escapes a property.
fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}
