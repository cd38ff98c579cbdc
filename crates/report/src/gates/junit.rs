//! Gates as a JUnit file, which CI servers read: a test case per gate.
//!
//! A failed gate is a `failure`, an inconclusive one `skipped`, or a `failure` when inconclusive gates count as failed.

use std::fmt::Write as _;

use ragtriage_core::text::sanitize::one_line;
use ragtriage_eval::gate::{GateReport, GateResult, GateVerdict};

/// Writes XML 1.0 in UTF-8.
#[must_use]
pub fn render(report: &GateReport) -> String {
    let failures = report.gates.iter().filter(|gate| !gate.verdict.passes(report.strict)).count();
    let skipped = report.gates.iter().filter(|gate| is_skipped(gate, report)).count();
    let counts = format!(
        "tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\"",
        report.gates.len()
    );
    let name = escape(&report.run);
    let mut out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n".to_owned();
    let _ = writeln!(out, "<testsuites name=\"ragtriage gates\" {counts}>");
    let _ = writeln!(out, "  <testsuite name=\"{name}\" {counts}>");
    for gate in &report.gates {
        let case = format!("    <testcase classname=\"{name}\" name=\"{}\"", escape(&gate.gate));
        let reason = escape(&gate.reason);
        let _ = if !gate.verdict.passes(report.strict) {
            let kind = gate.verdict.name();
            writeln!(
                out,
                "{case}>\n      <failure type=\"{kind}\" message=\"{reason}\"/>\n    </testcase>"
            )
        } else if is_skipped(gate, report) {
            writeln!(out, "{case}>\n      <skipped message=\"{reason}\"/>\n    </testcase>")
        } else {
            writeln!(out, "{case}/>")
        };
    }
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

fn is_skipped(gate: &GateResult, report: &GateReport) -> bool {
    gate.verdict == GateVerdict::Inconclusive && gate.verdict.passes(report.strict)
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
