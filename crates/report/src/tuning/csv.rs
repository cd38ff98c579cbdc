//! `table.csv`: every trial of a sweep with every figure, for spreadsheets and notebooks. Cells as in [`crate::csv`].

use super::found::SweepFindings;
use crate::csv::{row, text};
use ragtriage_eval::tuning::RankedTrial;

/// Columns before the values of the varied parameters.
const COLUMNS: [&str; 18] = [
    "rank",
    "name",
    "is_best",
    "is_default",
    "error",
    "measure",
    "n",
    "mean",
    "mean_low",
    "mean_high",
    "delta",
    "delta_low",
    "delta_high",
    "p_holm",
    "equal_k",
    "equal_tokens",
    "context_tokens",
    "truncated",
];

/// The table: a header, then the settings best first, those that failed last and without a rank.
#[must_use]
pub fn render(found: &SweepFindings) -> String {
    let keys = found.varied.iter().map(|varied| varied.key.as_str());
    let head = COLUMNS.into_iter().chain(keys);
    let mut out = row(head.map(text));
    for (at, trial) in found.ranking.rows.iter().enumerate() {
        let values = found
            .varied
            .iter()
            .map(|varied| text(trial.values.get(&varied.key).map_or("", String::as_str)));
        out.push_str(&row(numbers(found, at + 1, trial).into_iter().chain(values)));
    }
    out
}

fn numbers(found: &SweepFindings, rank: usize, trial: &RankedTrial) -> Vec<String> {
    let RankedTrial {
        name,
        values: _,
        error,
        mean,
        ci95,
        equal_k,
        equal_tokens,
        context_tokens,
        difference,
        truncation,
    } = trial;
    let ran = error.is_none();
    let paired = difference.and_then(|difference| difference.ci95);
    let figures = [
        Some(*mean),
        ci95.map(|ci| ci.low),
        ci95.map(|ci| ci.high),
        difference.map(|difference| difference.delta),
        paired.map(|ci| ci.low),
        paired.map(|ci| ci.high),
        difference.map(|difference| difference.p_holm),
        *equal_k,
        *equal_tokens,
        Some(*context_tokens),
        truncation.map(|truncation| truncation.share),
    ];
    [
        if ran { rank.to_string() } else { String::new() },
        text(name),
        found.is_winner(trial).to_string(),
        (name == found.default).to_string(),
        text(error.as_deref().unwrap_or_default()),
        text(&found.ranking.measure.to_string()),
        if ran { found.ranking.n.to_string() } else { String::new() },
    ]
    .into_iter()
    .chain(figures.map(|value| number(value.filter(|_| ran))))
    .collect()
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}
