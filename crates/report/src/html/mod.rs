//! The HTML report: one file that requests nothing, in which nothing that data gave is markup.
//!
//! It holds the elements of the same [`Report`] as every format, laid out by [`crate::render::html`]; this folder adds the page around
//! them and the script's data. The table of all questions is the script's: the page leaves a place for it, and shows the report's few
//! lost questions where no script runs.

pub mod policy;
mod script;

use std::fmt::Write as _;

use crate::document::{Element, Report, Section};
use crate::questions::PageBlock;
use crate::render::html::{element, escape};
use crate::run::sections::{QUESTIONS, VERDICT};

/// A section with its elements.
type Part<'a> = (Section, Vec<&'a Element>);

/// Lays `report` on the run `name` out as one HTML file. `blocks` are its questions, the index first; without them the page has no script.
#[must_use]
pub fn render(name: &str, report: &Report, blocks: &[PageBlock]) -> String {
    let name = escape(name);
    let style = policy::style();
    let script = script::script();
    let allowed = Some(script.as_str()).filter(|_| !blocks.is_empty());
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{name} · ragtriage</title>\n\
         <style>{style}</style>\n</head>\n<body>\n<a class=\"skip\" href=\"#main\">Skip to the report</a>\n\
         <header>\n<p class=\"brand\">ragtriage</p>\n<h1>{name}</h1>\n<nav aria-label=\"Sections\"><ul>",
        policy::policy(&style, allowed)
    );
    let parts = parts(report);
    for (Section { id, title, .. }, _) in &parts {
        let _ = write!(out, "<li><a href=\"#{id}\">{title}</a></li>");
    }
    out.push_str("</ul></nav>\n</header>\n<main id=\"main\" tabindex=\"-1\">\n");
    for part in &parts {
        section(part, &mut out);
    }
    out.push_str("</main>\n");
    script::tail(blocks, &script, &mut out);
    out.push_str("</body>\n</html>\n");
    out
}

/// Writes a section: verdict and questions open, the others folded. An address within a folded one opens it.
fn section((Section { id, title, reading }, elements): &Part<'_>, out: &mut String) {
    let is_open = [VERDICT, QUESTIONS].iter().any(|open| open.id == *id);
    let is_script_s = *id == QUESTIONS.id;
    let (before, after) = if is_open { ("", "") } else { ("<details><summary>", "</summary>") };
    let _ = writeln!(
        out,
        "{before}<h2 id=\"{id}-heading\">{title}</h2>{after}\n<section id=\"{id}\" aria-labelledby=\"{id}-heading\">"
    );
    if !reading.is_empty() {
        let _ = writeln!(out, "<p class=\"reading\">{reading}</p>");
    }
    out.push_str(if is_script_s { "<div id=\"rx-questions\"></div>\n<noscript>\n" } else { "" });
    for one in elements {
        element(one, out);
    }
    out.push_str(if is_script_s { "</noscript>\n" } else { "" });
    out.push_str(if is_open { "</section>\n" } else { "</section></details>\n" });
}

/// The report by section, without its title. What comes before the first section is the verdict.
fn parts(report: &Report) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = vec![(VERDICT, Vec::new())];
    for element in &report.elements {
        match (element, parts.last_mut()) {
            (Element::Section(section), _) => parts.push((*section, Vec::new())),
            (Element::Heading(1, _), _) | (_, None) => {}
            (other, Some((_, elements))) => elements.push(other),
        }
    }
    parts
}

#[cfg(test)]
mod tests;
