//! The sections that need no drawing: verdict and main figures, questions, configuration, metrics, slices, limits.

use std::fmt::Write as _;

use super::HtmlReport;
use super::tiles::{Tile, tiles};
use crate::document::Table;
use crate::render::html::{self, escape, facts, list, notices, table};
use crate::run::provenance::Provenance;

/// Writes the audited share of right answers, verdict, rule of thumb, main figures and notices.
pub(super) fn verdict(page: &HtmlReport<'_>, out: &mut String) {
    let run = page.run;
    notices(&run.unknown_language, out);
    if !run.right.is_empty() {
        facts(&run.right, out);
    }
    html::verdict(&run.conclusion(), out);
    table(&crate::run::funnel_table(&run.funnel), out);
    if let Some(rule) = &run.rule_of_thumb {
        let _ = writeln!(out, "<p class=\"rule\">Rule of thumb: {}.</p>", escape(rule));
    }
    let tiles = tiles(page.summary, page.saved.manifest.is_foreign());
    if !tiles.is_empty() {
        let tiles = tiles.iter().map(tile).collect::<Vec<String>>().concat();
        let _ = writeln!(out, "<dl class=\"tiles\">\n{tiles}</dl>");
    }
    html::list("advice", &run.advice, out);
    notices(&run.notices, out);
    data(page, out);
}

/// Writes corpus and questions in a line, with a link to the rest.
fn data(page: &HtmlReport<'_>, out: &mut String) {
    let facts = page.run.data.iter().chain(&page.run.language);
    let facts = facts.map(|fact| escape(&fact.to_string())).collect::<Vec<_>>().join(". ");
    let _ = writeln!(out, "<p class=\"ran\">{facts}. <a href=\"#run\">Configuration</a></p>");
}

fn tile(tile: &Tile) -> String {
    let range = tile
        .range
        .as_ref()
        .map_or("no interval".to_owned(), |range| format!("95% CI: {}", escape(range)));
    format!(
        "<div class=\"tile\"><dt>{}</dt><dd class=\"value\">{}</dd><dd>{range}</dd><dd>n = {}</dd><dd>{}</dd></div>\n",
        // A long name may break where its cutoff begins.
        escape(&tile.name).replace('@', "<wbr>@"),
        escape(&tile.value),
        tile.n,
        escape(&tile.meaning)
    )
}

/// Writes data, configuration and provenance.
pub(super) fn run(page: &HtmlReport<'_>, out: &mut String) {
    facts(&page.run.facts(), out);
    let Provenance { facts: made_with, settings, notes } = page.provenance;
    out.push_str("<details><summary>Provenance: hashes, versions, models, cost</summary>\n");
    facts(made_with, out);
    let _ = writeln!(
        out,
        "</details>\n<details><summary>All {} settings, as resolved</summary>",
        settings.len()
    );
    let mut found = Table::of_text("", &["setting", "value"]);
    for (name, value) in settings {
        found.row([name.as_str(), value]);
    }
    found.notes.clone_from(notes);
    table(&found, out);
    out.push_str("</details>\n");
}

/// Leaves the place of the questions' table, which is a script's, and shows a few lost questions where none runs.
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
