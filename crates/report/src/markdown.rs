//! The report as Markdown, for a pull request or a repository.

use std::fmt::Write as _;

use super::section::Section;
use super::view::View;
use ragtriage_core::text::sanitize::one_line;
use ragtriage_eval::summary::MeasureSummary;

/// The report.
#[must_use]
pub fn render(view: &View) -> String {
    let mut out = format!(
        "# ragtriage: {}\n\n**{}**\n",
        escape(&view.name),
        escape(&view.verdict)
    );
    if let Some(rule) = &view.rule_of_thumb {
        let _ = writeln!(out, "\nRule of thumb: {}.", escape(rule));
    }
    out.push('\n');
    for (label, text) in &view.head {
        let _ = writeln!(out, "- {}: {}", escape(label), escape(text));
    }
    for notice in view.notices.iter().chain(&view.caveats) {
        let _ = writeln!(out, "- {}", escape(notice));
    }
    let _ = writeln!(
        out,
        "\n## Support, stage by stage\n\n| stage | supported | share |\n|---|--:|--:|"
    );
    for bar in &view.waterfall {
        let _ = writeln!(
            out,
            "| {} | {}{} | {:.1} % |",
            bar.label,
            bar.count,
            second(bar.with_elsewhere),
            100.0 * bar.share
        );
    }
    let _ = writeln!(
        out,
        "\n## Classes\n\n| class | questions | share |\n|---|--:|--:|"
    );
    for row in &view.classes {
        let (label, second) = (escape(&row.label), second(row.with_elsewhere));
        let _ = writeln!(
            out,
            "| {label} | {}{second} | {:.1} % |",
            row.count,
            100.0 * row.share
        );
    }
    if let Some(table) = &view.two_by_two {
        let _ = writeln!(
            out,
            "\n## Retrieval by answer (EM@{}, n = {})\n\n| | right | wrong |\n|---|--:|--:|",
            table.k, table.n
        );
        for (label, right, wrong) in [
            ("found", table.hit_right, table.hit_wrong),
            ("not found", table.miss_right, table.miss_wrong),
        ] {
            let _ = writeln!(
                out,
                "| {label} | {} (F1 {:.2}) | {} (F1 {:.2}) |",
                right.n, right.mean_f1, wrong.n, wrong.mean_f1
            );
        }
    }
    measures(view, &mut out);
    view.asked
        .iter()
        .for_each(|section| self::section(section, &mut out));
    let _ = writeln!(
        out,
        "\n## {}\n\n| source | loss | 95 % |\n|---|--:|---|",
        escape(&view.loss_title)
    );
    for row in &view.losses {
        let interval = row.ci95.map_or(String::new(), |ci| format!("{ci:.3}"));
        let _ = writeln!(out, "| {} | {:.3} | {interval} |", row.label, row.mean);
    }
    view.diagnosis
        .iter()
        .for_each(|section| self::section(section, &mut out));
    if !view.lost.is_empty() {
        let _ = writeln!(
            out,
            "\n## Lost questions ({} of {})\n\n| id | question | gold | answer | lost |\n|---|---|---|---|---|",
            view.lost.len(),
            view.n_lost
        );
    }
    for row in &view.lost {
        let cells = [
            &row.id,
            &row.question,
            &row.gold,
            row.answer.as_ref().unwrap_or(&String::new()),
        ]
        .map(|text| escape(text));
        let _ = writeln!(
            out,
            "| {} | {}: {} |",
            cells.join(" | "),
            row.class,
            escape(&row.why)
        );
    }
    out
}

/// The count with `answer_elsewhere` taken for support.
fn second(count: Option<usize>) -> String {
    count.map_or(String::new(), |count| format!(" ({count})"))
}

/// A table of ready text.
pub(super) fn section(section: &Section, out: &mut String) {
    let cells = |cells: &[String]| {
        cells
            .iter()
            .map(|cell| escape(cell))
            .collect::<Vec<_>>()
            .join(" | ")
    };
    let line = format!(
        "|---|{}",
        "--:|".repeat(section.head.len().saturating_sub(1))
    );
    let _ = writeln!(
        out,
        "\n## {}\n\n| {} |\n{line}",
        escape(&section.title),
        cells(&section.head)
    );
    for row in &section.rows {
        let _ = writeln!(out, "| {} |", cells(row));
    }
    let _ = writeln!(out);
    for note in &section.notes {
        let _ = writeln!(out, "- {}", escape(note));
    }
}

fn measures(view: &View, out: &mut String) {
    let titles: Vec<&str> = view
        .columns
        .iter()
        .map(|c| if c.is_empty() { "whole" } else { c.as_str() })
        .collect();
    let _ = writeln!(
        out,
        "\n## Retrieval\n\n| | n | {} |\n|---|--:|{}",
        titles.join(" | "),
        "--:|".repeat(titles.len())
    );
    let cell = |cell: &Option<MeasureSummary>| {
        let interval =
            |cell: &MeasureSummary| cell.ci95.map_or(String::new(), |ci| format!(" {ci:.2}"));
        cell.map_or(String::new(), |cell| {
            format!("{:.3}{}", cell.mean, interval(&cell))
        })
    };
    for row in &view.measures {
        let cells: Vec<String> = row.cells.iter().map(cell).collect();
        let _ = writeln!(out, "| {} | {} | {} |", row.label, row.n, cells.join(" | "));
    }
    if !view.answers.is_empty() {
        let _ = writeln!(out, "\n## Answers\n\n| | n | mean |\n|---|--:|--:|");
    }
    for (label, measure) in &view.answers {
        let _ = writeln!(
            out,
            "| {label} | {} | {} |",
            measure.n,
            cell(&Some(*measure))
        );
    }
}

/// Text that data gave: nothing in it may open a table cell, a tag, a link or code.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in one_line(text).chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '\\' | '`' | '|' | '*' | '_' | '[' | ']' => {
                out.push('\\');
                out.push(c);
            }
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_open_a_cell_or_a_tag() {
        assert_eq!(escape("a|b\n<img src=x>"), "a\\|b &lt;img src=x&gt;");
    }
}
