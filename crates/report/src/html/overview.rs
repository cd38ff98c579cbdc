//! The page's first section, the verdict with the main figures, and what was run.

use std::fmt::Write as _;

use super::Page;
use super::markup::{escape, list, table};
use crate::pictures::Tile;
use crate::record::Record;

/// The verdict, the rule of thumb, the main figures and what to know before believing them.
pub(super) fn verdict(page: &Page<'_>, out: &mut String) {
    let view = page.view;
    let _ = writeln!(out, "<p class=\"verdict\">{}</p>", escape(&view.verdict));
    if let Some(rule) = &view.rule_of_thumb {
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
    list("notices", &view.notices, out);
}

/// Corpus and question set in a line, and the way to the rest.
fn ran(page: &Page<'_>, out: &mut String) {
    let parts = page
        .view
        .head
        .iter()
        .filter(|(label, _)| ["Corpus", "Questions"].contains(&label.as_str()));
    let said: Vec<String> = parts
        // Tags may be many; they stand in the section.
        .map(|(label, text)| {
            (
                label,
                text.split_once("; tags: ")
                    .map_or(text.as_str(), |(text, _)| text),
            )
        })
        .map(|(label, text)| format!("{}: {}", escape(label), escape(text)))
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
            format!("95 %: {}", escape(range))
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
pub(super) fn run(page: &Page<'_>, out: &mut String) {
    facts(&page.view.head, out);
    let Record {
        facts: made_with,
        settings,
        notes,
    } = page.record;
    out.push_str("<details><summary>Provenance: hashes, versions, models, cost</summary>\n");
    facts(made_with, out);
    let _ = writeln!(
        out,
        "</details>\n<details><summary>All {} settings, as resolved</summary>",
        settings.len()
    );
    let rows = settings.iter().map(|(name, value)| {
        format!(
            "<th scope=\"row\">{}</th><td class=\"text\">{}</td>",
            escape(name),
            escape(value)
        )
    });
    table(&["setting", "value"], rows, out);
    list("notes", notes, out);
    out.push_str("</details>\n");
}

/// Labels with their texts.
fn facts(facts: &[(String, String)], out: &mut String) {
    out.push_str("<dl class=\"facts\">\n");
    for (label, text) in facts {
        let _ = writeln!(out, "<dt>{}</dt><dd>{}</dd>", escape(label), escape(text));
    }
    out.push_str("</dl>\n");
}
