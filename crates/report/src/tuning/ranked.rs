//! The table of trials, best first, and notes on those that are not shown or failed.

use super::SweepFindings;
use super::keys::pairs;
use crate::document::{Align, Table};
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_core::text::sanitize::shortened;
use ragtriage_core::types::Interval;
use ragtriage_eval::compare::{LEVEL, p_text};
use ragtriage_eval::tuning::{RankedTrial, TrialRanking};

/// Rows shown, besides the default, the winner and trials that differ from the default beyond chance.
const SHOWN: usize = 20;
/// Failed trials whose error is shown, and truncated ones whose share is.
const SHOWN_NOTES: usize = 5;
/// Characters of a name, and of an error.
const VALUE: usize = 24;
const ERROR: usize = 200;

const COLUMNS: [&str; 10] =
    ["", "", "trial", "score", "95% CI", "delta", "95% CI", "Holm p", "packed", "seconds"];

/// Returns the trials that are shown, with their ranks.
pub(super) fn shown<'a>(found: &SweepFindings<'a>) -> Vec<(usize, &'a RankedTrial)> {
    let ranked = (1..).zip(found.scored());
    ranked.filter(|(rank, row)| *rank <= SHOWN || is_always_shown(found, row)).collect()
}

/// Builds the table.
pub(super) fn table(found: &SweepFindings, shown: &[(usize, &RankedTrial)]) -> Table {
    let mut table = Table::new(title(found.ranking), &COLUMNS);
    table.columns[0].align = Align::Right;
    for text in &mut table.columns[1..3] {
        text.align = Align::Left;
    }
    for (rank, row) in shown {
        let head = [rank.to_string(), found.marks(row), shortened(&row.name, VALUE)];
        table.row(head.into_iter().chain(figures(row)));
    }
    let n_hidden = found.scored().count() - shown.len();
    if n_hidden > 0 {
        table.notes.push(format!("and {} more: see tune.json", thousands(n_hidden)));
    }
    table.notes.extend(failures(found));
    table
}

/// Returns what the encoder does not read of the chunks of trials: these are not compared by their size alone.
pub(super) fn truncated(found: &SweepFindings) -> Vec<String> {
    let truncated = found.scored().filter(|row| row.n_truncated > 0);
    let warnings = truncated.take(SHOWN_NOTES).map(|row| {
        format!(
            "{}: gold evidence of {} is beyond the encoder input limit",
            shortened(&row.name, VALUE),
            plural(row.n_truncated, "question", "questions")
        )
    });
    warnings.collect()
}

fn is_always_shown(found: &SweepFindings, row: &RankedTrial) -> bool {
    let differs = row.difference.is_some_and(|difference| difference.p_holm < LEVEL);
    differs || found.is_winner(row) || row.name == found.default
}

fn title(ranking: &TrialRanking) -> String {
    let (n, n_without) = (ranking.n, ranking.n_left_out + ranking.n_undefined);
    let questions = if ranking.n_undefined == 0 {
        plural(n, "question", "questions")
    } else {
        let (all, have) =
            (plural(n + n_without, "question", "questions"), if n == 1 { "has" } else { "have" });
        format!("{} of {all} {have} a value", thousands(n))
    };
    format!(
        "Trials by {} ({questions}, {})",
        ranking.metric,
        plural(ranking.n_clusters, "cluster", "clusters")
    )
}

fn figures(row: &RankedTrial) -> [String; COLUMNS.len() - 3] {
    let difference = row.difference.as_ref();
    [
        mean(row.mean),
        row.ci95.map_or_else(none, |ci| {
            format!("[{:.2}, {:.2}]", snapped(ci.low, 5e-3), snapped(ci.high, 5e-3))
        }),
        difference.map_or_else(none, |difference| delta(difference.delta)),
        difference.map_or_else(none, |difference| interval(difference.ci95)),
        difference.map_or_else(none, |difference| p_text(difference.p_holm)),
        tokens(row.context_tokens),
        row.seconds.map_or_else(none, |seconds| format!("{seconds:.2}")),
    ]
}

/// Returns the text of a missing number.
pub(super) fn none() -> String {
    "-".to_owned()
}

pub(super) fn mean(value: f64) -> String {
    format!("{:.3}", snapped(value, 5e-4))
}

pub(super) fn delta(value: f64) -> String {
    format!("{:+.3}", snapped(value, 5e-4))
}

pub(super) fn interval(ci95: Option<Interval>) -> String {
    ci95.map_or_else(none, |ci| format!("[{}, {}]", delta(ci.low), delta(ci.high)))
}

/// `value`, or 0 where it is nearer to that than `half` of the last digit shown: no `-0.000`.
fn snapped(value: f64, half: f64) -> f64 {
    if value.abs() < half { 0.0 } else { value }
}

fn tokens(value: f64) -> String {
    thousands(value.round() as usize)
}

fn failures(found: &SweepFindings) -> Vec<String> {
    let failed: Vec<(&RankedTrial, &String)> =
        found.ranking.rows.iter().filter_map(|row| Some((row, row.error.as_ref()?))).collect();
    let shown = failed.iter().take(SHOWN_NOTES).map(|(row, error)| {
        let values = shortened(&pairs(&row.values), 2 * VALUE);
        format!("failed: {} ({values}): {}", shortened(&row.name, VALUE), shortened(error, ERROR))
    });
    let hidden = failed.len().saturating_sub(SHOWN_NOTES);
    let hidden = (hidden > 0).then(|| format!("and {} more failed", thousands(hidden)));
    shown.chain(hidden).collect()
}
