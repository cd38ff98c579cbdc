//! The comparison with a baseline: verdicts, differences with their intervals, answers crosswise, and flips by failure class, each
//! count linked to its questions.

use super::HtmlReport;
use super::markup::{CountCell, crosswise};
use crate::comparison::{
    agreement_title, changes, counts, legend, mcnemar, measures, notices, runs, states, title,
    turn_name, verdicts,
};
use crate::document::{Align, Section, Table, TableCell};
use crate::render::html::{facts, heading, list, table, verdict};
use ragtriage_core::text::numbers::thousands;
use ragtriage_eval::compare::answers::{Contingency, FlipGroup};
use ragtriage_eval::compare::{Comparison, PairComparison};

pub(super) const SECTION: Section = Section {
    title: "Comparison with the baseline",
    reading: "Differences are paired by question: the other run minus the baseline.",
};

/// Writes the section; nothing without a baseline.
pub(super) fn comparison(report: &HtmlReport<'_>, out: &mut String) {
    if let Some(found) = report.comparison {
        section(found, out);
    }
}

fn section(comparison: &Comparison, out: &mut String) {
    for found in verdicts(comparison) {
        verdict(&found.to_string(), out);
    }
    facts(&runs(comparison), out);
    for pair in &comparison.pairs {
        heading(&title(comparison, pair), out);
        list("notices", &notices(pair), out);
        table(&measures(comparison, pair, false), out);
        table(&changes(pair), out);
        if let Some(found) = &pair.agreement {
            agreement(found, pair, out);
        }
        let flips = flips(pair);
        if !flips.rows.is_empty() {
            table(&flips, out);
        }
    }
    heading("How to read the comparison", out);
    list("notes", &legend(comparison), out);
}

/// Writes how many questions are good in one run, in both, in none.
fn agreement(found: &Contingency, pair: &PairComparison, out: &mut String) {
    let (states, counts) = (states(found), counts(found));
    let columns = states.map(|state| format!("{} {state}", pair.run.label));
    let rows = [0, 1].map(|at| {
        let cells = counts[at].map(|count| CountCell { count, detail: String::new() });
        (format!("A {}", states[at]), cells)
    });
    crosswise(&agreement_title(found), &columns, &rows, found.n, out);
    list("notes", [&mcnemar(found, pair.questions)], out);
}

/// The flips, a row per pair of classes, each count linked to the questions that went from one to the other.
fn flips(pair: &PairComparison) -> Table {
    let label = &pair.run.label;
    let head = ["", "class in A", &format!("class in {label}"), "questions"];
    let mut table = Table::of_text(format!("Flipped from A to {label}"), &head);
    table.columns[3].align = Align::Right;
    for FlipGroup { turn, from, to, questions } in &pair.flips {
        let turn = turn_name(*turn);
        let mut count = TableCell::from(thousands(questions.len()));
        count.link = format!("#turn={turn}&from={from}&class={to}");
        table.row([turn.into(), from.name().into(), to.name().into(), count]);
    }
    if !table.rows.is_empty() {
        let note = "a count filters the table of questions by that turn and those two classes; moved: good in neither";
        table.notes.push(note.to_owned());
    }
    table
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::specimen::EVIL;

    /// Fifteen questions, of which four flipped; all names and texts are `data`.
    pub(in crate::html) fn compared(data: &str) -> Comparison {
        let mut comparison = crate::tests::compared();
        data.clone_into(&mut comparison.baseline.name);
        for pair in &mut comparison.pairs {
            data.clone_into(&mut pair.run.name);
            data.clone_into(&mut pair.verdict);
            for change in &mut pair.changes {
                data.clone_into(&mut change.what);
                change.run = data.into();
            }
            for flip in pair.flips.iter_mut().flat_map(|group| &mut group.questions) {
                data.clone_into(&mut flip.question);
                data.clone_into(&mut flip.gold);
            }
        }
        comparison
    }

    fn page(comparison: &Comparison) -> String {
        let mut out = String::new();
        section(comparison, &mut out);
        out
    }

    #[test]
    fn a_flip_leads_to_its_questions() {
        let page = page(&compared("r"));
        assert!(
            page.contains("<a href=\"#turn=lost&amp;from=correct&amp;class=ranking\">2</a>"),
            "{page}"
        );
    }

    #[test]
    fn answers_are_counted_crosswise_with_their_shares() {
        let page = page(&compared("r"));
        // 3 of 15 questions.
        assert!(
            page.contains("<td class=\"shade1\"><strong>3</strong><small>20.0%</small></td>"),
            "{page}"
        );
        assert!(page.contains("<th scope=\"row\">* AnswerRight</th>"), "{page}");
    }

    #[test]
    fn hostile_data_is_text() {
        let page = page(&compared(EVIL));
        assert!(
            !page.contains("<script") && !page.contains("<img") && !page.contains("</style"),
            "{page}"
        );
        assert!(!page.contains(['\u{202e}', '\u{1b}', '\u{7}']), "{page}");
    }

    #[test]
    fn two_runs_without_a_difference_say_so() {
        let mut same = compared("r");
        same.pairs[0].changes.clear();
        let page = page(&same);
        assert!(page.contains("nothing: configuration, data, versions and models are equal"));
    }
}
