//! A comparison as Markdown, for a pull request.

use std::fmt::Write as _;

use super::{COLUMNS, ComparisonView, PairView};
use crate::markdown::{self, escape};

/// The comparison.
#[must_use]
pub fn render(view: &ComparisonView) -> String {
    let mut out = "# ragtriage: comparison\n\n".to_owned();
    for (label, text) in &view.runs {
        let _ = writeln!(out, "- **{label}** {}", escape(text));
    }
    for (label, verdict) in &view.verdicts {
        let _ = writeln!(out, "\n**{label}: {}**", escape(verdict));
    }
    for pair in &view.pairs {
        pair_of(pair, &mut out);
    }
    let _ = writeln!(out, "\n## How to read it\n");
    for line in &view.legend {
        let _ = writeln!(out, "- {}", escape(line));
    }
    out
}

fn pair_of(pair: &PairView, out: &mut String) {
    let _ = writeln!(out, "\n## {}\n", escape(&pair.title));
    for notice in &pair.notices {
        let _ = writeln!(out, "- {}", escape(notice));
    }
    let _ = writeln!(
        out,
        "\n| what differs | A | {} |\n|---|---|---|",
        pair.label
    );
    for change in &pair.changes {
        let _ = writeln!(
            out,
            "| {} |",
            change.each_ref().map(|cell| escape(cell)).join(" | ")
        );
    }
    if pair.changes.is_empty() {
        let _ = writeln!(out, "| nothing | | |");
    }
    measures(pair, out);
    pair.sections
        .iter()
        .for_each(|section| markdown::section(section, out));
    if let Some(table) = &pair.agreement {
        let ([good, bad], label) = (table.states, &pair.label);
        let _ = writeln!(
            out,
            "\n### {}\n\n| | {label} {good} | {label} {bad} |\n|---|--:|--:|",
            table.title
        );
        for (state, [first, second]) in table.states.iter().zip(table.counts) {
            let _ = writeln!(out, "| A {state} | {first} | {second} |");
        }
        let _ = writeln!(out, "\n{}", escape(&table.test));
    }
    flips(pair, out);
}

fn measures(pair: &PairView, out: &mut String) {
    let columns = COLUMNS.map(|column| {
        if column == "B" {
            pair.label.as_str()
        } else {
            column
        }
    });
    let _ = writeln!(
        out,
        "\n| {} |\n|---|{}",
        columns.join(" | "),
        "--:|".repeat(columns.len() - 1)
    );
    for row in &pair.measures {
        let mark = if row.primary { "\\* " } else { "" };
        let _ = writeln!(
            out,
            "| {mark}{} |",
            row.cells.each_ref().map(|cell| escape(cell)).join(" | ")
        );
    }
    for (what, names) in [
        ("The same on every question", &pair.same),
        ("In neither or only one", &pair.undefined),
    ] {
        if !names.is_empty() {
            let _ = writeln!(out, "\n{what}: {}.", escape(&names.join(", ")));
        }
    }
    if pair.n_hidden > 0 {
        let _ = writeln!(out, "\nAnd {} at other cutoffs.", pair.n_hidden);
    }
}

fn flips(pair: &PairView, out: &mut String) {
    for group in &pair.flips {
        let _ = writeln!(
            out,
            "\n### {}\n\n| question | what to compare |\n|---|---|",
            escape(&group.title)
        );
        for flip in &group.questions {
            let texts: Vec<String> = flip
                .texts
                .iter()
                .map(|(what, text)| format!("{what}: {}", escape(text)))
                .collect();
            let _ = writeln!(
                out,
                "| {}: {} | {} |",
                escape(&flip.id),
                escape(&flip.question),
                texts.join("<br>")
            );
        }
        if group.n_hidden > 0 {
            let _ = writeln!(out, "\nAnd {} more.", group.n_hidden);
        }
    }
}
