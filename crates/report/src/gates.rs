//! Gates as a report, and as JUnit for CI servers.

use std::fmt::Write as _;

use crate::comparison::counted;
use crate::document::{Align, Element, Report, Table};
use ragtriage_core::config::GateMode;
use ragtriage_core::metric::Quantity;
use ragtriage_core::text::numbers::plural;
use ragtriage_core::text::sanitize::one_line;
use ragtriage_eval::compare::pairs::QuestionCounts;
use ragtriage_eval::gate::{GateBound, GateReport, GateResult, GateVerdict};

/// Beginning of the root element of the JUnit file.
pub const JUNIT: &str = "<testsuites name=\"ragtriage gates\"";

/// Builds the report.
#[must_use]
pub fn report(gates: &GateReport) -> Report {
    let against = gates.baseline.as_ref().map_or(String::new(), |name| format!(" against {name}"));
    let mut report = Report::new(format!("ragtriage: gates of {}{against}", gates.run));
    report.elements.push(Element::Verdict(verdict(gates)));
    let warnings: Vec<String> =
        [left_out(gates), other_gold(gates)].into_iter().flatten().collect();
    report.warnings(&warnings);
    report.table(table(&gates.gates));
    report
}

fn left_out(gates: &GateReport) -> Option<String> {
    let QuestionCounts { compared, failed, only_baseline, only_run, other_text, .. } =
        gates.questions?;
    let omitted = counted(&[
        (only_baseline, "only in the baseline"),
        (only_run, "only in the run"),
        (failed, "failed in one of the runs"),
        (other_text, "with another text"),
    ])?;
    let asked = plural(compared, "question", "questions");
    Some(format!("drops are over {asked} that both answer; left out: {omitted}"))
}

fn other_gold(gates: &GateReport) -> Option<String> {
    let n = gates.questions?.other_gold;
    (n > 0).then(|| {
        format!(
            "the gold answers or evidence of {} changed since the baseline: labels may cause part of a change",
            plural(n, "question", "questions")
        )
    })
}

fn table(gates: &[GateResult]) -> Table {
    let mut table = Table::new("Gates", &["verdict", "gate", "value", "95% CI", "n"]);
    table.columns[1].align = Align::Left;
    for gate in gates {
        table.row([
            gate.verdict.name().to_owned(),
            gate.gate.clone(),
            value(gate),
            gate.ci95.map_or(String::new(), |ci| format!("{ci:.0$}", digits(gate))),
            gate.n.to_string(),
        ]);
        if gate.verdict != GateVerdict::Pass || gate.bound == GateBound::Complete {
            table.notes.push(format!("{}: {}", gate.gate, gate.reason));
        }
    }
    table
}

/// Returns the mean, or the drop with the means of baseline and run.
fn value(gate: &GateResult) -> String {
    let digits = digits(gate);
    let value = format!("{:.digits$}", gate.value);
    // No negative zero.
    let value = value.strip_prefix('-').filter(|_| value.parse() == Ok(0.0)).unwrap_or(&value);
    gate.means.map_or(value.to_owned(), |[before, after]| {
        format!("{value} ({before:.digits$} -> {after:.digits$})")
    })
}

fn digits(gate: &GateResult) -> usize {
    gate.metric.parse().map_or(3, Quantity::digits)
}

/// Says whether the run passes, and how many gates passed, failed and were inconclusive.
fn verdict(gates: &GateReport) -> String {
    let [passed, failed, open] = [GateVerdict::Pass, GateVerdict::Fail, GateVerdict::Inconclusive]
        .map(|verdict| count(&gates.gates, verdict));
    let open_ones =
        if open == 0 { "" } else { " (not counted as failed; with `--gate strict` they are)" };
    // A gate that is not decided is not called passed.
    let end = match (gates.passed, open) {
        (true, 0) => "The run passes.",
        (true, _) => "No gate failed.",
        (false, _) => "The run does not pass.",
    };
    let (open, by) = match gates.mode {
        GateMode::Interval => (format!(", {open} inconclusive{open_ones}"), ""),
        GateMode::Strict => (String::new(), " An inconclusive gate counts as failed."),
        GateMode::Mean => (String::new(), " Decided by the mean, not by the interval."),
    };
    format!("{end} {passed} passed, {failed} failed{open}.{by}")
}

fn count(gates: &[GateResult], verdict: GateVerdict) -> usize {
    gates.iter().filter(|gate| gate.verdict == verdict).count()
}

/// Writes a JUnit file, XML 1.0 in UTF-8, with a test case per gate. A failed gate is a `failure`, an inconclusive one
/// `skipped`.
#[must_use]
pub fn junit(report: &GateReport) -> String {
    let [failures, skipped] =
        [GateVerdict::Fail, GateVerdict::Inconclusive].map(|verdict| count(&report.gates, verdict));
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\"",
        report.gates.len()
    );
    let name = escape(&report.run);
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let _ = writeln!(out, "{JUNIT} {counts}>");
    let _ = writeln!(out, "  <testsuite name=\"{name}\" {counts}>");
    for gate in &report.gates {
        let case = format!("    <testcase classname=\"{name}\" name=\"{}\"", escape(&gate.gate));
        let reason = escape(&gate.reason);
        let result = match gate.verdict {
            GateVerdict::Fail => format!("<failure type=\"fail\" message=\"{reason}\"/>"),
            GateVerdict::Inconclusive => format!("<skipped message=\"{reason}\"/>"),
            GateVerdict::Pass => {
                let _ = writeln!(out, "{case}/>");
                continue;
            }
        };
        let _ = writeln!(out, "{case}>\n      {result}\n    </testcase>");
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

/// Escapes an attribute's value: one line, without control characters and what XML 1.0 cannot hold (section 2.2).
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests;
