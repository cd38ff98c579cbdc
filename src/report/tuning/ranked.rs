//! The table of settings, best first: ready cells of those that are shown, and what is said of the others.

use super::Found;
use super::keys::{pairs, plain, short_names};
use crate::eval::compare::p_text;
use crate::eval::tuning::Row;
use crate::text::numbers::{plural, thousands};
use crate::text::sanitize::shortened;
use crate::types::Interval;

/// Rows shown, the default's and the winner's besides.
const SHOWN: usize = 20;
/// Settings that failed, of which the error is shown.
const SHOWN_FAILED: usize = 5;
/// Characters of a value, and of an error.
const VALUE: usize = 24;
const ERROR: usize = 200;

/// The columns of figures.
pub const FIGURES: [&str; 8] = ["score", "95 %", "delta", "95 %", "max-T p", "equal k", "equal tokens", "tokens"];

/// The ranked settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// What they are ranked by, over how many questions.
    pub title: String,
    /// The varied settings, by their short names.
    pub keys: Vec<String>,
    /// Those that are shown.
    pub rows: Vec<RankedRow>,
    /// What is said of those that are not, and of those that failed.
    pub rest: Vec<String>,
}

/// One of them.
#[derive(Clone, Debug, PartialEq)]
pub struct RankedRow {
    /// From 1.
    pub rank: usize,
    /// `>` the winner, `^` on the front, `=` the default.
    pub marks: String,
    /// Its name.
    pub name: String,
    /// Parallel to [`Ranked::keys`].
    pub values: Vec<String>,
    /// All of them in one text.
    pub pairs: String,
    /// Parallel to [`FIGURES`].
    pub figures: [String; FIGURES.len()],
}

impl Ranked {
    /// The table of what was found.
    pub(super) fn new(found: &Found) -> Self {
        let ranking = found.ranking;
        let is_shown = |(at, row): &(usize, &Row)| *at < SHOWN || found.is_winner(row) || row.name == found.default;
        let rows: Vec<RankedRow> =
            found.scored().enumerate().filter(is_shown).map(|(at, row)| shown(found, at + 1, row)).collect();
        let n_hidden = found.scored().count() - rows.len();
        let mut rest = Vec::new();
        if n_hidden > 0 {
            rest.push(format!("and {} more: tune.json and table.csv have all", thousands(n_hidden)));
        }
        rest.extend(failures(found));
        Self {
            title: format!(
                "Settings by {} ({}, {})",
                ranking.measure,
                plural(ranking.n, "question", "questions"),
                plural(ranking.n_clusters, "cluster", "clusters")
            ),
            keys: short_names(found.varied),
            rows,
            rest,
        }
    }
}

fn shown(found: &Found, rank: usize, row: &Row) -> RankedRow {
    let value = |key: &String| row.values.get(key).map_or_else(String::new, |value| shortened(&plain(value), VALUE));
    RankedRow {
        rank,
        marks: found.marks(row),
        name: shortened(&row.name, VALUE),
        values: found.varied.iter().map(|varied| value(&varied.key)).collect(),
        pairs: pairs(found.varied, &row.values),
        figures: figures(row),
    }
}

fn figures(row: &Row) -> [String; FIGURES.len()] {
    let difference = row.difference.as_ref();
    [
        mean(row.mean),
        row.ci95.map_or_else(none, |ci| format!("{:.2}-{:.2}", ci.low, ci.high)),
        difference.map_or_else(none, |difference| delta(difference.delta)),
        difference.map_or_else(none, |difference| interval(difference.ci95)),
        difference.map_or_else(none, |difference| p_text(difference.p_max_t)),
        row.equal_k.map_or_else(none, mean),
        row.equal_tokens.map_or_else(none, mean),
        tokens(row.context_tokens),
    ]
}

/// What stands where there is no number.
pub(super) fn none() -> String {
    "-".to_owned()
}

pub(super) fn mean(value: f64) -> String {
    format!("{value:.3}")
}

pub(super) fn delta(value: f64) -> String {
    format!("{value:+.3}")
}

pub(super) fn interval(ci95: Option<Interval>) -> String {
    ci95.map_or_else(none, |ci| format!("[{:+.3}, {:+.3}]", ci.low, ci.high))
}

pub(super) fn tokens(value: f64) -> String {
    thousands(value.round() as usize)
}

fn failures(found: &Found) -> Vec<String> {
    let failed: Vec<(&Row, &String)> =
        found.ranking.rows.iter().filter_map(|row| Some((row, row.error.as_ref()?))).collect();
    let told = failed.iter().take(SHOWN_FAILED).map(|(row, error)| {
        let values = shortened(&pairs(found.varied, &row.values), 2 * VALUE);
        format!("failed: {} ({values}): {}", shortened(&row.name, VALUE), shortened(error, ERROR))
    });
    let hidden = failed.len().saturating_sub(SHOWN_FAILED);
    let hidden = (hidden > 0).then(|| format!("and {} more failed", thousands(hidden)));
    told.chain(hidden).collect()
}
