//! The HTML report: one file that requests nothing, in which nothing that data gave is markup.
//!
//! Texts and tables are laid out by [`crate::render::html`]; this folder adds a chart, sections and the script's data. The table of
//! all questions is the script's: the report leaves a place for it, and shows a few lost questions where no script runs.

mod comparison;
mod effort;
mod losses;
mod markup;
mod overview;
pub mod policy;
mod script;
mod tiles;

use std::fmt::Write as _;

use crate::document::Section;
use crate::questions::PageBlock;
use crate::render::html::escape;
use crate::run::provenance::Provenance;
use crate::run::{RunReport, sections};
use ragtriage_data::run::SavedRun;
use ragtriage_eval::compare::Comparison;
use ragtriage_eval::summary::Summary;

/// Everything that an HTML report shows.
#[derive(Clone, Copy, Debug)]
pub struct HtmlReport<'a> {
    /// The results.
    pub run: &'a RunReport,
    /// The run itself.
    pub saved: &'a SavedRun,
    /// Its figures.
    pub summary: &'a Summary,
    /// The comparison with a baseline, if any.
    pub comparison: Option<&'a Comparison>,
    /// Its questions, the index first; without them the report has no script.
    pub blocks: &'a [PageBlock],
    /// Its provenance.
    pub provenance: &'a Provenance,
}

/// A section of the HTML report.
struct HtmlSection {
    /// Its name in addresses, such as `#losses`.
    id: &'static str,
    section: Section,
    write: fn(&HtmlReport<'_>, &mut String),
}

/// From top to bottom.
const SECTIONS: [HtmlSection; 9] = [
    section("summary", sections::VERDICT, overview::verdict),
    section("comparison", comparison::SECTION, comparison::comparison),
    section("losses", sections::LOSSES, losses::losses),
    section("questions", sections::QUESTIONS, overview::questions),
    section("run", sections::CONFIGURATION, overview::run),
    section("measures", sections::METRICS, overview::measures),
    section("diagnosis", sections::DIAGNOSIS, overview::diagnosis),
    section("limits", sections::LIMITS, overview::limits),
    section("effort", sections::TIME, effort::effort),
];

const fn section(
    id: &'static str,
    section: Section,
    write: fn(&HtmlReport<'_>, &mut String),
) -> HtmlSection {
    HtmlSection { id, section, write }
}

/// Lays the report out as one HTML file.
#[must_use]
pub fn render(report: &HtmlReport<'_>) -> String {
    let name = escape(&report.run.name);
    let style = policy::style();
    let script = script::script();
    let allowed = Some(script.as_str()).filter(|_| !report.blocks.is_empty());
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{name} · ragtriage</title>\n\
         <style>{style}</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n\
         <header>\n<p class=\"brand\">ragtriage</p>\n<h1>{name}</h1>\n<nav aria-label=\"Sections\"><ul>",
        policy::policy(&style, allowed)
    );
    let is_alone = report.comparison.is_none();
    let sections = SECTIONS.iter();
    let sections = sections.filter(|one| !(is_alone && one.id == "comparison"));
    for HtmlSection { id, section, .. } in sections.clone() {
        let _ = write!(out, "<li><a href=\"#{id}\">{}</a></li>", section.title);
    }
    out.push_str("</ul></nav>\n</header>\n<main id=\"main\" tabindex=\"-1\">\n");
    for HtmlSection { id, section, write } in sections {
        let Section { title, reading } = section;
        let _ = writeln!(
            out,
            "<section id=\"{id}\" aria-labelledby=\"{id}-heading\">\n<h2 id=\"{id}-heading\">{title}</h2>\n\
             <p class=\"reading\">{reading}</p>"
        );
        write(report, &mut out);
        out.push_str("</section>\n");
    }
    out.push_str("</main>\n");
    script::tail(report.blocks, &script, &mut out);
    out.push_str("</body>\n</html>\n");
    out
}

#[cfg(test)]
mod tests;
