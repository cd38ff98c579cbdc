//! Gates for people, for CI servers and for GitHub: lines of a terminal here, [`junit`], [`github`].

pub mod github;
pub mod junit;

#[cfg(test)]
mod tests;

use super::terminal::Page;
use ragtriage_core::config::GateMode;
use ragtriage_eval::gate::{GateReport, GateResult, GateVerdict};

/// Each gate a line, with the reason under it when it does not pass; the count last.
#[must_use]
pub fn render(report: &GateReport, color: bool) -> String {
    let mut out = Page::new(color);
    let against = report
        .baseline
        .as_ref()
        .map_or(String::new(), |name| format!(" against {name}"));
    out.heading(&format!("ragtriage: gates of {}{against}", report.run));
    if let Some(questions) = report
        .questions
        .filter(|questions| questions.only_baseline + questions.only_run > 0)
    {
        out.wrapped(
            "  ! ",
            &format!(
                "drops are over the {} questions that both ask; {} only in the baseline and {} only in the run are left out",
                questions.compared, questions.only_baseline, questions.only_run
            ),
        );
    }
    let width = report
        .gates
        .iter()
        .map(|gate| gate.gate.chars().count())
        .max()
        .unwrap_or(0);
    for gate in &report.gates {
        out.line(&line(gate, width));
        if gate.verdict != GateVerdict::Pass {
            out.wrapped("                ", &gate.reason);
        }
    }
    out.wrapped("", &totals(report));
    out.text
}

fn line(gate: &GateResult, width: usize) -> String {
    let interval = gate.ci95.map_or(String::new(), |ci| format!("{ci:.3}"));
    format!(
        "  {:<12}  {:<width$}  {:>6.3} {interval:<16}  n {}",
        gate.verdict.name(),
        gate.gate,
        gate.value,
        gate.n
    )
}

/// How many gates passed, failed and were undecided, and what that means.
fn totals(report: &GateReport) -> String {
    let count = |verdict: GateVerdict| {
        report
            .gates
            .iter()
            .filter(|gate| gate.verdict == verdict)
            .count()
    };
    let (passed, failed, open) = (
        count(GateVerdict::Pass),
        count(GateVerdict::Fail),
        count(GateVerdict::Inconclusive),
    );
    let strict = match (open, report.strict) {
        (0, _) => "",
        (_, true) => ", which --strict counts as failed",
        (_, false) => ", which --strict would count as failed",
    };
    let end = if report.passed {
        "The run passes."
    } else {
        "The run does not pass."
    };
    let by = match report.mode {
        GateMode::Interval => "",
        GateMode::Mean => " Judged by the value alone.",
    };
    format!("{end} {passed} passed, {failed} failed, {open} inconclusive{strict}.{by}")
}

/// Whether a gate keeps the run from passing.
fn breaks(gate: &GateResult, strict: bool) -> bool {
    gate.verdict == GateVerdict::Fail || strict && gate.verdict == GateVerdict::Inconclusive
}
