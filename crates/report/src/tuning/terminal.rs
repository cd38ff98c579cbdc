//! A sweep in a terminal: at most 120 columns. No line begins with what data gave.

use comfy_table::{CellAlignment, Table, presets};

use super::ranked::{Ranked, RankedRow};
use super::view::TuningView;
use crate::chart::plot;
use crate::terminal::Page;

/// Most columns of a table's line, the space before it left out.
const WIDTH: usize = 119;

/// The report; `color` turns on ANSI bold for headings.
#[must_use]
pub fn render(view: &TuningView, color: bool) -> String {
    let mut out = Page::new(color);
    out.heading("ragtriage: tune");
    out.wrapped("  ", &view.verdict);
    for (label, text) in &view.head {
        out.wrapped(&format!("{label:<10} "), text);
    }
    for notice in &view.notices {
        out.wrapped("  ! ", notice);
    }
    ranked(&view.ranked, &mut out);
    view.sections
        .iter()
        .for_each(|section| out.section(section));
    for drawing in &view.drawings {
        let drawn = plot::render(&drawing.chart);
        let mut lines = drawn.lines();
        out.heading(lines.next().unwrap_or_default());
        lines.for_each(|line| out.line(line));
    }
    out.legend(&view.legend);
    out.text
}

/// The table with a column a varied setting, where that fits; else each row's values under it.
fn ranked(ranked: &Ranked, out: &mut Page) {
    out.heading(&ranked.title);
    let wide = laid_out(ranked, true);
    let fits = wide
        .lines()
        .all(|line| line.trim_end().chars().count() <= WIDTH);
    let text = if fits { wide } else { laid_out(ranked, false) };
    let n_head = text.lines().count().saturating_sub(ranked.rows.len());
    for (at, line) in text.lines().enumerate() {
        out.line(&format!(" {line}"));
        let row = at.checked_sub(n_head).and_then(|at| ranked.rows.get(at));
        if let Some(row) = row.filter(|_| !fits) {
            out.wrapped("           ", &row.pairs);
        }
    }
    ranked
        .rest
        .iter()
        .for_each(|line| out.wrapped("  - ", line));
}

fn laid_out(ranked: &Ranked, with_values: bool) -> String {
    let keys: &[String] = if with_values { &ranked.keys } else { &[] };
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    let broken = |name: &&str| name.replace(' ', "\n").replace("95\n%", "95 %");
    let figures: Vec<String> = ranked.figures.iter().map(broken).collect();
    table.set_header(
        ["", "", ""]
            .map(str::to_owned)
            .iter()
            .chain(keys)
            .chain(&figures),
    );
    for RankedRow {
        rank,
        marks,
        name,
        values,
        figures,
        ..
    } in &ranked.rows
    {
        let start = [rank.to_string(), marks.clone(), name.clone()];
        table.add_row(
            start
                .iter()
                .chain(values.iter().take(keys.len()))
                .chain(figures),
        );
    }
    for (at, column) in table.column_iter_mut().enumerate() {
        if at == 0 || at > 2 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.to_string()
}
