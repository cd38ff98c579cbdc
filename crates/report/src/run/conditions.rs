//! Counterfactual conditions: answer score, calls, and changes between repeats.

use crate::document::Table;
use ragtriage_core::text::numbers::{percent_of, percents};
use ragtriage_core::types::ArmName;
use ragtriage_eval::arms::ArmUse;
use ragtriage_eval::summary::Summary;

const NOTE: &str = "over answerable questions, free-text answers included; AnswerF1 under Answers leaves these out and includes \
     unanswerable questions";

/// The table of conditions; `None` without a generator.
pub(super) fn conditions(summary: &Summary) -> Option<Table> {
    let mut table = Table::new(
        "Conditions (arms) by share of right answers",
        &[
            "",
            "n",
            "right",
            "95% CI",
            "AnswerF1",
            "calls",
            "cached",
            "same prompt",
            "failed",
            "tokens in",
            "tokens out",
            "US dollars",
        ],
    );
    for arm in ArmName::ALL {
        let Some(score) = summary.arms.get(arm.name()) else {
            continue;
        };
        let used = summary.tokens.by_arm.get(arm.name()).copied().unwrap_or_default();
        let ArmUse { calls, failed, cached, same_prompt, prompt, completion, cost_usd } = used;
        let ci95 = score.ci95.map_or(String::new(), |ci| format!("{ci:.2}"));
        let counts =
            [calls as u64, cached as u64, same_prompt as u64, failed as u64, prompt, completion];
        let cells = [
            arm.name().to_owned(),
            score.n.to_string(),
            format!("{:.3}", score.mean),
            ci95,
            format!("{:.3}", score.f1),
        ]
        .into_iter()
        .chain(counts.map(|count| count.to_string()))
        .chain([format!("{cost_usd:.4}")]);
        table.row(cells);
    }
    if !table.rows.is_empty() {
        table.notes.push(NOTE.to_owned());
    }
    table.notes.extend(repeats(summary));
    (!table.rows.is_empty()).then_some(table)
}

/// Describes the changes between repeats.
fn repeats(summary: &Summary) -> Option<String> {
    let repeats = summary.repeats.as_ref()?;
    let means: Vec<String> = repeats.means.iter().map(|mean| format!("{mean:.3}")).collect();
    let ci95 = repeats.ci95.map_or(String::new(), |ci| format!(" {}", percents(ci)));
    Some(format!(
        "asked {} times: {} of {} questions flipped between right and wrong ({}{ci95}); share right each time: {}; \
         standard deviation within a question {:.3}",
        repeats.means.len(),
        repeats.flipped,
        repeats.n,
        percent_of(repeats.flipped, repeats.n),
        means.join(", "),
        repeats.deviation
    ))
}
