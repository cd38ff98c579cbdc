//! An audit as data: what the corrections change.

use crate::answer_audit;
use crate::document::{Element, Report, Table};
use ragtriage_core::text::numbers::{percent, percents};
use ragtriage_core::types::FailureClass;
use ragtriage_eval::audit::Audit;

/// Builds the report on an audit.
#[must_use]
pub fn report(audit: &Audit) -> Report {
    let mut report = Report::new(format!("ragtriage: audit of {}", audit.run));
    if let Some(answers) = &audit.answers {
        report.elements.push(Element::Verdict(answer_audit::verdict(answers)));
    }
    if audit.n_audited > 0 {
        report.elements.push(Element::Verdict(error_rate(audit)));
    }
    if let Some(answers) = &audit.answers {
        report.table(answer_audit::agreement(answers));
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
    let correct: Vec<FailureClass> = FailureClass::ALL
        .iter()
        .copied()
        .filter(|class| cells.iter().any(|cell| cell.correct == *class))
        .collect();
    let columns: Vec<&str> =
        ["printed as"].into_iter().chain(correct.iter().map(|class| class.name())).collect();
    let mut table = Table::new("Printed class (rows) by correct class (columns)", &columns);
    for printed in FailureClass::ALL.iter().copied() {
        if cells.iter().any(|cell| cell.printed == printed) {
            let counts = correct.iter().map(|correct| {
                let cell =
                    cells.iter().find(|cell| (cell.printed, cell.correct) == (printed, *correct));
                cell.map_or(0, |cell| cell.count).to_string()
            });
            table.row([printed.name().to_owned()].into_iter().chain(counts));
        }
    }
    table
}
