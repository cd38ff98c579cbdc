//! A comparison as a [`Report`] for every format of plain text.

use super::{AgreementView, COLUMNS, ComparisonView, FlipGroupView, FlipView, PairView};
use crate::document::{Element, Entry, Fact, Report, Table};
use ragtriage_core::text::numbers::plural;
use ragtriage_core::text::sanitize::shortened;

/// Most characters of a text that data gave, of an id, of a question, of a setting's name, and of its value: one line each.
const TEXT: usize = 90;
const ID: usize = 30;
const QUESTION: usize = 68;
const SETTING: usize = 40;
const VALUE: usize = 36;

impl ComparisonView {
    /// Lays the comparison out as a report.
    #[must_use]
    pub fn report(&self) -> Report {
        let mut report = Report::new("ragtriage: comparison");
        let verdicts = self.verdicts.iter();
        let verdicts = verdicts.map(|verdict| Element::Verdict(verdict.to_string()));
        report.elements.extend(verdicts);
        let runs = self.runs.iter();
        report.facts(runs.map(short).collect());
        for pair in &self.pairs {
            report_pair(pair, &mut report);
        }
        report.heading("How to read it");
        report.list(self.legend.clone());
        report
    }
}

fn report_pair(pair: &PairView, report: &mut Report) {
    report.heading(&*pair.title);
    report.warnings(&pair.notices);
    report.table(changes(pair));
    report.table(measures(pair));
    if let Some(found) = &pair.agreement {
        report.table(agreement(found, &pair.label));
    }
    flips(pair, report);
}

/// The settings that differ between two runs.
pub(crate) fn changes(pair: &PairView) -> Table {
    let title = format!("Differences from A to {}", pair.label);
    let mut table = Table::of_text(title, &["", "A", &pair.label]);
    for [what, from, to] in &pair.changes {
        table.row([shortened(what, SETTING), shortened(from, VALUE), shortened(to, VALUE)]);
    }
    if pair.changes.is_empty() {
        let same = "nothing: configuration, data, versions and models are equal";
        table.notes.push(same.to_owned());
    }
    table
}

/// The measures on which some question differs, and the names of the others.
pub(crate) fn measures(pair: &PairView) -> Table {
    let title = format!("Measures, A to {}", pair.label);
    let columns = COLUMNS.map(|column| if column == "B" { &*pair.label } else { column });
    let mut table = Table::new(title, &columns);
    for row in &pair.measures {
        let [name, rest @ ..] = row.cells.clone();
        let mark = if row.primary { "* " } else { "" };
        table.row([format!("{mark}{name}")].into_iter().chain(rest));
    }
    for (what, names) in
        [("equal on every question", &pair.same), ("in neither run or only one", &pair.undefined)]
    {
        if !names.is_empty() {
            table.notes.push(format!("{what}: {}", names.join(", ")));
        }
    }
    if pair.n_hidden > 0 {
        table.notes.push(format!("{} more at other cutoffs", pair.n_hidden));
    }
    table
}

fn agreement(found: &AgreementView, label: &str) -> Table {
    let [good, bad] = found.states.map(|state| format!("{label} {state}"));
    let mut table = Table::new(&*found.title, &["", &good, &bad]);
    for (state, counts) in found.states.iter().zip(found.counts) {
        let counts = counts.map(|count| count.to_string());
        table.row([format!("A {state}")].into_iter().chain(counts));
    }
    table.notes.push(found.test.clone());
    table
}

fn flips(pair: &PairView, report: &mut Report) {
    let groups = pair.flips.iter();
    let n: usize = groups.map(|group| group.questions.len() + group.n_hidden).sum();
    if n > 0 {
        let n = plural(n, "question", "questions");
        report.heading(format!("Flipped from A to {}: {n}", pair.label));
    }
    for FlipGroupView { title, questions, n_hidden, .. } in &pair.flips {
        report.elements.push(Element::Heading(3, title.clone()));
        report.entries(questions.iter().map(entry).collect());
        if *n_hidden > 0 {
            report.list(vec![format!("{n_hidden} more")]);
        }
    }
}

fn entry(flip: &FlipView) -> Entry {
    Entry {
        title: format!("{}: {}", shortened(&flip.id, ID), shortened(&flip.question, QUESTION)),
        facts: flip.texts.iter().map(short).collect(),
    }
}

fn short(fact: &Fact) -> Fact {
    Fact::new(&*fact.label, shortened(&fact.text, TEXT))
}
