//! All metrics with their intervals, the diagnosis of lost questions, and the limits of the numbers.

use super::contents::HtmlReport;
use crate::render::html::{list, table};

/// Writes the metrics.
pub(super) fn measures(page: &HtmlReport<'_>, out: &mut String) {
    for found in &page.run.measures {
        table(found, out);
    }
}

/// Writes the slices.
pub(super) fn diagnosis(page: &HtmlReport<'_>, out: &mut String) {
    if let Some(slices) = &page.run.diagnosis {
        table(slices, out);
    }
}

/// Writes the limits of the numbers.
pub(super) fn limits(page: &HtmlReport<'_>, out: &mut String) {
    list("notes", &page.run.caveats, out);
}
