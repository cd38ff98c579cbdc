//! The table of what other settings would deliver.

use crate::document::Table;
use ragtriage_core::text::numbers::thousands;
use ragtriage_eval::what_if::{Alternative, Change, ExpectedGain};

const NOTE: &str = "computed from recorded ranks and tokens, without a call; won: questions whose evidence is in the prompt only after the \
     change; correct answers: the expected change per question, 95% CI, if other passages distract the generator no more than now";

/// Returns the table; `None` without alternatives.
pub(super) fn table(alternatives: &[Alternative]) -> Option<Table> {
    let first = alternatives.first()?;
    let title = format!(
        "Effects of other settings (n = {}; evidence in the prompt now: {}{})",
        thousands(first.n),
        thousands(first.before),
        first.tokens_before.map_or(String::new(), |tokens| format!(
            ", {} tokens of passages per prompt",
            mean(tokens)
        ))
    );
    let mut columns = vec!["change", "evidence in the prompt", "won", "lost", "points, 95% CI"];
    let has_tokens = alternatives.iter().any(|one| one.tokens_after.is_some());
    columns.extend(has_tokens.then_some("tokens"));
    let has_gain = alternatives.iter().any(|one| one.expected_gain.is_some());
    columns.extend(has_gain.then_some("correct answers"));
    let mut table = Table::new(title, &columns);
    for one in alternatives {
        let cells =
            [name(one), thousands(one.after), thousands(one.won), thousands(one.lost), points(one)];
        let tokens = has_tokens.then(|| one.tokens_after.map_or(String::new(), mean));
        let answers = has_gain.then(|| one.expected_gain.as_ref().map_or(String::new(), gain));
        table.row(cells.into_iter().chain(tokens).chain(answers));
    }
    table.notes.push(NOTE.to_owned());
    Some(table)
}

fn name(one: &Alternative) -> String {
    match one.change {
        Change::K { k, .. } if one.settings.is_empty() => format!("{} passages", thousands(k)),
        _ => {
            let each = one.settings.iter().map(|setting| match &setting.value {
                Some(value) => format!("{} = {value}", setting.key),
                None => format!("without {}", setting.key),
            });
            each.collect::<Vec<_>>().join(", ")
        }
    }
}

fn mean(tokens: f64) -> String {
    thousands(tokens.round() as usize)
}

fn points(one: &Alternative) -> String {
    let interval = one.net_ci95.map_or(String::new(), |ci95| {
        format!(" [{:+.1}, {:+.1}]", 100.0 * ci95.low, 100.0 * ci95.high)
    });
    format!("{:+.1}{interval}", 100.0 * one.net() + 0.0)
}

fn gain(expected_gain: &ExpectedGain) -> String {
    let interval = expected_gain.ci95.map_or(String::new(), |ci95| format!(" {ci95:.2}"));
    format!("{:+.2}{interval}", expected_gain.gain + 0.0)
}
