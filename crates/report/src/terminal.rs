//! The report in a terminal: plain text, at most 120 columns, no colour unless asked.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, Table, presets};

use super::section::Section;
use super::view::{LostRow, View};
use super::wrap::wrapped;
use ragtriage_core::text::sanitize::{one_line, shortened};
use ragtriage_eval::diagnose::{Cell, TwoByTwo};
use ragtriage_eval::summary::MeasureSummary;

/// Columns of a bar.
const BAR: usize = 40;
/// Columns of a text that data gave.
const TEXT: usize = 100;

/// The report; `color` turns on ANSI bold for headings.
#[must_use]
pub fn render(view: &View, color: bool) -> String {
    let mut out = Page::new(color);
    out.heading(&format!("ragtriage: {}", view.name));
    for (label, text) in &view.head {
        out.wrapped(&format!("{label:<17} "), text);
    }
    for notice in &view.notices {
        out.wrapped("  ! ", notice);
    }
    if !view.waterfall.is_empty() {
        out.heading(&view.waterfall_title);
    }
    for bar in &view.waterfall {
        let filled = (bar.share * BAR as f64).round() as usize;
        let picture = format!(
            "{}{}",
            "█".repeat(filled),
            "·".repeat(BAR - filled.min(BAR))
        );
        let second = bar.with_elsewhere.map_or(String::new(), |count| {
            format!("  ({count} with answer_elsewhere)")
        });
        out.line(&format!(
            "  {:<12}{:>6}  {picture} {:>5.1} %{second}",
            bar.label,
            bar.count,
            100.0 * bar.share
        ));
    }
    out.heading("Classes");
    for row in &view.classes {
        let interval = row.ci95.map_or(String::new(), |ci| {
            format!("[{:.1}, {:.1}]", 100.0 * ci.low, 100.0 * ci.high)
        });
        let second = row.with_elsewhere.map_or(String::new(), |count| {
            format!("{:<9}", format!("({count})"))
        });
        out.line(&format!(
            "  {:>6}  {:>5.1} % {interval:<14} {second}{}",
            row.count,
            100.0 * row.share,
            row.label
        ));
    }
    if view.classes.iter().any(|row| row.with_elsewhere.is_some()) {
        out.line("  in brackets: with answer_elsewhere taken for support");
    }
    if !view.flags.is_empty() {
        out.line(&format!("  flags: {}", view.flags));
    }
    if let Some(table) = &view.two_by_two {
        out.two_by_two(table);
    }
    out.heading(
        "Retrieval (mean, 95 % interval below; EM and EvidenceRecall over passages, the others over documents; @prompt: packed)",
    );
    out.measures(view);
    out.answers(view);
    view.asked.iter().for_each(|section| out.section(section));
    if !view.losses.is_empty() {
        out.heading(&view.loss_title);
    }
    for row in &view.losses {
        out.line(&format!(
            "  {:<12}{:>7.3}  {}",
            row.label,
            row.mean,
            row.ci95.map_or(String::new(), |ci| format!("{ci:.3}"))
        ));
    }
    out.heading("Verdict");
    out.wrapped("  ", &view.verdict);
    if let Some(rule) = &view.rule_of_thumb {
        out.wrapped("  ", &format!("Rule of thumb: {rule}."));
    }
    for caveat in &view.caveats {
        out.wrapped("  - ", caveat);
    }
    view.diagnosis
        .iter()
        .for_each(|section| out.section(section));
    if !view.lost.is_empty() {
        out.heading(&format!(
            "Lost questions ({} of {}, one of each class first; all stand in traces.jsonl)",
            view.lost.len(),
            view.n_lost
        ));
        view.lost.iter().for_each(|row| out.lost(row));
    }
    out.heading("Seconds (search, fuse, pack, generate: summed over questions, several at once)");
    let timings: Vec<String> = view
        .timings
        .iter()
        .map(|(step, seconds)| format!("{step} {seconds:.2}"))
        .collect();
    out.wrapped("  ", &timings.join(", "));
    out.text
}

