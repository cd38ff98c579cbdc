//! Measures against k, distributions, and what the run took.

use super::contents::HtmlReport;
use super::markup::figure;
use crate::document::Section;
use crate::pictures::Figure;

pub(super) const SECTION: Section = Section {
    title: "Curves and distributions",
    reading: "Metrics by the number of passages, and how scores of passages and answers are distributed.",
};

/// Measures against k, scores of passages and of answers.
pub(super) fn curves(page: &HtmlReport<'_>, out: &mut String) {
    figures(&page.pictures.curves, out);
}

/// Seconds and tokens.
pub(super) fn effort(page: &HtmlReport<'_>, out: &mut String) {
    figures(&page.pictures.effort, out);
}

fn figures(figures: &[Figure], out: &mut String) {
    if figures.is_empty() {
        out.push_str("<p>This run recorded nothing for this section.</p>\n");
    }
    for one in figures {
        figure(one, out);
    }
}
