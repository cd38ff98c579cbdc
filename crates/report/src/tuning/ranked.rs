//! The table of trials, best first, and notes on those that are not shown or failed.

use super::SweepFindings;
use super::keys::{pairs, plain, short_names};
use crate::document::{Align, Table, TableColumn};
use ragtriage_core::text::numbers::{percent, plural, thousands};
use ragtriage_core::text::sanitize::shortened;
use ragtriage_core::types::Interval;
use ragtriage_eval::compare::{LEVEL, p_text};
use ragtriage_eval::tuning::{RankedTrial, TrialRanking, TuningPlan};

/// Rows shown, besides the default, the winner and trials that differ from the default beyond chance.
const SHOWN: usize = 20;
/// Failed trials whose error is shown, and truncated ones whose share is.
const SHOWN_NOTES: usize = 5;
/// Characters of a value, and of an error.
const VALUE: usize = 24;
const ERROR: usize = 200;

/// The columns of the two views.
const EQUAL_K: &str = "equal k";
const EQUAL_TOKENS: &str = "equal tokens";
/// The column of the mean tokens of a trial's own prompt.
const PACKED: &str = "packed";
/// The columns of figures.
const FIGURES: [&str; 8] =
    ["score", "95% CI", "delta", "95% CI", "Holm p", EQUAL_K, EQUAL_TOKENS, PACKED];

/// Builds the table.
pub(super) fn table(found: &SweepFindings) -> Table {
    let mut table =
        Table { title: title(found.ranking), columns: columns(found), ..Table::default() };
    for (at, row) in found.scored().enumerate() {
        if at < SHOWN || is_always_shown(found, row) {
            table.row(cells(found, at + 1, row));
        }
    }
    let n_hidden = found.scored().count() - table.rows.len();
    if n_hidden > 0 {
        table.notes.push(format!("and {} more: see tune.json", thousands(n_hidden)));
    }
    let truncated = found.scored().filter_map(|row| Some((row, row.truncation?)));
    table.notes.extend(truncated.take(SHOWN_NOTES).map(|(row, cut)| {
        format!(
            "! {}: the encoder input limit drops {} of the tokens, and gold evidence of {}",
            shortened(&row.name, VALUE),
            percent(cut.share),
            plural(cut.n_questions, "question", "questions")
        )
    }));
    table.notes.extend(failures(found));
    table
}

fn is_always_shown(found: &SweepFindings, row: &RankedTrial) -> bool {
    let differs = row.difference.is_some_and(|difference| difference.p_holm < LEVEL);
    differs || found.is_winner(row) || row.name == found.default
}

fn columns(found: &SweepFindings) -> Vec<TableColumn> {
    let mut columns = ["", "", "trial"].map(TableColumn::of_numbers).to_vec();
    for text in &mut columns[1..] {
        text.align = Align::Left;
    }
    let keys = short_names(found.varied).into_iter();
    columns.extend(keys.map(|key| TableColumn { folds: true, ..TableColumn::of_numbers(&key) }));
    let figures = without_same(found.plan, &FIGURES, FIGURES);
    columns.extend(figures.into_iter().map(TableColumn::of_numbers));
    columns
}

fn cells(found: &SweepFindings, rank: usize, row: &RankedTrial) -> Vec<String> {
    let mut cells = vec![rank.to_string(), found.marks(row), shortened(&row.name, VALUE)];
    let values = found.varied.iter().map(|varied| {
        row.values
            .get(&varied.key)
            .map_or_else(String::new, |value| shortened(&plain(value), VALUE))
    });
    cells.extend(values);
    cells.extend(without_same(found.plan, &FIGURES, figures(row)));
    cells
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
        ranking.measure,
        plural(ranking.n_clusters, "cluster", "clusters")
    )
}

fn figures(row: &RankedTrial) -> [String; FIGURES.len()] {
    let difference = row.difference.as_ref();
    [
        mean(row.mean),
        row.ci95.map_or_else(none, |ci| {
            format!("[{:.2}, {:.2}]", snapped(ci.low, 5e-3), snapped(ci.high, 5e-3))
        }),
        difference.map_or_else(none, |difference| delta(difference.delta)),
        difference.map_or_else(none, |difference| interval(difference.ci95)),
        difference.map_or_else(none, |difference| p_text(difference.p_holm)),
        row.equal_k.map_or_else(none, mean),
        row.equal_tokens.map_or_else(none, mean),
        tokens(row.context_tokens),
    ]
}

/// Returns `cells` without those of a view that trials are ranked by, which would show the score twice; `heads` are theirs.
fn without_same<T>(
    plan: &TuningPlan,
    heads: &[&str],
    cells: impl IntoIterator<Item = T>,
) -> Vec<T> {
    let own = heads.iter().zip(cells).filter(|(head, _)| match **head {
        EQUAL_K => plan.equal_k != plan.measure,
        EQUAL_TOKENS => plan.equal_tokens != plan.measure,
        _ => true,
    });
    own.map(|(_, cell)| cell).collect()
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
        let values = shortened(&pairs(found.varied, &row.values), 2 * VALUE);
        format!("failed: {} ({values}): {}", shortened(&row.name, VALUE), shortened(error, ERROR))
    });
    let hidden = failed.len().saturating_sub(SHOWN_NOTES);
    let hidden = (hidden > 0).then(|| format!("and {} more failed", thousands(hidden)));
    shown.chain(hidden).collect()
}
