//! A judge's verdicts: agreement with the rule, stability, and what an audit makes of them.

use crate::document::{Fact, Table};
use ragtriage_core::rightness::Correctness;
use ragtriage_core::stats::kappa::Kappa;
use ragtriage_core::text::numbers::plural;
use ragtriage_core::types::Interval;
use ragtriage_eval::judge::{FlipCount, JudgeSummary, LEAST_AUDITED};

/// Returns the share of right answers by the judge, corrected by an audit; `None` if the audit does not determine it.
pub(crate) fn right_answers(summary: &JudgeSummary) -> Option<Fact> {
    let right = summary.audit.right?;
    let text = format!(
        "{:.3}, 95% CI {:.3}, corrected by an audit of {} (judge alone: {:.3})",
        right.mean,
        right.ci95,
        plural(summary.audit.n_audited, "answer", "answers"),
        right.predicted
    );
    Some(Fact::new("Right answers by the judge", text))
}

/// Lays out the judge's measures.
pub(crate) fn table(summary: &JudgeSummary) -> Table {
    let judged = plural(summary.n_judged, "answer", "answers");
    let mut table = Table::new(
        format!("Judge `{}`, {judged}", summary.judge),
        &["", "n", "value", "95% CI", "p"],
    );
    let decided = decided(summary);
    let agreed = decided.filter(|(is_same, _)| *is_same).map(|(_, count)| count).sum();
    let n_decided = self::decided(summary).map(|(_, count)| count).sum();
    table.row(row("agreement with the rule", n_decided, share(agreed, n_decided)));
    if let Some(kappa) = &summary.kappa {
        let cells = [format!("{:.2}", kappa.value), interval(kappa.ci95), String::new()];
        table.row(row("kappa with the rule", n_decided, cells));
    }
    let flips = [
        ("flips with the order", summary.order_flips),
        ("flips among repeats", summary.repeat_flips),
    ];
    for (name, flips) in flips {
        if let Some(FlipCount { n, flipped, ci95 }) = flips {
            let [value, ..] = share(flipped, n);
            table.row(row(name, n, [value, interval(ci95), String::new()]));
        }
    }
    if let Some(bias) = &summary.position {
        let p = if bias.p < 1e-4 { "<0.0001".to_owned() } else { format!("{:.4}", bias.p) };
        let cells = [format!("{:+.3}", bias.difference), interval(bias.ci95), p];
        table.row(row("\"same\", gold answer first minus second", bias.n, cells));
    }
    table.notes = notes(summary);
    table
}

fn row(name: &str, n: usize, cells: [String; 3]) -> Vec<String> {
    [name.to_owned(), n.to_string()].into_iter().chain(cells).collect()
}

/// Returns the answers that rule and judge decide: do they agree, and how many.
fn decided(summary: &JudgeSummary) -> impl Iterator<Item = (bool, usize)> {
    let cells = summary.cells.iter();
    cells
        .filter(|cell| cell.rule != Correctness::Unsure && cell.judge != Correctness::Unsure)
        .map(|cell| (cell.rule == cell.judge, cell.count))
}

fn share(count: usize, n: usize) -> [String; 3] {
    let value = if n == 0 { String::new() } else { format!("{:.3}", count as f64 / n as f64) };
    [value, String::new(), String::new()]
}

fn interval(ci95: Option<Interval>) -> String {
    ci95.map_or(String::new(), |ci| format!("{ci:.3}"))
}

fn notes(summary: &JudgeSummary) -> Vec<String> {
    let undecided = summary.cells.iter().filter(|cell| cell.judge == Correctness::Unsure);
    let n_undecided: usize = undecided.map(|cell| cell.count).sum();
    let mut notes = vec![format!(
        "{} of {}; {} of {} unreadable; disagreeing verdicts count as unsure ({}); ${:.4}",
        summary.n_judged,
        plural(summary.n_answers, "answer", "answers"),
        summary.n_unreadable,
        plural(summary.n_replies, "reply", "replies"),
        plural(n_undecided, "answer", "answers"),
        summary.cost_usd
    )];
    notes.push("failure classes, loss budget and gates use the rule, not the judge".to_owned());
    notes.push(standing(summary));
    notes.extend(summary.audit.kappa.as_ref().map(with_people));
    notes
}

