//! Answers by who decided on them, and the judge's errors.

use crate::document::{Fact, Table};
use ragtriage_core::text::numbers::plural;
use ragtriage_eval::judge::{ErrorRate, JudgeSummary};
use ragtriage_eval::summary::Summary;

/// Counts the answers by who decided on them; `None` without a judge and an audit.
pub(crate) fn decided(summary: &Summary) -> Option<Fact> {
    let counts = summary.decided?;
    let mut parts = vec![format!("{} by the rule", counts.rule)];
    if let Some(judge) = &summary.judge {
        let [correct, wrong] = [judge.correct_called_different, judge.wrong_called_same]
            .map(|ErrorRate { n, count, .. }| format!("{} of {n}", n - count));
        parts.push(format!(
            "{} by the judge (which agrees with the rule on {correct} correct and {wrong} wrong ones)",
            counts.judge
        ));
    }
    if counts.person > 0 {
        parts.push(format!("{} by a person", counts.person));
    }
    parts.push(format!("{} unsure", counts.unsure));
    Some(Fact::new("Answers decided", parts.join(", ")))
}

/// Lays out the judge's errors.
pub(crate) fn table(summary: &JudgeSummary) -> Table {
    let mut table = Table::new(
        format!("Judge `{}`: errors on sampled and audited answers", summary.judge),
        &["", "n", "errors", "share", "95% CI"],
    );
    let rows = [
        ("correct by the rule, different by the judge", summary.correct_called_different),
        ("wrong by the rule, same by the judge", summary.wrong_called_same),
        ("left open by the rule, unlike the person's judgment", summary.open_unlike_person),
    ];
    for (name, ErrorRate { n, count, ci95 }) in rows {
        let share = if n == 0 { String::new() } else { format!("{:.3}", count as f64 / n as f64) };
        let ci95 = ci95.map_or(String::new(), |ci| format!("{ci:.3}"));
        table.row([name.to_owned(), n.to_string(), count.to_string(), share, ci95]);
    }
    table.notes = vec![format!(
        "{}, {} unreadable, ${:.4}",
        plural(summary.n_replies, "reply", "replies"),
        summary.n_unreadable,
        summary.cost_usd
    )];
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Report;
    use crate::render::terminal::{self, Screen};
    use crate::run;
    use crate::specimen;
    use ragtriage_core::types::Interval;
    use ragtriage_eval::judge::DecidedAnswers;
    use ragtriage_eval::summary;

    #[test]
    fn a_run_with_a_judge_says_who_decided_and_how_far_the_judge_agrees() {
        let saved = specimen::run("r");
        let mut evaluation = summary::evaluate(&saved, &specimen::plan());
        assert!(decided(&evaluation.summary).is_none(), "neither judge nor audit");
        evaluation.summary.decided =
            Some(DecidedAnswers { rule: 260, judge: 14, person: 0, unsure: 1, open: 3 });
        evaluation.summary.judge = Some(JudgeSummary {
            judge: "m 0123".to_owned(),
            n_replies: 67,
            n_unreadable: 1,
            cost_usd: 0.08,
            correct_called_different: ErrorRate {
                n: 40,
                count: 2,
                ci95: Some(Interval { low: 0.014, high: 0.165 }),
            },
            wrong_called_same: ErrorRate {
                n: 10,
                count: 0,
                ci95: Some(Interval { low: 0.0, high: 0.278 }),
            },
            open_unlike_person: ErrorRate::default(),
        });
        let line = "Answers decided: 260 by the rule, 14 by the judge (which agrees with the rule on 38 of 40 correct and 10 of 10 wrong ones), 1 unsure";
        assert_eq!(decided(&evaluation.summary).expect("a fact").to_string(), line);
        let render = |report: &Report| terminal::render(report, Screen::new(false));
        let screen = run::screen(&saved, &evaluation, &Report::default(), render);
        assert!(screen.contains("260 by the rule, 14 by the judge"));
        let mut alone = Report::new("r");
        alone.table(table(evaluation.summary.judge.as_ref().expect("a judge")));
        insta::assert_snapshot!(render(&alone), @r"
        r

        Judge `m 0123`: errors on sampled and audited answers
                                                                n  errors  share          95% CI
          correct by the rule, different by the judge          40       2  0.050  [0.014, 0.165]
          wrong by the rule, same by the judge                 10       0  0.000  [0.000, 0.278]
          left open by the rule, unlike the person's judgment   0       0
          - 67 replies, 1 unreadable, $0.0800
        ");
    }
}