/// Lines of a terminal; what data gave is made harmless on the way in.
pub(super) struct Page {
    pub text: String,
    color: bool,
}

impl Page {
    pub fn new(color: bool) -> Self {
        Self {
            text: String::new(),
            color,
        }
    }

    pub fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{}", one_line(text).trim_end());
    }

    pub fn heading(&mut self, text: &str) {
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        let text = one_line(text);
        let _ = if self.color {
            writeln!(self.text, "\u{1b}[1m{text}\u{1b}[0m")
        } else {
            writeln!(self.text, "{text}")
        };
    }

    /// `text` behind `lead`, broken between words.
    pub fn wrapped(&mut self, lead: &str, text: &str) {
        self.text.push_str(&wrapped(lead, text));
    }

    fn two_by_two(&mut self, table: &TwoByTwo) {
        self.heading(&format!(
            "Retrieval by answer (EM@{}, {} questions with span answers)",
            table.k, table.n
        ));
        let cell = |cell: &Cell| format!("{:>5}  (mean F1 {:.2})", cell.n, cell.mean_f1);
        self.line(&format!("  {:<16}{:<24}{}", "", "   right", "   wrong"));
        self.line(&format!(
            "  {:<16}{:<24}{}",
            "found",
            cell(&table.hit_right),
            cell(&table.hit_wrong)
        ));
        self.line(&format!(
            "  {:<16}{:<24}{}",
            "not found",
            cell(&table.miss_right),
            cell(&table.miss_wrong)
        ));
    }

    fn measures(&mut self, view: &View) {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        let header = [String::new(), "n".to_owned()]
            .into_iter()
            .chain(view.columns.iter().map(|column| {
                if column.is_empty() {
                    "whole".to_owned()
                } else {
                    column.clone()
                }
            }));
        table.set_header(header);
        let cell = |cell: &Option<MeasureSummary>| {
            cell.map_or(String::new(), |cell| {
                format!(
                    "{:.3}\n{}",
                    cell.mean,
                    cell.ci95
                        .map_or(String::new(), |ci| format!("{:.2}-{:.2}", ci.low, ci.high))
                )
            })
        };
        for row in &view.measures {
            let head = [row.label.clone(), row.n.to_string()];
            table.add_row(head.into_iter().chain(row.cells.iter().map(cell)));
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
            .to_string()
            .lines()
            .for_each(|line| self.line(&format!(" {line}")));
    }

    /// How to read what stands above, a sentence a line.
    pub fn legend(&mut self, sentences: &[String]) {
        self.heading("How to read it");
        for sentence in sentences {
            self.wrapped("  - ", sentence);
        }
    }

    /// A table of ready text.
    pub fn section(&mut self, section: &Section) {
        self.heading(&section.title);
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_header(&section.head);
        for row in &section.rows {
            table.add_row(row.iter().map(|cell| shortened(cell, TEXT)));
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
            .to_string()
            .lines()
            .for_each(|line| self.line(&format!(" {line}")));
        section
            .notes
            .iter()
            .for_each(|note| self.wrapped("  - ", note));
    }

    fn answers(&mut self, view: &View) {
        if view.answers.is_empty() {
            return;
        }
        self.heading("Answers (n, mean, 95 % interval)");
        let width = view
            .answers
            .iter()
            .map(|(label, _)| label.len())
            .max()
            .unwrap_or_default();
        for (label, MeasureSummary { mean, n, ci95 }) in &view.answers {
            let interval = ci95.map_or(String::new(), |ci| ci.to_string());
            self.line(&format!("  {label:<width$}  {n:>5}  {mean:.3} {interval}"));
        }
    }

    fn lost(&mut self, row: &LostRow) {
        self.line(&format!(
            "  {}  {}",
            shortened(&row.id, 30),
            shortened(&row.question, TEXT)
        ));
        self.line(&format!("      gold    {}", shortened(&row.gold, TEXT)));
        if let Some(answer) = &row.answer {
            self.line(&format!("      answer  {}", shortened(answer, TEXT)));
        }
        self.wrapped("      lost    ", &format!("{}: {}", row.class, row.why));
    }
}
