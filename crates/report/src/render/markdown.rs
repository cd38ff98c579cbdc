//! A report as Markdown, for a pull request or a repository.

use std::fmt::Write as _;
use std::mem::discriminant;

use crate::document::{Align, Element, Entry, Fact, Flow, Notice, Report, Table, TableCell};
use ragtriage_core::text::sanitize::one_line;
use ragtriage_data::dataset::lint::finding::Severity;

/// Lays `report` out; the text ends in a line feed.
#[must_use]
pub fn render(report: &Report) -> String {
    let mut out = String::new();
    let mut before: Option<&Element> = None;
    let mut level = 2;
    for element in &report.elements {
        if matches!(element, Element::Section(_)) {
            level = 3;
        }
        // Lists of one kind are one list.
        if before.is_some_and(|before| {
            discriminant(before) != discriminant(element) || !is_list(element)
        }) {
            out.push('\n');
        }
        push(element, level, &mut out);
        before = Some(element);
    }
    out
}

fn is_list(element: &Element) -> bool {
    matches!(
        element,
        Element::Facts(_) | Element::Notices(_) | Element::List(_) | Element::Entries(_)
    )
}

/// Writes an element; headings in a section and those of tables are at least of `level`.
fn push(element: &Element, level: usize, out: &mut String) {
    match element {
        Element::Heading(1, text) => heading(1, text, out),
        Element::Heading(own, text) => heading(level.max(*own), text, out),
        Element::Section(section) => {
            heading(2, section.title, out);
            line(&format!("\n{}", escape(section.reading)), out);
        }
        Element::Verdict(text) => line(&format!("**{}**", escape(text)), out),
        Element::Paragraph(text) => line(&escape(text), out),
        Element::Facts(items) => facts("", items, out),
        Element::Notices(notices) => {
            for notice in notices {
                line(&notice_text(notice), out);
            }
        }
        Element::List(items) => list(items, out),
        Element::Entries(entries) => entries.iter().for_each(|one| entry(one, out)),
        Element::Flow(Flow { table, .. }) if table.rows.is_empty() => {}
        Element::Flow(Flow { table: found, .. }) | Element::Table(found) => {
            table(found, level, out);
        }
        Element::Lines(lines) => {
            for text in lines {
                line(&format!("    {}", one_line(text)), out);
            }
        }
    }
}

fn line(text: &str, out: &mut String) {
    out.push_str(text);
    out.push('\n');
}

fn heading(level: usize, text: &str, out: &mut String) {
    let _ = writeln!(out, "{} {}", "#".repeat(level), escape(text));
}

fn facts(indent: &str, facts: &[Fact], out: &mut String) {
    for Fact { label, text } in facts {
        let _ = writeln!(out, "{indent}- {}: {}", escape(label), escape(text));
    }
}

fn notice_text(notice: &Notice) -> String {
    let severity = match notice.severity {
        Severity::Error => "**error**: ",
        Severity::Warning => "",
    };
    let hint =
        notice.hint.as_ref().map_or(String::new(), |hint| format!("; hint: {}", escape(hint)));
    format!("- {severity}{}{hint}", escape(&notice.text))
}

fn list(items: &[String], out: &mut String) {
    for item in items {
        line(&format!("- {}", escape(item)), out);
    }
}

fn entry(entry: &Entry, out: &mut String) {
    line(&format!("- {}", escape(&entry.title)), out);
    facts("  ", &entry.facts, out);
}

fn table(table: &Table, level: usize, out: &mut String) {
    if !table.title.is_empty() {
        heading(level, &table.title, out);
    }
    if !table.rows.is_empty() {
        let titles = table.columns.iter().map(|column| escape(&column.title));
        let aligned = table.columns.iter().map(|column| match column.align {
            Align::Left => "---",
            Align::Right => "--:",
        });
        let _ = writeln!(
            out,
            "{}| {} |\n|{}|",
            if table.title.is_empty() { "" } else { "\n" },
            titles.collect::<Vec<_>>().join(" | "),
            aligned.collect::<Vec<_>>().join("|")
        );
    }
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(cell).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    if !table.notes.is_empty() {
        out.push('\n');
        list(&table.notes, out);
    }
}

fn cell(cell: &TableCell) -> String {
    format!("{} {}", escape(&cell.text), escape(&cell.detail)).trim_end().to_owned()
}

/// Text that data gave: nothing in it may open a table cell, a tag, a link or code.
pub(crate) fn escape(text: &str) -> String {
    let mut text = one_line(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    for mark in ["\\", "`", "|", "*", "_", "[", "]"] {
        text = text.replace(mark, &format!("\\{mark}"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_open_a_cell_or_a_tag() {
        assert_eq!(escape("a|b\n<img src=x>"), "a\\|b &lt;img src=x&gt;");
    }
}
