//! A report in a terminal: plain text without control characters of the data.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, presets};

use crate::document::{Align, Element, Entry, Fact, Flow, Notice, Report, Table, TableCell};
use crate::wrap::{WIDTH as TEXT_WIDTH, wrapped_to};
use ragtriage_core::text::sanitize::{one_line, shortened};
use ragtriage_data::dataset::lint::finding::Severity;

/// Most columns of a cell.
const CELL_WIDTH: usize = 100;
/// Space before everything under a heading.
const INDENT: &str = "  ";

/// Width and color of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Screen {
    /// Its columns.
    pub width: usize,
    /// `true` if headings are bold.
    pub color: bool,
}

impl Screen {
    /// Creates a screen of 120 columns.
    #[must_use]
    pub fn new(color: bool) -> Self {
        Self { width: 120, color }
    }
}

/// Lays `report` out; the text ends in a line feed.
#[must_use]
pub fn render(report: &Report, screen: Screen) -> String {
    let mut out = Output { screen, text: String::new() };
    let mut is_prose = false;
    for element in &report.elements {
        if is_prose && matches!(element, Element::Facts(_)) {
            out.text.push('\n');
        }
        out.element(element);
        is_prose =
            matches!(element, Element::Verdict(_) | Element::Paragraph(_) | Element::Section(_));
    }
    out.text
}

struct Output {
    screen: Screen,
    text: String,
}

impl Output {
    fn element(&mut self, element: &Element) {
        match element {
            Element::Heading(_, text) => self.heading(text),
            Element::Section(section) => {
                self.heading(section.title);
                self.line(&"=".repeat(section.title.len()));
                self.wrapped(INDENT, section.reading);
            }
            Element::Verdict(text) | Element::Paragraph(text) => self.wrapped(INDENT, text),
            Element::Facts(facts) => self.facts(INDENT, facts),
            Element::Notices(notices) => notices.iter().for_each(|notice| self.notice(notice)),
            Element::List(items) => self.list(items),
            Element::Entries(entries) => entries.iter().for_each(|entry| self.entry(entry)),
            Element::Flow(Flow { table, .. }) if table.rows.is_empty() => {}
            Element::Flow(Flow { table, .. }) | Element::Table(table) => self.table(table),
            Element::Lines(lines) => {
                for line in lines {
                    self.line(&format!("{INDENT}{line}"));
                }
            }
        }
    }

    fn heading(&mut self, text: &str) {
        let text = one_line(text);
        let gap = if self.text.is_empty() { "" } else { "\n" };
        let _ = if self.screen.color {
            writeln!(self.text, "{gap}\u{1b}[1m{text}\u{1b}[0m")
        } else {
            writeln!(self.text, "{gap}{text}")
        };
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{}", one_line(text).trim_end());
    }

    fn wrapped(&mut self, lead: &str, text: &str) {
        let width = self.screen.width.min(TEXT_WIDTH);
        self.text.push_str(&wrapped_to(width, lead, text));
    }

    fn facts(&mut self, indent: &str, facts: &[Fact]) {
        let labels: Vec<String> =
            facts.iter().map(|fact| one_line(&fact.label).into_owned()).collect();
        let width = widest(&labels);
        for (label, fact) in labels.iter().zip(facts) {
            self.wrapped(&format!("{indent}{label:<width$}  "), &fact.text);
        }
    }

    fn notice(&mut self, notice: &Notice) {
        let mark = match notice.severity {
            Severity::Error => "error: ",
            Severity::Warning => "! ",
        };
        self.wrapped(&format!("{INDENT}{mark}"), &notice.text);
        if let Some(hint) = &notice.hint {
            self.wrapped(&format!("{INDENT}    hint: "), hint);
        }
    }

    fn list(&mut self, items: &[String]) {
        for item in items {
            self.wrapped("  - ", item);
        }
    }

    fn entry(&mut self, entry: &Entry) {
        // No line begins with what data gave: a CI server may read it as a command.
        self.wrapped("  - ", &entry.title);
        self.facts("      ", &entry.facts);
    }

    fn table(&mut self, table: &Table) {
        if !table.title.is_empty() {
            self.heading(&table.title);
        }
        laid_out(table).lines().for_each(|line| self.line(&format!(" {line}")));
        self.list(&table.notes);
    }
}

fn laid_out(table: &Table) -> String {
    let mut out = comfy_table::Table::new();
    out.load_style(presets::NOTHING);
    if table.columns.iter().any(|column| !column.title.is_empty()) {
        out.set_header(table.columns.iter().map(|column| shortened(&column.title, CELL_WIDTH)));
    }
    for row in &table.rows {
        out.add_row(row.iter().map(lines_of));
    }
    for (at, column) in table.columns.iter().enumerate() {
        if let Some(laid_out) = out.column_mut(at).filter(|_| column.align == Align::Right) {
            laid_out.set_cell_alignment(CellAlignment::Right);
        }
    }
    if table.rows.is_empty() { String::new() } else { out.to_string() }
}

fn lines_of(cell: &TableCell) -> String {
    let [text, detail] = [&cell.text, &cell.detail].map(|text| shortened(text, CELL_WIDTH));
    if detail.is_empty() { text } else { format!("{text}\n{detail}") }
}

fn widest(texts: &[String]) -> usize {
    texts.iter().map(|text| text.chars().count()).max().unwrap_or(0)
}
