//! All metrics with their intervals, the diagnosis of lost questions, and the limits of the numbers.

use super::contents::HtmlReport;
use crate::document::Table;
use crate::render::html::{list, table};

/// Writes the metrics.
pub(super) fn measures(page: &HtmlReport<'_>, out: &mut String) {
    tables(&page.run.measures, out);
}

/// Writes failure modes and slices.
pub(super) fn diagnosis(page: &HtmlReport<'_>, out: &mut String) {
    tables(&page.run.diagnosis, out);
}

/// Writes the limits of the numbers.
pub(super) fn limits(page: &HtmlReport<'_>, out: &mut String) {
    list("notes", &page.run.caveats, out);
}

fn tables(tables: &[Table], out: &mut String) {
    for found in tables {
        table(found, out);
    }
}
