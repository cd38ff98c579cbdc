//! A comparison as a section of the page: verdicts, what was set otherwise, differences with their intervals, answers crosswise, and
//! flips by class, each count leading to its questions in the page's table.

use std::fmt::Write as _;

use super::forest::forest;
use super::report::{changes, measures};
use super::{AgreementView, ComparisonView, FlipGroupView, PairView};
use crate::html::{figure, shade};
use crate::render::html::{escape, list, raw_table, table};
use ragtriage_core::text::numbers::thousands;

/// The content of the section: headings of the third level and what stands under them.
#[must_use]
pub fn section(view: &ComparisonView) -> String {
    let mut out = String::new();
    for (label, verdict) in &view.verdicts {
        let _ = writeln!(
            out,
            "<p class=\"verdict\">{}: {}</p>",
            escape(label),
            escape(verdict)
        );
    }
    out.push_str("<dl class=\"facts\">\n");
    for (label, text) in &view.runs {
        let _ = writeln!(out, "<dt>{}</dt><dd>{}</dd>", escape(label), escape(text));
    }
    out.push_str("</dl>\n");
    view.pairs.iter().for_each(|pair| pair_of(pair, &mut out));
    out.push_str("<h3>How to read the comparison</h3>\n");
    list("notes", &view.legend, &mut out);
    out
}

fn pair_of(pair: &PairView, out: &mut String) {
    let _ = writeln!(out, "<h3>{}</h3>", escape(&pair.title));
    list("notices", &pair.notices, out);
    if let Some(found) = forest(pair) {
        figure(&found, out);
    }
    table(&measures(pair), out);
    table(&changes(pair), out);
    if let Some(agreement) = &pair.agreement {
        crosswise(agreement, &pair.label, out);
    }
    flips(pair, out);
    pair.sections.iter().for_each(|one| table(one, out));
}

/// Good in one run by good in the other; a cell the darker the more questions stand in it.
fn crosswise(found: &AgreementView, label: &str, out: &mut String) {
    let n: usize = found.counts.iter().flatten().sum();
    let head = found
        .states
        .iter()
        .map(|state| format!("<th scope=\"col\">{} {state}</th>", escape(label)))
        .collect::<Vec<String>>()
        .concat();
    let _ = writeln!(
        out,
        "<h3>{}</h3>\n<div class=\"scroll\"><table class=\"cells\">\n<thead><tr><td></td>{head}</tr></thead>\n<tbody>",
        escape(&found.title)
    );
    for (state, counts) in found.states.iter().zip(found.counts) {
        let cells = counts
            .into_iter()
            .map(|count| cell(count, n))
            .collect::<Vec<String>>()
            .concat();
        let _ = writeln!(out, "<tr><th scope=\"row\">A {state}</th>{cells}</tr>");
    }
    out.push_str("</tbody></table></div>\n");
    list("notes", [&found.test], out);
}

fn cell(count: usize, n: usize) -> String {
    let share = count as f64 / n.max(1) as f64;
    format!(
        "<td class=\"shade{}\"><strong>{}</strong><small>{:.1}%</small></td>",
        shade(share),
        thousands(count),
        100.0 * share
    )
}

/// A row a pair of classes; its count leads to the questions that went from the one to the other.
fn flips(pair: &PairView, out: &mut String) {
    if pair.flips.is_empty() {
        return;
    }
    let row = |group: &FlipGroupView| {
        let (from, to) = group.classes;
        let n = group.questions.len() + group.n_hidden;
        format!(
            "<th scope=\"row\">{}</th><td class=\"text\">{from}</td><td class=\"text\">{to}</td>\
             <td><a href=\"#turn={}&amp;from={from}&amp;class={to}\">{}</a></td>",
            group.turn,
            group.turn,
            thousands(n)
        )
    };
    let _ = writeln!(out, "<h3>Flipped from A to {}</h3>", escape(&pair.label));
    let head = [
        "",
        "class in A",
        &format!("class in {}", pair.label),
        "questions",
    ];
    raw_table(&head, pair.flips.iter().map(row), out);
    list(
        "notes",
        [
            &"a count filters the questions in the table by that turn and those two classes; moved: good in neither"
                .to_owned(),
        ],
        out,
    );
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::comparison::{Delta, FlipView, MeasureDifferenceRow};
    use crate::specimen::EVIL;
    use ragtriage_core::types::{FailureClass, Interval};

    pub(crate) fn view(data: &str) -> ComparisonView {
        let text = || data.to_owned();
        let delta = Delta {
            mean: 0.125,
            ci95: Some(Interval {
                low: 0.0625,
                high: 0.25,
            }),
            lower_is_better: false,
        };
        let flip = FlipView {
            id: text(),
            question: text(),
            texts: vec![(text(), text())],
        };
        let pair = PairView {
            label: "B".to_owned(),
            title: text(),
            notices: vec![text()],
            changes: vec![[text(), text(), text()]],
            measures: vec![MeasureDifferenceRow {
                primary: true,
                cells: [
                    "EM@5", "8", "0.5", "0.625", "+0.125", "[]", "0.1", "0.2", "1/7/0",
                ]
                .map(str::to_owned),
                delta: Some(delta),
            }],
            same: vec![text()],
            n_hidden: 2,
            undefined: Vec::new(),
            sections: Vec::new(),
            agreement: Some(AgreementView {
                title: text(),
                states: ["right", "wrong"],
                counts: [[4, 1], [2, 1]],
                test: text(),
            }),
            flips: vec![FlipGroupView {
                title: text(),
                turn: "lost",
                classes: (FailureClass::Correct, FailureClass::Ranking),
                questions: vec![flip],
                n_hidden: 6,
            }],
        };
        ComparisonView {
            runs: vec![("A".to_owned(), text()), ("B".to_owned(), text())],
            verdicts: vec![("B".to_owned(), text())],
            pairs: vec![pair],
            legend: vec![text()],
        }
    }

    #[test]
    fn a_flip_leads_to_its_questions_and_counts_those_that_are_not_shown_too() {
        let page = section(&view("r"));
        // One shown and six not.
        assert!(
            page.contains("<a href=\"#turn=lost&amp;from=correct&amp;class=ranking\">7</a>"),
            "{page}"
        );
    }

    #[test]
    fn answers_stand_crosswise_with_their_shares() {
        let page = section(&view("r"));
        // 4 of 8 questions.
        assert!(
            page.contains("<td class=\"shade3\"><strong>4</strong><small>50.0%</small></td>"),
            "{page}"
        );
        assert!(
            page.contains("<th scope=\"row\">* EM@5</th>") && page.contains("<svg"),
            "{page}"
        );
    }

    #[test]
    fn hostile_data_is_text() {
        let page = section(&view(EVIL));
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
        let page = section(&same);
        assert!(
            page.contains("nothing: configuration, data, versions and models are equal")
                && !page.contains("<svg")
        );
    }
}
