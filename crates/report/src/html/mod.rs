//! The report as one HTML file: no request, and nothing that data says is markup. All that is said without a script stands here.
//!
//! The page's own parts: `policy` (style and what the page may do), `markup` (tables, lists, figures), then its sections in order.
//! The table of all questions is a script's: this page leaves it a place, and shows a few lost questions where no script runs.

mod curves;
mod losses;
mod markup;
mod measures;
mod overview;
pub mod policy;
mod questions;
mod script;

use std::fmt::Write as _;

use super::comparison::{self, ComparisonView};
use super::pictures::Pictures;
use super::questions::PageBlock;
use super::run::RunReport;
use super::run::provenance::Provenance;
use crate::render::html::escape;

pub(super) use markup::{figure, shade};

/// All that a page shows.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The report.
    pub run: &'a RunReport,
    /// Its pictures.
    pub pictures: &'a Pictures,
    /// What it is compared with, where it is.
    pub comparison: Option<&'a ComparisonView>,
    /// Its questions, the index first; none: a page without a script.
    pub blocks: &'a [PageBlock],
    /// What it was made with.
    pub provenance: &'a Provenance,
}

/// A part of the page: its name in addresses (`#losses`), its heading, and what stands under it.
type Part = (&'static str, &'static str, fn(&Page<'_>, &mut String));

/// From top to bottom.
const PARTS: [Part; 8] = [
    ("summary", "Verdict", overview::verdict),
    ("comparison", "Compared with the baseline", comparison),
    ("losses", "Where the answers were lost", losses::losses),
    ("questions", "Questions", questions::questions),
    ("run", "What was run", overview::run),
    ("curves", "Curves and distributions", curves::curves),
    ("measures", "Measures", measures::measures),
    ("effort", "Time and tokens", curves::effort),
];

/// Those that this page has: without a baseline there is nothing to compare.
fn parts<'a>(page: &Page<'a>) -> impl Iterator<Item = Part> + use<'a> {
    let is_alone = page.comparison.is_none();
    PARTS
        .into_iter()
        .filter(move |(id, ..)| !(is_alone && *id == "comparison"))
}

fn comparison(page: &Page<'_>, out: &mut String) {
    if let Some(view) = page.comparison {
        out.push_str(&comparison::html::section(view));
    }
}

/// The page.
#[must_use]
pub fn render(page: &Page<'_>) -> String {
    let name = escape(&page.run.name);
    let style = policy::style();
    let script = script::script();
    let allowed = Some(script.as_str()).filter(|_| !page.blocks.is_empty());
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{name} · ragtriage</title>\n\
         <style>{style}</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n\
         <header>\n<p class=\"brand\">ragtriage</p>\n<h1>{name}</h1>\n<nav aria-label=\"Sections\"><ul>",
        policy::policy(&style, allowed)
    );
    for (id, heading, _) in parts(page) {
        let _ = write!(out, "<li><a href=\"#{id}\">{heading}</a></li>");
    }
    out.push_str("</ul></nav>\n</header>\n<main id=\"main\" tabindex=\"-1\">\n");
    for (id, heading, content) in parts(page) {
        let _ = writeln!(
            out,
            "<section id=\"{id}\" aria-labelledby=\"{id}-heading\">\n<h2 id=\"{id}-heading\">{heading}</h2>"
        );
        content(page, &mut out);
        out.push_str("</section>\n");
    }
    out.push_str("</main>\n");
    script::tail(page.blocks, &script, &mut out);
    out.push_str("</body>\n</html>\n");
    out
}

#[cfg(test)]
mod tests;
