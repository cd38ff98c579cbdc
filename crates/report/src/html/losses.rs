//! Losses: waterfall, loss budget, classes, retrieval by answer, and deliveries of other settings.

use super::HtmlReport;
use super::effort::bars;
use super::markup::{CountCell, crosswise};
use crate::document::Table;
use crate::render::html::table;
use crate::run::{class_table, loss_table, support_table, two_by_two_title};
use ragtriage_eval::diagnose::{Cell, TwoByTwo};

/// The section's content.
pub(super) fn losses(page: &HtmlReport<'_>, out: &mut String) {
    let run = page.run;
    let support = support_table(&run.support, run.support_n);
    let mut losses = loss_table(&run.losses);
    losses.bars = bars(run.losses.rows.iter().map(|row| row.mean).collect());
    let tables = [support, losses, classes(page)];
    tables.iter().filter(|found| !found.rows.is_empty()).for_each(|found| table(found, out));
    if let Some(found) = &page.run.two_by_two {
        two_by_two(found, out);
    }
    if let Some(found) = &page.run.what_if {
        table(found, out);
    }
}

/// The failure classes; each leads to its questions.
fn classes(page: &HtmlReport<'_>) -> Table {
    let classes = &page.run.classes;
    let mut table = class_table(classes, &page.run.flags);
    table.bars = classes.iter().map(|row| row.share).collect();
    for (row, class) in table.rows.iter_mut().zip(classes) {
        row[0].link = format!("#class={}", class.class.name());
    }
    table.notes.push(
        "a class name filters the questions in the table below; intervals by Wilson".to_owned(),
    );
    table
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