/// States what the audit makes of the judge.
fn standing(summary: &JudgeSummary) -> String {
    let n_audited = summary.audit.n_audited;
    if n_audited < LEAST_AUDITED {
        return format!(
            "the judge is not used: audit at least {LEAST_AUDITED} answers ({n_audited} so far)"
        );
    }
    right_answers(summary).map_or_else(
        || "the audited answers do not determine the share of right answers".to_owned(),
        |fact| fact.to_string(),
    )
}

fn with_people(kappa: &Kappa) -> String {
    let ci95 = kappa.ci95.map_or(String::new(), |ci| format!(", 95% CI {ci:.2}"));
    format!(
        "agreement with people where the judge decides: {:.1}%, Cohen's kappa {:.2}{ci95}",
        100.0 * kappa.observed,
        kappa.value
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Report;
    use crate::render::terminal::{self, Screen};
    use ragtriage_core::stats::ppi::PpiMean;
    use ragtriage_eval::judge::{JudgeAudit, JudgeCell, PositionBias};

    fn measured(audit: JudgeAudit) -> JudgeSummary {
        let cell = |rule, judge, count| JudgeCell { rule, judge, count };
        JudgeSummary {
            judge: "m 0123".to_owned(),
            n_answers: 42,
            n_judged: 40,
            n_replies: 84,
            n_unreadable: 4,
            cost_usd: 0.08,
            cells: vec![
                cell(Correctness::Right, Correctness::Right, 18),
                cell(Correctness::Wrong, Correctness::Right, 2),
                cell(Correctness::Wrong, Correctness::Unsure, 20),
            ],
            kappa: None,
            order_flips: Some(FlipCount {
                n: 40,
                flipped: 20,
                ci95: Some(Interval { low: 0.352, high: 0.648 }),
            }),
            repeat_flips: None,
            position: Some(PositionBias {
                n: 40,
                same_gold_first: 40,
                same_answer_first: 20,
                difference: 0.5,
                ci95: None,
                p: 0.000_001_9,
            }),
            audit,
        }
    }

    fn in_terminal(summary: &JudgeSummary) -> String {
        let mut report = Report::new("r");
        report.table(table(summary));
        terminal::render(&report, Screen::new(false))
    }

    #[test]
    fn a_judge_without_an_audit_decides_nothing() {
        let shown = in_terminal(&measured(JudgeAudit { n_audited: 12, ..JudgeAudit::default() }));
        // 18 of the 20 answers that both decide.
        for expected in [
            "Judge `m 0123`, 40 answers",
            "agreement with the rule",
            "0.900",
            "[0.352, 0.648]",
            "+0.500",
            "<0.0001",
            "4 of 84 replies unreadable",
            "the judge is not used: audit at least 50 answers (12 so far)",
        ] {
            assert!(shown.contains(expected), "{expected}: {shown}");
        }
        assert!(!shown.contains("repeats"));
    }

    #[test]
    fn an_audited_judge_has_a_corrected_figure() {
        let right = PpiMean {
            mean: 0.7,
            error: 0.04,
            ci95: Interval { low: 0.62, high: 0.78 },
            predicted: 0.65,
            lambda: 0.9,
        };
        let summary = measured(JudgeAudit { n_audited: 60, kappa: None, right: Some(right) });
        let expected = "Right answers by the judge: 0.700, 95% CI [0.620, 0.780], corrected by an audit of 60 answers (judge alone: 0.650)";
        assert_eq!(right_answers(&summary).expect("a fact").to_string(), expected);
        assert_eq!(standing(&summary), expected);
    }
}
