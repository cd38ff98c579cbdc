//! An audit by a person: what the corrections of answers and failure classes change.

use crate::document::{Element, Fact, Report, Table};
use ragtriage_core::correctness::Correctness;
use ragtriage_core::text::numbers::{percent, percents, plural};
use ragtriage_core::types::FailureClass;
use ragtriage_eval::audit::{AnswerAudit, Audit};
use ragtriage_eval::summary::Share;

/// Builds the report on an audit.
#[must_use]
pub fn report(audit: &Audit) -> Report {
    let mut report = Report::new(format!("ragtriage: audit of {}", audit.run));
    if let Some(answers) = &audit.answers {
        report.elements.push(Element::Verdict(verdict(answers)));
    }
    if audit.n_audited > 0 {
        report.elements.push(Element::Verdict(error_rate(audit)));
    }
    if let Some(answers) = &audit.answers {
        report.table(agreement(answers));
    }
    if audit.n_audited > 0 {
        report.table(confusion(audit));
    }
    report
}

fn error_rate(audit: &Audit) -> String {
    let ci95 = audit.wrong.ci95.map_or(String::new(), |ci| format!(", 95% CI {}", percents(ci)));
    format!(
        "{} of {} sampled questions were audited, and {} had the wrong class: error rate {}{ci95}.",
        audit.n_audited,
        audit.n_sampled,
        audit.wrong.count,
        percent(audit.wrong.share)
    )
}

fn confusion(audit: &Audit) -> Table {
    let cells = &audit.confusion;
    let all = FailureClass::ALL.iter();
    let printed = all.clone().filter(|class| cells.iter().any(|cell| cell.printed == **class));
    let correct = all.filter(|class| cells.iter().any(|cell| cell.correct == **class));
    let correct: Vec<&FailureClass> = correct.collect();
    let title = "Printed class (rows) by correct class (columns)";
    Table::of_counts(title, printed, &correct, |printed, correct| {
        let mut cells = cells.iter();
        let cell = cells.find(|cell| (&cell.printed, &cell.correct) == (*printed, *correct));
        cell.map_or(0, |cell| cell.count)
    })
}

/// Returns the corrected share of correct answers; `None` if the audit does not determine it.
pub(crate) fn correct_answers(audit: &AnswerAudit) -> Option<Fact> {
    let correct = audit.correct?;
    let text = format!(
        "{:.3}, 95% CI [{:.3}, {:.3}], corrected by an audit of {} (rule alone: {:.3})",
        correct.mean,
        correct.ci95.low,
        correct.ci95.high,
        plural(audit.n_audited, "answer", "answers"),
        correct.predicted
    );
    Some(Fact::new("Correct answers", text))
}

/// States the corrected share, or why there is none.
fn verdict(audit: &AnswerAudit) -> String {
    if let Some(fact) = correct_answers(audit) {
        return format!("{fact}.");
    }
    let audited = plural(audit.n_audited, "audited answer", "audited answers");
    format!(
        "{audited}; the share of correct answers cannot be corrected: all questions share gold evidence."
    )
}

/// Lays out decisions by judgments.
fn agreement(audit: &AnswerAudit) -> Table {
    let audited = plural(audit.n_audited, "audited answer", "audited answers");
    let mut table = Table::new(
        format!("Rule (rows) by person (columns), {audited}"),
        &["", "correct", "wrong"],
    );
    for (rule, name) in [
        (Correctness::Correct, "correct"),
        (Correctness::Wrong, "wrong"),
        (Correctness::Unsure, "unsure"),
    ] {
        let counts = [true, false].map(|is_correct| {
            let cell =
                audit.cells.iter().find(|cell| (cell.rule, cell.is_correct) == (rule, is_correct));
            cell.map_or(0, |cell| cell.count)
        });
        if counts != [0, 0] || rule != Correctness::Unsure {
            table.row([name.to_owned(), counts[0].to_string(), counts[1].to_string()]);
        }
    }
    table.notes.extend(agreed(audit));
    if audit.correct.is_some() {
        table.notes.push(
            "corrected: prediction-powered inference; the rule counts an unsure answer as 0.5"
                .to_owned(),
        );
    }
    table
}

/// Describes the agreement on the answers that the rule decides; `None` without any.
fn agreed(audit: &AnswerAudit) -> Option<String> {
    let Share { share, ci95, .. } = audit.agreed;
    let (share, ci95) = (percent(share), percents(ci95?));
    Some(format!("where the rule decides: agreement {share}, 95% CI {ci95}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::terminal::{self, Screen};
    use crate::run;
    use crate::specimen;
    use ragtriage_core::stats::ppi::PpiMean;
    use ragtriage_core::types::Interval;
    use ragtriage_eval::audit::{Audit, JudgedCell};
    use ragtriage_eval::summary;

    /// Forty audited answers of 250, of which the rule decides 37 as the person does.
    fn forty() -> AnswerAudit {
        let cell = |rule, is_correct, count| JudgedCell { rule, is_correct, count };
        AnswerAudit {
            n_questions: 250,
            n_unsure: 12,
            n_audited: 40,
            cells: vec![
                cell(Correctness::Correct, true, 28),
                cell(Correctness::Correct, false, 2),
                cell(Correctness::Wrong, true, 1),
                cell(Correctness::Wrong, false, 9),
            ],
            // Wilson's interval of 37 of 40.
            agreed: Share {
                count: 37,
                share: 0.925,
                ci95: Some(Interval { low: 0.8014, high: 0.9742 }),
            },
            correct: Some(PpiMean {
                mean: 0.712,
                error: 0.04,
                ci95: Interval { low: 0.6321, high: 0.7919 },
                predicted: 0.68,
            }),
        }
    }

    fn shown(report: &Report) -> String {
        terminal::render(report, Screen::new(false))
    }

    /// The report on an audit of answers alone.
    fn of_answers(answers: AnswerAudit) -> String {
        shown(&report(&Audit {
            schema: 1,
            run: "nightly".to_owned(),
            n_questions: 275,
            n_sampled: 50,
            answers: Some(answers),
            n_audited: 0,
            wrong: Share { count: 0, share: 0.0, ci95: None },
            confusion: Vec::new(),
        }))
    }

    #[test]
    fn an_audit_of_answers_has_no_classes() {
        insta::assert_snapshot!(of_answers(forty()), @r"
        ragtriage: audit of nightly
          Correct answers: 0.712, 95% CI [0.632, 0.792], corrected by an audit of 40 answers (rule alone: 0.680).

        Rule (rows) by person (columns), 40 audited answers
                   correct  wrong
          correct       28      2
          wrong          1      9
          - where the rule decides: agreement 92.5%, 95% CI [80.1, 97.4]
          - corrected: prediction-powered inference; the rule counts an unsure answer as 0.5
        ");
    }

    #[test]
    fn a_share_that_cannot_be_corrected_has_a_reason() {
        let open = AnswerAudit { correct: None, ..forty() };
        let verdict_of = |audit| of_answers(audit).lines().skip(1).take(2).collect::<String>();
        assert!(verdict_of(open).contains("corrected: all questions share gold evidence."));
    }

    #[test]
    fn a_run_with_an_audit_has_the_corrected_share() {
        let saved = specimen::run("r");
        let mut evaluation = summary::evaluate(&saved, &specimen::plan());
        evaluation.summary.answer_audit = Some(forty());
        let shown = shown(&run::report(&saved, &evaluation));
        let line = "  Correct answers  0.712, 95% CI [0.632, 0.792], corrected by an audit of 40 answers (rule alone: 0.680)";
        assert!(shown.lines().any(|found| found == line), "{shown}");
    }
}
