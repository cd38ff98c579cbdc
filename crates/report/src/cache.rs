//! The contents of a cache as data.

use serde::Serialize;

use crate::document::{Report, Table};
use ragtriage_core::text::numbers;

/// The contents of a cache.
#[derive(Clone, Debug, Serialize)]
pub struct CacheUse {
    /// Its folder.
    pub folder: String,
    /// By kind.
    pub kinds: Vec<Holding>,
    /// Cached responses by the data set they were asked for.
    pub replies: Vec<Holding>,
}

/// Entries of one kind, or cached responses for one data set.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Holding {
    /// The kind or data set.
    pub name: String,
    /// Number of entries.
    pub entries: u64,
    /// Their size.
    pub bytes: u64,
    /// Time of the oldest, `2026-11-21T19:00:00Z`, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub oldest: Option<String>,
    /// Time of the newest, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub newest: Option<String>,
}

/// Builds the report.
#[must_use]
pub fn report(contents: &CacheUse) -> Report {
    let mut report = Report::new(format!("ragtriage: cache {}", contents.folder));
    report.table(table("By kind", &contents.kinds));
    report.table(table("Cached responses by data set", &contents.replies));
    report
}

fn table(title: &str, holdings: &[Holding]) -> Table {
    let mut table = Table::new(title, &["", "entries", "size", "oldest", "newest"]);
    for holding in holdings {
        table.row([
            holding.name.clone(),
            numbers::thousands(holding.entries as usize),
            numbers::bytes(holding.bytes),
            day(holding.oldest.as_deref()),
            day(holding.newest.as_deref()),
        ]);
    }
    table
}

fn day(at: Option<&str>) -> String {
    at.map_or(String::new(), |at| at.chars().take(10).collect())
}
