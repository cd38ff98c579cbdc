//! All measures with their intervals, the tables under the verdict, and what the numbers cover.

use super::Page;
use super::markup::{escape, list, section, table};
use crate::view::View;
use ragtriage_eval::summary::MeasureSummary;

/// The section's content.
pub(super) fn measures(page: &Page<'_>, out: &mut String) {
    let view = page.view;
    retrieval(view, out);
    answers(view, out);
    view.asked
        .iter()
        .chain(&view.diagnosis)
        .for_each(|one| section(one, out));
    out.push_str("<h3>What the numbers cover</h3>\n");
    list("notes", &view.caveats, out);
}

fn retrieval(view: &View, out: &mut String) {
    if view.measures.is_empty() {
        return;
    }
    let columns = view
        .columns
        .iter()
        .map(|column| if column.is_empty() { "whole" } else { column });
    let head: Vec<&str> = ["", "n"].into_iter().chain(columns).collect();
    let rows = view.measures.iter().map(|row| {
        let cells = row
            .cells
            .iter()
            .map(|found| cell(found.as_ref()))
            .collect::<Vec<String>>()
            .concat();
        format!(
            "<th scope=\"row\">{}</th><td>{}</td>{cells}",
            escape(&row.label),
            row.n
        )
    });
    out.push_str("<h3>Retrieval</h3>\n");
    table(&head, rows, out);
    let how = "mean, 95 % interval below; EM and EvidenceRecall over passages, the others over documents; @prompt: what was packed";
    list("notes", [&how.to_owned()], out);
}

fn answers(view: &View, out: &mut String) {
    if view.answers.is_empty() {
        return;
    }
    let rows = view.answers.iter().map(|(label, found)| {
        format!(
            "<th scope=\"row\">{}</th><td>{}</td>{}",
            escape(label),
            found.n,
            cell(Some(found))
        )
    });
    out.push_str("<h3>Answers</h3>\n");
    table(&["", "n", "mean, 95 %"], rows, out);
}

fn cell(found: Option<&MeasureSummary>) -> String {
    let interval = |found: &MeasureSummary| {
        found
            .ci95
            .map_or(String::new(), |ci| format!("{:.2}–{:.2}", ci.low, ci.high))
    };
    found.map_or("<td></td>".to_owned(), |found| {
        format!(
            "<td>{:.3}<br><small>{}</small></td>",
            found.mean,
            interval(found)
        )
    })
}
