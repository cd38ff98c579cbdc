//! The page's first section, the verdict with the main figures, and what was run.

use std::fmt::Write as _;

use super::contents::HtmlReport;
use crate::document::{Fact, Table};
use crate::pictures::Tile;
use crate::render::html::{escape, facts, list, table};
use crate::run::provenance::Provenance;

/// The verdict, the rule of thumb, the main figures and what to know before believing them.
pub(super) fn verdict(page: &HtmlReport<'_>, out: &mut String) {
    let run = page.run;
    let _ = writeln!(out, "<p class=\"verdict\">{}</p>", escape(&run.verdict));
    if let Some(rule) = &run.rule_of_thumb {
        let _ = writeln!(
            out,
            "<p class=\"rule\">Rule of thumb: {}.</p>",
            escape(rule)
        );
    }
    if !page.pictures.tiles.is_empty() {
        let tiles = page
            .pictures
            .tiles
            .iter()
            .map(tile)
            .collect::<Vec<String>>()
            .concat();
        let _ = writeln!(out, "<dl class=\"tiles\">\n{tiles}</dl>");
    }
    ran(page, out);
    let notices = run.notices.iter();
    list(
        "notices",
        notices.flat_map(|notice| [&notice.text].into_iter().chain(&notice.hint)),
        out,
    );
}

/// Corpus and question set in a line, and the way to the rest.
fn ran(page: &HtmlReport<'_>, out: &mut String) {
    let shown = page.run.head.iter();
    let shown = shown.filter(|fact| ["Corpus", "Questions"].contains(&fact.label.as_str()));
    let said: Vec<String> = shown
        // Tags may be many; the section below has them.
        .map(|Fact { label, text }| {
            let text = text
                .split_once("; tags: ")
                .map_or(text.as_str(), |(text, _)| text);
            format!("{}: {}", escape(label), escape(text))
        })
        .collect();
    if !said.is_empty() {
        let _ = writeln!(
            out,
            "<p class=\"ran\">{}. <a href=\"#run\">More of what was run</a></p>",
            said.join(". ")
        );
    }
}

fn tile(tile: &Tile) -> String {
    let range = tile
        .range
        .as_ref()
        .map_or("no interval".to_owned(), |range| {
            format!("95% CI: {}", escape(range))
        });
    format!(
        "<div class=\"tile\"><dt>{}</dt><dd class=\"value\">{}</dd><dd>{range}</dd><dd>n = {}</dd><dd>{}</dd></div>\n",
        // A long name may break where its cutoff begins.
        escape(&tile.name).replace('@', "<wbr>@"),
        escape(&tile.value),
        tile.n,
        escape(&tile.meaning)
    )
}

/// Corpus, question set and settings in words.
pub(super) fn run(page: &HtmlReport<'_>, out: &mut String) {
    facts(&page.run.head, out);
    let Provenance {
        facts: made_with,
        settings,
        notes,
    } = page.provenance;
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
