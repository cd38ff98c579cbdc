//! What a cache holds, and what was taken out of it.

use std::fmt::Write as _;

use comfy_table::{CellAlignment, Table, presets};
use serde::Serialize;

use ragtriage_core::text::numbers;
use ragtriage_core::text::sanitize::one_line;

/// What a cache holds.
#[derive(Clone, Debug, Serialize)]
pub struct CacheView {
    /// Its folder.
    pub folder: String,
    /// By kind.
    pub kinds: Vec<Holding>,
    /// The replies by the data set they were asked for.
    pub replies: Vec<Holding>,
}

/// One kind of thing, or one data set's replies.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Holding {
    /// What.
    pub name: String,
    /// How many.
    pub entries: u64,
    /// How large.
    pub bytes: u64,
    /// When the oldest was made, `2026-11-21T19:00:00Z`, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest: Option<String>,
    /// When the newest was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest: Option<String>,
}

/// The view as text.
#[must_use]
pub fn render(view: &CacheView) -> String {
    let CacheView {
        folder,
        kinds,
        replies,
    } = view;
    let mut out = format!("cache {}\n\n", one_line(folder));
    out.push_str(&table("kind", kinds));
    if !replies.is_empty() {
        let _ = write!(out, "\n{}", table("replies by data set", replies));
    }
    out
}

fn table(title: &str, holdings: &[Holding]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header([title, "entries", "size", "oldest", "newest"]);
    let day = |at: &Option<String>| {
        at.as_deref()
            .map_or(String::new(), |at| at.chars().take(10).collect())
    };
    for Holding {
        name,
        entries,
        bytes,
        oldest,
        newest,
    } in holdings
    {
        table.add_row([
            one_line(name).into_owned(),
            numbers::thousands(*entries as usize),
            numbers::bytes(*bytes),
            day(oldest),
            day(newest),
        ]);
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
        .to_string()
        .lines()
        .fold(String::new(), |out, line| out + line.trim_end() + "\n")
}

/// What was taken out, or would be.
#[must_use]
pub fn removed(holdings: &[Holding], would: bool) -> String {
    let verb = if would { "would remove" } else { "removed" };
    let mut out = String::new();
    for Holding {
        name,
        entries,
        bytes,
        ..
    } in holdings.iter().filter(|holding| holding.entries > 0)
    {
        let _ = writeln!(
            out,
            "{verb} {} of {name}, {}",
            numbers::thousands(*entries as usize),
            numbers::bytes(*bytes)
        );
    }
    if out.is_empty() {
        format!("{verb} nothing\n")
    } else {
        out
    }
}
