//! `table.csv`: every trial of a sweep with every figure, for spreadsheets and notebooks. Cells as in [`crate::csv`].

use super::found::{Found, Generated};
use crate::csv::{row, text};
use ragtriage_eval::tuning::RankedTrial;

/// What stands before the varied settings' values.
const COLUMNS: [&str; 19] = [
    "rank",
    "name",
    "is_best",
    "on_front",
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
    "p_max_t",
    "equal_k",
    "equal_tokens",
    "at_prompt",
    "context_tokens",
];
/// What stands behind them where something was generated.
const GENERATED: [&str; 4] = ["answers", "answer_f1", "answer_em", "cost_usd"];

/// The table: a header, then the settings best first, those that failed last and without a rank.
#[must_use]
pub fn render(found: &Found) -> String {
    let generated: &[&str] = if found.generated.is_empty() {
        &[]
    } else {
        &GENERATED
    };
    let keys = found.varied.iter().map(|varied| varied.key.as_str());
    let head = COLUMNS
        .into_iter()
        .chain(keys)
        .chain(generated.iter().copied());
    let mut out = row(head.map(text));
    for (at, setting) in found.ranking.rows.iter().enumerate() {
        let values = found
            .varied
            .iter()
            .map(|varied| text(setting.values.get(&varied.key).map_or("", String::as_str)));
        let answers = found
            .generated
            .iter()
            .find(|generated| generated.name == setting.name);
        let answers = if found.generated.is_empty() {
            Vec::new()
        } else {
            answered(answers)
        };
        out.push_str(&row(numbers(found, at + 1, setting)
            .into_iter()
            .chain(values)
            .chain(answers)));
    }
    out
}

fn numbers(found: &Found, rank: usize, setting: &RankedTrial) -> [String; COLUMNS.len()] {
    let RankedTrial {
        name,
        values: _,
        error,
        mean,
        ci95,
        equal_k,
        equal_tokens,
        at_prompt,
        context_tokens,
        difference,
        on_front,
    } = setting;
    let ran = error.is_none();
    let number = |value: Option<f64>| {
        value
            .filter(|_| ran)
            .map_or_else(String::new, |value| value.to_string())
    };
    let paired = difference.and_then(|difference| difference.ci95);
    [
        if ran { rank.to_string() } else { String::new() },
        text(name),
        found.is_winner(setting).to_string(),
        on_front.to_string(),
        (name == found.default).to_string(),
        text(error.as_deref().unwrap_or_default()),
        text(&found.ranking.measure.to_string()),
        if ran {
            found.ranking.n.to_string()
        } else {
            String::new()
        },
        number(Some(*mean)),
        number(ci95.map(|ci| ci.low)),
        number(ci95.map(|ci| ci.high)),
        number(difference.map(|difference| difference.delta)),
        number(paired.map(|ci| ci.low)),
        number(paired.map(|ci| ci.high)),
        number(difference.map(|difference| difference.p_max_t)),
        number(*equal_k),
        number(*equal_tokens),
        number(*at_prompt),
        number(Some(*context_tokens)),
    ]
}

/// Cells of [`GENERATED`], empty for a setting that was not generated for.
fn answered(generated: Option<&Generated>) -> Vec<String> {
    let Some(Generated {
        name: _,
        n,
        answer_f1,
        answer_em,
        cost_usd,
    }) = generated
    else {
        return vec![String::new(); GENERATED.len()];
    };
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    vec![
        n.to_string(),
        number(*answer_f1),
        number(*answer_em),
        number(*cost_usd),
    ]
}
