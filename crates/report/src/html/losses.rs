//! Losses: waterfall, loss budget, classes, retrieval by answer, and deliveries of other settings.

use super::HtmlReport;
use super::effort::bars;
use super::markup::{CountCell, crosswise};
use crate::render::html::table;
use crate::run::two_by_two_title;
use ragtriage_eval::diagnose::{Cell, TwoByTwo};

/// The section's content.
pub(super) fn losses(page: &HtmlReport<'_>, out: &mut String) {
    let (run, summary) = (page.run, page.summary);
    let mut budget = run.budget.clone();
    let terms = &summary.loss_budget.terms;
    let mean =
        |name: &str| terms.iter().find(|term| term.source.name() == name).map(|term| term.mean);
    let means = budget.rows.iter().map(|row| mean(&row[0].text).unwrap_or_default());
    budget.bars = bars(means.collect());
    let mut classes = run.classes.clone();
    let share = |name: &str| summary.class_shares.get(name).map_or(0.0, |share| share.share);
    classes.bars = classes.rows.iter().map(|row| share(&row[0].text)).collect();
    classes.notes.push(
        "a class name filters the questions in the table below; intervals by Wilson".to_owned(),
    );
    let tables = [budget, classes];
    tables.iter().filter(|found| !found.rows.is_empty()).for_each(|found| table(found, out));
    if let Some(found) = &page.run.two_by_two {
        two_by_two(found, out);
    }
    if let Some(found) = &page.run.what_if {
        table(found, out);
    }
}

fn two_by_two(table: &TwoByTwo, out: &mut String) {
    let title = two_by_two_title(table);
    let columns = ["answer right", "answer wrong", "unsure"].map(str::to_owned);
    let rows = [
        ("found", [table.hit_right, table.hit_wrong, table.hit_unsure]),
        ("not found", [table.miss_right, table.miss_wrong, table.miss_unsure]),
    ];
    let rows = rows.map(|(label, cells)| (label.to_owned(), cells.map(cell)));
    crosswise(&title, &columns, &rows, table.n, out);
}

fn cell(Cell { n, mean_f1 }: Cell) -> CountCell {
    let detail = if n == 0 { String::new() } else { format!(" · mean F1 {mean_f1:.2}") };
    CountCell { count: n, detail }
}
