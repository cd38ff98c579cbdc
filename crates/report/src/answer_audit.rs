//! The audit of answers: the corrected share of right answers, and the agreement of rule and person.

use crate::document::{Fact, Table};
use ragtriage_core::rightness::Correctness;
use ragtriage_core::text::numbers::plural;
use ragtriage_eval::audit::AnswerAudit;

/// Returns the corrected share of right answers; `None` if the audit does not determine it.
pub(crate) fn right_answers(audit: &AnswerAudit) -> Option<Fact> {
    let right = audit.right?;
    let text = format!(
        "{:.3}, 95% CI [{:.3}, {:.3}], corrected by an audit of {} (rule alone: {:.3})",
        right.mean,
        right.ci95.low,
        right.ci95.high,
        plural(audit.n_audited, "answer", "answers"),
        right.predicted
    );
    Some(Fact::new("Right answers", text))
}

/// States the corrected share, or why there is none.
pub(crate) fn verdict(audit: &AnswerAudit) -> String {
    if let Some(fact) = right_answers(audit) {
        return format!("{fact}.");
    }
    let n_unsure: usize = audit
        .cells
        .iter()
        .filter(|cell| cell.rule == Correctness::Unsure)
        .map(|cell| cell.count)
        .sum();
    let why = if audit.n_unsure > 0 && n_unsure == 0 {
        let unsure = plural(audit.n_unsure, "question", "questions");
        format!("of the {unsure} where the rule is unsure, none was audited")
    } else if n_unsure == audit.n_audited {
        "of the questions that the rule decides, none was audited".to_owned()
    } else {
        "all questions share gold documents".to_owned()
    };
    let audited = plural(audit.n_audited, "audited answer", "audited answers");
    format!("{audited}; the share of right answers cannot be corrected: {why}.")
}

/// Lays out decisions by judgments, with kappa.
pub(crate) fn agreement(audit: &AnswerAudit) -> Table {
    let audited = plural(audit.n_audited, "audited answer", "audited answers");
    let mut table = Table::new(
        format!("Rule (rows) by person (columns), {audited}"),
        &["", "right", "wrong"],
    );
    for (rule, name) in [
        (Correctness::Right, "right"),
        (Correctness::Wrong, "wrong"),
        (Correctness::Unsure, "unsure"),
    ] {
        let counts = [true, false].map(|is_right| {
            let cell = audit
                .cells
                .iter()
                .find(|cell| (cell.rule, cell.is_right) == (rule, is_right));
            cell.map_or(0, |cell| cell.count)
        });
        if counts != [0, 0] || rule != Correctness::Unsure {
            table.row([
                name.to_owned(),
                counts[0].to_string(),
                counts[1].to_string(),
            ]);
        }
    }
    table.notes.extend(agreed(audit));
    if let Some(right) = audit.right {
        table.notes.push(format!(
            "corrected: prediction-powered inference, lambda = {:.2}; the rule counts an unsure answer as 0.5",
            right.lambda
        ));
    }
    table
}

/// Describes the agreement on the answers that the rule decides; `None` if kappa is undefined.
fn agreed(audit: &AnswerAudit) -> Option<String> {
    let kappa = audit.kappa?;
    let ci95 = kappa.ci95.map_or(String::new(), |ci| {
        format!(", 95% CI [{:.2}, {:.2}]", ci.low, ci.high)
    });
    Some(format!(
        "where the rule decides: agreement {:.1}%, Cohen's kappa {:.2}{ci95}",
        100.0 * kappa.observed,
        kappa.value
    ))
}
