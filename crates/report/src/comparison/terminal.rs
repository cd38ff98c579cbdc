//! A comparison in a terminal: at most 120 columns. No line begins with what data gave.

use comfy_table::{CellAlignment, Table, presets};

use super::{AgreementView, COLUMNS, ComparisonView, FlipGroupView, PairView, count};
use crate::terminal::Page;
use ragtriage_core::text::sanitize::shortened;

/// Columns of a text that data gave.
const TEXT: usize = 100;
/// Columns of a setting's value.
const VALUE: usize = 36;

/// The comparison; `color` turns on ANSI bold for headings.
#[must_use]
pub fn render(view: &ComparisonView, color: bool) -> String {
    let mut out = Page::new(color);
    out.heading("ragtriage: comparison");
    for (label, text) in &view.runs {
        out.line(&format!("{label:<4}{}", shortened(text, TEXT)));
    }
    out.heading("Verdict");
    for (label, verdict) in &view.verdicts {
        out.wrapped(&format!("  {label:<4}"), verdict);
    }
    for pair in &view.pairs {
        pair_of(pair, &mut out);
    }
    out.legend(&view.legend);
    out.text
}

fn pair_of(pair: &PairView, out: &mut Page) {
    out.heading(&pair.title);
    for notice in &pair.notices {
        out.wrapped("  ! ", notice);
    }
    changes(pair, out);
    measures(pair, out);
    pair.sections
        .iter()
        .for_each(|section| out.section(section));
    if let Some(table) = &pair.agreement {
        agreement(table, &pair.label, out);
        let n: usize = pair
            .flips
            .iter()
            .map(|group| group.questions.len() + group.n_hidden)
            .sum();
        if n > 0 {
            out.heading(&format!(
                "Flipped from A to {}: {}",
                pair.label,
                count(n, "question")
            ));
        }
    }
    pair.flips.iter().for_each(|group| flips(group, out));
}

fn changes(pair: &PairView, out: &mut Page) {
    out.heading(&format!("What differs from A to {}", pair.label));
    if pair.changes.is_empty() {
        out.line("  nothing: settings, data, versions and models are the same");
    }
    let width = pair
        .changes
        .iter()
        .map(|[what, ..]| what.chars().count())
        .max()
        .unwrap_or(0)
        .min(40);
    for [what, from, to] in &pair.changes {
        let what = shortened(what, 40);
        out.line(&format!(
            "  {what:<width$}  {} -> {}",
            shortened(from, VALUE),
            shortened(to, VALUE)
        ));
    }
}

fn measures(pair: &PairView, out: &mut Page) {
    if !pair.measures.is_empty() {
        out.heading(&format!("Measures, A to {}", pair.label));
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(COLUMNS.map(|column| {
            if column == "B" {
                pair.label.as_str()
            } else {
                column
            }
        }));
        for row in &pair.measures {
            let mark = if row.primary { "* " } else { "  " };
            let [name, rest @ ..] = &row.cells;
            table.add_row(
                [format!("{mark}{name}")]
                    .into_iter()
                    .chain(rest.iter().cloned()),
            );
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
            .to_string()
            .lines()
            .for_each(|line| out.line(&format!(" {line}")));
    }
    for (what, names) in [
        ("the same on every question: ", &pair.same),
        ("in neither or only one: ", &pair.undefined),
    ] {
        if !names.is_empty() {
            out.wrapped("    ", &format!("{what}{}", names.join(", ")));
        }
    }
    if pair.n_hidden > 0 {
        out.line(&format!(
            "    and {} at other cutoffs: --all shows them",
            pair.n_hidden
        ));
    }
}

fn agreement(table: &AgreementView, label: &str, out: &mut Page) {
    out.heading(&table.title);
    let [good, bad] = table.states;
    out.line(&format!(
        "  {:<14}{:>14}{:>14}",
        "",
        format!("{label} {good}"),
        format!("{label} {bad}")
    ));
    for (state, [first, second]) in table.states.iter().zip(table.counts) {
        out.line(&format!(
            "  {:<14}{first:>14}{second:>14}",
            format!("A {state}")
        ));
    }
    out.line(&format!("  {}", table.test));
}

fn flips(group: &FlipGroupView, out: &mut Page) {
    out.line(&format!("  {}", group.title));
    for flip in &group.questions {
        out.line(&format!(
            "    - {}  {}",
            shortened(&flip.id, 30),
            shortened(&flip.question, TEXT - 18)
        ));
        for (what, text) in &flip.texts {
            out.line(&format!("        {what:<6}{}", shortened(text, TEXT)));
        }
    }
    if group.n_hidden > 0 {
        out.line(&format!(
            "    and {} more: --limit-flips N shows them, --json has all",
            group.n_hidden
        ));
    }
}
