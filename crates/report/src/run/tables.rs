//! Tables of a run's losses, in plain text and next to their pictures.

use std::collections::BTreeMap;

use super::losses::LossBudgetReport;
use super::support::{ClassRow, SupportRow};
use crate::document::{Align, Table, TableColumn};
use ragtriage_core::text::numbers::thousands;
use ragtriage_core::types::Interval;
use ragtriage_eval::diagnose::{Cell, TwoByTwo};

/// The column of counts with `answer_elsewhere` taken for support.
const ELSEWHERE: &str = "with answer_elsewhere";
const ELSEWHERE_NOTE: &str = "with answer_elsewhere: an answer string in a packed passage that is not gold evidence counts as \
     support; where labels are incomplete, the truth lies between the two counts";

/// The loss budget.
pub(crate) fn losses(budget: &LossBudgetReport) -> Table {
    let mut table = Table::new(&*budget.title, &["source", "loss per question", "95% CI"]);
    for row in &budget.rows {
        let ci95 = row.ci95.map_or(String::new(), |ci| format!("{ci:.3}"));
        table.row([row.label.clone(), format!("{:.3}", row.mean), ci95]);
    }
    table
}

/// The waterfall over `n` questions.
pub(crate) fn support(rows: &[SupportRow], n: usize) -> Table {
    let title = format!(
        "Support by stage (n = {}, answerable questions with gold evidence)",
        thousands(n)
    );
    let mut table = Table::new(
        title,
        &["stage", "supported", "share", "lost here", "failure class"],
    );
    table.columns[4].align = Align::Left;
    let has_second = rows.iter().any(|row| row.with_elsewhere.is_some());
    if has_second {
        table.columns.push(TableColumn::of_numbers(ELSEWHERE));
    }
    for row in rows {
        let cells = [
            row.label.clone(),
            thousands(row.count),
            percent(row.share),
            thousands(row.n_lost),
            by_class(&row.lost),
        ];
        let second = has_second.then(|| thousands(row.with_elsewhere.unwrap_or(row.count)));
        table.row(cells.into_iter().chain(second));
    }
    if !rows.is_empty() {
        table.bars = rows.iter().map(|row| row.share).collect();
        table.notes.push(
            "counts questions whose evidence is complete; the model may still answer others from memory".to_owned(),
        );
    }
    table
        .notes
        .extend(has_second.then(|| ELSEWHERE_NOTE.to_owned()));
    table
}

/// `140 ranking, 20 chunking`.
pub(crate) fn by_class(lost: &BTreeMap<&'static str, usize>) -> String {
    let mut lost: Vec<(&&str, &usize)> = lost.iter().collect();
    lost.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
    let each = lost
        .into_iter()
        .map(|(class, n)| format!("{} {class}", thousands(*n)));
    each.collect::<Vec<_>>().join(", ")
}

/// The failure classes, with the flags as a note.
pub(crate) fn classes(rows: &[ClassRow], flags: &str) -> Table {
    let mut table = Table::new(
        "Failure classes",
        &["class", "questions", "share", "95% CI", "faults"],
    );
    table.columns[4].align = Align::Left;
    let has_second = rows.iter().any(|row| row.with_elsewhere.is_some());
    if has_second {
        table.columns.push(TableColumn::of_numbers(ELSEWHERE));
    }
    for row in rows {
        let cells = [
            row.class.name().to_owned(),
            thousands(row.count),
            percent(row.share),
            row.ci95.map_or(String::new(), percents),
            row.faults.clone(),
        ];
        table.row(cells.into_iter().chain(row.with_elsewhere.map(thousands)));
    }
    if !flags.is_empty() {
        table.notes.push(format!("flags: {flags}"));
    }
    table
}

/// Retrieval by answer.
pub(super) fn two_by_two(found: &TwoByTwo) -> Table {
    let title = format!(
        "Retrieval by answer (EM@{}, n = {}, questions with span answers)",
        found.k, found.n
    );
    let mut table = Table::new(title, &["", "answer right", "answer wrong"]);
    for (label, cells) in [
        ("found", [found.hit_right, found.hit_wrong]),
        ("not found", [found.miss_right, found.miss_wrong]),
    ] {
        let cells = cells.map(|Cell { n, mean_f1 }| format!("{n} (mean F1 {mean_f1:.2})"));
        table.row([label.to_owned()].into_iter().chain(cells));
    }
    table
}

fn percent(share: f64) -> String {
    format!("{:.1}%", 100.0 * share)
}

fn percents(ci: Interval) -> String {
    format!("[{:.1}, {:.1}]", 100.0 * ci.low, 100.0 * ci.high)
}
