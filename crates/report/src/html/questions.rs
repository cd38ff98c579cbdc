//! The place of the questions' table, which is a script's, and a few lost questions where none runs.

use std::fmt::Write as _;

use super::Page;
use super::markup::{escape, table};

/// The section's content.
pub(super) fn questions(page: &Page<'_>, out: &mut String) {
    out.push_str("<div id=\"rx-questions\"></div>\n<noscript>\n");
    let view = page.view;
    let rows = view.lost.iter().map(|row| {
        let answer = row.answer.as_deref().unwrap_or_default();
        let why = format!("{}: {}", row.class, row.why);
        let cells = [&row.question, &row.gold, answer, &why]
            .map(|text| format!("<td class=\"text\">{}</td>", escape(text)));
        format!(
            "<th scope=\"row\">{}</th>{}",
            escape(&row.id),
            cells.concat()
        )
    });
    let _ = writeln!(
        out,
        "<p>{} of {} lost questions, one of each class first. The table of all questions needs scripts; all of them stand in the run's \
         <code>traces.jsonl</code>.</p>",
        view.lost.len(),
        view.n_lost
    );
    if !view.lost.is_empty() {
        table(&["id", "question", "gold", "answer", "lost"], rows, out);
    }
    out.push_str("</noscript>\n");
}
