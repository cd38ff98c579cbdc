//! All measures with their intervals, the tables under the verdict, and the limits of the numbers.

use super::contents::HtmlReport;
use crate::render::html::{heading, list, table};

/// The section's content.
pub(super) fn measures(page: &HtmlReport<'_>, out: &mut String) {
    let run = page.run;
    for found in run.measures.iter().chain(&run.diagnosis) {
        table(found, out);
    }
    heading("Scope of the numbers", out);
    list("notes", &run.caveats, out);
}
