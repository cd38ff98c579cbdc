//! The place of the questions' table, which is a script's, and a few lost questions where none runs.

use std::fmt::Write as _;

use super::contents::HtmlReport;
use crate::document::Table;
use crate::render::html::table;

/// The section's content.
pub(super) fn questions(page: &HtmlReport<'_>, out: &mut String) {
    out.push_str("<div id=\"rx-questions\"></div>\n<noscript>\n");
    let run = page.run;
    let mut lost = Table::of_text("", &["id", "question", "gold answer", "answer", "lost"]);
    for one in &run.lost {
        let answer = one.answer.as_deref().unwrap_or_default();
        lost.row([&one.id, &one.question, &one.gold, answer, &one.why]);
    }
    let _ = writeln!(
        out,
        "<p>{} of {} lost questions, one of each class first. The table of all questions needs scripts; all are in the run's \
         <code>traces.jsonl</code>.</p>",
        run.lost.len(),
        run.n_lost
    );
    table(&lost, out);
    out.push_str("</noscript>\n");
}
