//! Tables of a run's losses.

use std::collections::BTreeMap;

use super::losses::LossBudgetReport;
use super::support::{ClassRow, SupportRow};
use crate::document::{Align, Table, TableColumn};
use ragtriage_core::text::numbers::{percent, percents, thousands};
use ragtriage_eval::diagnose::{Cell, TwoByTwo};

/// The column of counts with `answer_elsewhere` taken for support.
const ELSEWHERE: &str = "with answer_elsewhere";
const ELSEWHERE_NOTE: &str = "with answer_elsewhere: an answer string in a packed passage that is not gold evidence counts as \
     support; where labels are incomplete, the truth lies between the two counts";

/// The column of counts if every unsure answer were right, or wrong.
const BOUNDS: &str = "bounds";
const BOUNDS_NOTE: &str =
    "bounds: the smallest and the largest count, whether unsure answers are right or wrong";

const LOSS_BOUNDS_NOTE: &str = "bounds: smallest and largest term over what the data leave open (an oracle that is worse than the \
     retrieved prompt, a label that is wider than a chunk)";

fn bounds([low, high]: [usize; 2]) -> String {
    format!("{} to {}", thousands(low), thousands(high))
}

/// The loss budget.
pub(crate) fn losses(budget: &LossBudgetReport) -> Table {
    let mut table = Table::new(&*budget.title, &["source", "loss per question", "95% CI"]);
    if budget.rows.iter().any(|row| row.f1.is_some()) {
        table.columns.push(TableColumn::of_numbers("in AnswerF1"));
    }
    let has_bounds = budget.rows.iter().any(|row| row.bounds.is_some());
    if has_bounds {
        table.columns.push(TableColumn::of_numbers(BOUNDS));
        table.notes.push(LOSS_BOUNDS_NOTE.to_owned());
    }
    for row in &budget.rows {
        let ci95 = row.ci95.map_or(String::new(), |ci| format!("{ci:.3}"));
        let cells = [row.label.clone(), format!("{:.3}", row.mean), ci95];
        let f1 = row.f1.map(|f1| format!("{f1:.3}"));
        let bounds = has_bounds.then(|| {
            let bounds = row.bounds.map(|[low, high]| format!("{low:.3} to {high:.3}"));
            bounds.unwrap_or_default()
        });
        table.row(cells.into_iter().chain(f1).chain(bounds));
    }
    table
}

/// The waterfall over `n` questions.
pub(crate) fn support(rows: &[SupportRow], n: usize) -> Table {
    let title =
        format!("Support by stage (n = {}, answerable questions with gold evidence)", thousands(n));
    let mut table =
        Table::new(title, &["stage", "supported", "share", "lost here", "failure class"]);
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
    table.notes.extend(has_second.then(|| ELSEWHERE_NOTE.to_owned()));
    table
}

/// `140 ranking, 20 chunking`.
fn by_class(lost: &BTreeMap<&'static str, usize>) -> String {
    let mut lost: Vec<(&&str, &usize)> = lost.iter().collect();
    lost.sort_by_key(|(_, n)| std::cmp::Reverse(**n));
    let each = lost.into_iter().map(|(class, n)| format!("{} {class}", thousands(*n)));
    each.collect::<Vec<_>>().join(", ")
}

/// The failure classes, with the flags as a note.
pub(crate) fn classes(rows: &[ClassRow], flags: &str) -> Table {
    let mut table =
        Table::new("Failure classes", &["class", "questions", "share", "95% CI", "faults"]);
    table.columns[4].align = Align::Left;
    if rows.iter().any(|row| row.with_elsewhere.is_some()) {
        table.columns.push(TableColumn::of_numbers(ELSEWHERE));
    }
    let has_bounds = rows.iter().any(|row| row.bounds.is_some());
    if has_bounds {
        table.columns.push(TableColumn::of_numbers(BOUNDS));
        table.notes.push(BOUNDS_NOTE.to_owned());
    }
    for row in rows {
        let bounds = has_bounds.then(|| row.bounds.map_or(String::new(), bounds));
        let cells = [
            row.class.name().to_owned(),
            thousands(row.count),
            percent(row.share),
            row.ci95.map_or(String::new(), percents),
            row.faults.clone(),
        ];
        let second = row.with_elsewhere.map(thousands);
        table.row(cells.into_iter().chain(second).chain(bounds));
    }
    if !flags.is_empty() {
        table.notes.push(format!("flags: {flags}"));
    }
    table
}

/// Title of the table of retrieval by answer.
pub(crate) fn two_by_two_title(found: &TwoByTwo) -> String {
    format!(
        "Retrieval by answer (EM@{}, n = {}, questions with span answers)",
        found.k,
        thousands(found.n)
    )
}

/// Retrieval by answer.
pub(super) fn two_by_two(found: &TwoByTwo) -> Table {
    let mut table = Table::new(two_by_two_title(found), &["", "answer right", "answer wrong"]);
    let has_unsure = found.hit_unsure.n + found.miss_unsure.n > 0;
    if has_unsure {
        table.columns.push(TableColumn::of_numbers("unsure"));
    }
    for (label, cells) in [
        ("found", [found.hit_right, found.hit_wrong, found.hit_unsure]),
        ("not found", [found.miss_right, found.miss_wrong, found.miss_unsure]),
    ] {
        let cells = cells.map(|Cell { n, mean_f1 }| format!("{n} (mean F1 {mean_f1:.2})"));
        let cells = cells.into_iter().take(if has_unsure { 3 } else { 2 });
        table.row([label.to_owned()].into_iter().chain(cells));
    }
    table
}
