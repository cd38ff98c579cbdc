//! The comparison with a baseline: verdicts, differences with their intervals, answers crosswise, and flips by failure class, each
//! count linked to its questions.

use super::contents::HtmlReport;
use super::markup::{CountCell, crosswise};
use crate::comparison::report::{changes, measures};
use crate::comparison::{AgreementView, ComparisonView, FlipGroupView, PairView};
use crate::document::Section;
use crate::render::html::{facts, heading, list, raw_table, table, verdict};
use ragtriage_core::text::numbers::thousands;

pub(super) const SECTION: Section = Section {
    title: "Comparison with the baseline",
    reading: "Differences are paired by question: the other run minus the baseline.",
};

/// Writes the section; nothing without a baseline.
pub(super) fn comparison(report: &HtmlReport<'_>, out: &mut String) {
    if let Some(view) = report.comparison {
        section(view, out);
    }
}

fn section(view: &ComparisonView, out: &mut String) {
    for found in &view.verdicts {
        verdict(&found.to_string(), out);
    }
    facts(&view.runs, out);
    for pair in &view.pairs {
        pair_of(pair, out);
    }
    heading("How to read the comparison", out);
    list("notes", &view.legend, out);
}

fn pair_of(pair: &PairView, out: &mut String) {
    heading(&pair.title, out);
    list("notices", &pair.notices, out);
    table(&measures(pair), out);
    table(&changes(pair), out);
    if let Some(agreement) = &pair.agreement {
        agreement_of(agreement, &pair.label, out);
    }
    flips(pair, out);
}

/// Writes how many questions are good in one run, in both, in none.
fn agreement_of(found: &AgreementView, label: &str, out: &mut String) {
    let columns = found.states.map(|state| format!("{label} {state}"));
    let n = found.counts.iter().flatten().sum();
    let rows = [0, 1].map(|at| {
        let cells = found.counts[at].map(|count| CountCell { count, detail: String::new() });
        (format!("A {}", found.states[at]), cells)
    });
    crosswise(&found.title, &columns, &rows, n, out);
    list("notes", [&found.test], out);
}

/// Writes the flips, a row per pair of classes, each count linked to the questions that went from one to the other.
fn flips(pair: &PairView, out: &mut String) {
    if pair.flips.is_empty() {
        return;
    }
    heading(&format!("Flipped from A to {}", pair.label), out);
    let head = ["", "class in A", &format!("class in {}", pair.label), "questions"];
    raw_table(&head, pair.flips.iter().map(flip_row), out);
    list(
        "notes",
        [
            &"a count filters the table of questions by that turn and those two classes; moved: good in neither".to_owned(),
        ],
        out,
    );
}

fn flip_row(group: &FlipGroupView) -> String {
    let FlipGroupView { turn, classes, .. } = group;
    let (from, to) = classes;
    let n = group.questions.len() + group.n_hidden;
    format!(
        "<th scope=\"row\">{turn}</th><td class=\"text\">{from}</td><td class=\"text\">{to}</td>\
         <td><a href=\"#turn={turn}&amp;from={from}&amp;class={to}\">{}</a></td>",
        thousands(n)
    )
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::comparison::{FlipView, MeasureDifferenceRow};
    use crate::document::Fact;
    use crate::specimen::EVIL;
    use ragtriage_core::types::FailureClass;

    pub(in crate::html) fn view(data: &str) -> ComparisonView {
        let flip = FlipView {
            id: data.to_owned(),
            question: data.to_owned(),
            texts: vec![Fact::new(data, data)],
        };
        let pair = PairView {
            label: "B".to_owned(),
            title: data.to_owned(),
            notices: vec![data.to_owned()],
            changes: vec![[data.to_owned(), data.to_owned(), data.to_owned()]],
            measures: vec![MeasureDifferenceRow {
                primary: true,
                cells: ["EM@5", "8", "0.5", "0.625", "+0.125", "[]", "0.1", "0.2", "1/7/0"]
                    .map(str::to_owned),
            }],
            same: vec![data.to_owned()],
            n_hidden: 2,
            undefined: Vec::new(),
            agreement: Some(AgreementView {
                title: data.to_owned(),
                states: ["right", "wrong"],
                counts: [[4, 1], [2, 1]],
                test: data.to_owned(),
            }),
            flips: vec![FlipGroupView {
                title: data.to_owned(),
                turn: "lost",
                classes: (FailureClass::Correct, FailureClass::Ranking),
                questions: vec![flip],
                n_hidden: 6,
            }],
        };
        ComparisonView {
            runs: vec![Fact::new("A", data), Fact::new("B", data)],
            verdicts: vec![Fact::new("B", data)],
            pairs: vec![pair],
            legend: vec![data.to_owned()],
        }
    }

    fn page(view: &ComparisonView) -> String {
        let mut out = String::new();
        section(view, &mut out);
        out
    }

    #[test]
    fn a_flip_leads_to_its_questions_and_counts_those_that_are_not_shown_too() {
        let page = page(&view("r"));
        // One shown and six not.
        assert!(
            page.contains("<a href=\"#turn=lost&amp;from=correct&amp;class=ranking\">7</a>"),
            "{page}"
        );
    }

    #[test]
    fn answers_stand_crosswise_with_their_shares() {
        let page = page(&view("r"));
        // 4 of 8 questions.
        assert!(
            page.contains("<td class=\"shade3\"><strong>4</strong><small>50.0%</small></td>"),
            "{page}"
        );
        assert!(page.contains("<th scope=\"row\">* EM@5</th>"), "{page}");
    }

    #[test]
    fn hostile_data_is_text() {
        let page = page(&view(EVIL));
        assert!(
            !page.contains("<script") && !page.contains("<img") && !page.contains("</style"),
            "{page}"
        );
        assert!(!page.contains(['\u{202e}', '\u{1b}', '\u{7}']), "{page}");
    }

    #[test]
    fn two_runs_without_a_difference_say_so() {
        let mut same = view("r");
        same.pairs[0].changes.clear();
        same.pairs[0].measures.clear();
        let page = page(&same);
        assert!(page.contains("nothing: configuration, data, versions and models are equal"));
    }
}
