//! A sweep as Markdown, for the file beside its drawings and for a pull request.

use std::fmt::Write as _;

use super::ranked::{Ranked, RankedRow};
use super::view::TuningView;
use crate::markdown::{escape, section};

/// The report; each drawing is a picture beside it, `by-k.svg`.
#[must_use]
pub fn render(view: &TuningView) -> String {
    let mut out = format!("# ragtriage: tune\n\n**{}**\n\n", escape(&view.verdict));
    for (label, text) in &view.head {
        let _ = writeln!(out, "- {}: {}", escape(label), escape(text));
    }
    for notice in &view.notices {
        let _ = writeln!(out, "- {}", escape(notice));
    }
    ranked(&view.ranked, &mut out);
    view.sections
        .iter()
        .for_each(|table| section(table, &mut out));
    if !view.drawings.is_empty() {
        out.push_str("\n## Drawings\n");
    }
    for drawing in &view.drawings {
        let _ = writeln!(
            out,
            "\n![{}]({}.svg)",
            escape(&drawing.chart.title),
            drawing.name
        );
    }
    let _ = writeln!(out, "\n## How to read it\n");
    for line in &view.legend {
        let _ = writeln!(out, "- {}", escape(line));
    }
    out
}

fn ranked(ranked: &Ranked, out: &mut String) {
    let keys: Vec<String> = ranked.keys.iter().map(|key| escape(key)).collect();
    let columns = keys
        .iter()
        .map(String::as_str)
        .chain(ranked.figures.iter().copied());
    let head: Vec<&str> = ["", "", "setting"].into_iter().chain(columns).collect();
    let _ = writeln!(
        out,
        "\n## {}\n\n| {} |\n|--:|---|---|{}",
        escape(&ranked.title),
        head.join(" | "),
        "--:|".repeat(head.len() - 3)
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
        let cells = [rank.to_string(), marks.clone(), name.clone()];
        let cells: Vec<String> = cells
            .iter()
            .chain(values)
            .chain(figures)
            .map(|cell| escape(cell))
            .collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    if !ranked.rest.is_empty() {
        out.push('\n');
    }
    for line in &ranked.rest {
        let _ = writeln!(out, "- {}", escape(line));
    }
}
