//! All measures with their intervals, the tables under the verdict, and what the numbers cover.

use super::contents::HtmlReport;
use crate::render::html::{list, table};

/// The section's content.
pub(super) fn measures(page: &HtmlReport<'_>, out: &mut String) {
    let run = page.run;
    for found in run.measures.iter().chain(&run.diagnosis) {
        table(found, out);
    }
    out.push_str("<h3>What the numbers cover</h3>\n");
    list("notes", &run.caveats, out);
}
