//! Cost of a run: seconds by step, tokens by condition.

use std::collections::BTreeMap;

use crate::document::Table;
use crate::run::provenance::count;
use ragtriage_core::text::numbers::thousands;
use ragtriage_core::types::ArmName;
use ragtriage_eval::arms::{ArmUse, Spared};
use ragtriage_eval::summary::Summary;

/// Seconds; `wall` are the steps that follow one another, by name. Without rows where nothing was timed.
pub(super) fn seconds(timings: &[(String, f64)], wall: &BTreeMap<String, f64>) -> Table {
    let mut table = Table::new("Seconds by step", &["step", "seconds", "measured"]);
    if timings.iter().all(|(_, seconds)| *seconds <= 0.0) {
        return table;
    }
    for (step, seconds) in timings {
        let how = if wall.contains_key(step) { "wall time" } else { "summed over questions" };
        table.row([step.clone(), format!("{seconds:.2}"), how.to_owned()]);
    }
    table.bars = bars(timings.iter().map(|(_, seconds)| *seconds).collect());
    table
}

/// Tokens of each arm's calls, and of those that were spared; without rows where there are none.
pub(super) fn tokens(summary: &Summary, spared: &BTreeMap<String, Spared>) -> Table {
    let columns = ["arm", "replies", "tokens in", "tokens out", "US dollars"];
    let mut table = Table::new("Tokens by condition (arm)", &columns);
    let mut totals = Vec::new();
    for arm in ArmName::ALL.iter().map(|arm| arm.name()) {
        let used = summary.tokens.by_arm.get(arm).copied().unwrap_or_default();
        let ArmUse { calls, prompt, completion, cost_usd, .. } = used;
        if calls > 0 {
            totals.push(prompt.saturating_add(completion) as f64);
            let cells =
                [thousands(calls), count(prompt), count(completion), format!("{cost_usd:.4}")];
            table.row([arm.to_owned()].into_iter().chain(cells));
        }
        if let Some(Spared { replies, prompt, completion }) = spared.get(arm).copied() {
            totals.push(prompt.saturating_add(completion) as f64);
            let cells = [thousands(replies), count(prompt), count(completion), "0".to_owned()];
            table.row([format!("{arm}, cached")].into_iter().chain(cells));
        }
    }
    if totals.iter().all(|total| *total <= 0.0) {
        table.rows.clear();
        return table;
    }
    table.bars = bars(totals);
    table.notes.push(
        "tokens as billed, or counted locally if the service reports none; cached: from the cache, or from the same prompt of another \
         condition, at no cost"
            .to_owned(),
    );
    table
}

/// Returns each value as a share of the largest, which is above 0; a negative one has no bar.
pub(super) fn bars(values: Vec<f64>) -> Vec<f64> {
    let most = values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
    values.into_iter().map(|value| value.max(0.0) / most).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_told_from_what_was_summed_over_questions() {
        let timings = [("load".to_owned(), 0.25), ("generate".to_owned(), 12.5)];
        let found = seconds(&timings, &BTreeMap::from([("load".to_owned(), 0.25)]));
        assert_eq!(found.rows[0], ["load", "0.25", "wall time"]);
        assert_eq!(found.rows[1], ["generate", "12.50", "summed over questions"]);
        assert_eq!(found.bars, [0.02, 1.0]);
    }

    #[test]
    fn tokens_of_cached_replies_are_in_a_row_of_their_own() {
        let run = crate::specimen::run("r");
        let summary = ragtriage_eval::summary::evaluate(&run, &crate::specimen::plan()).summary;
        let cached = Spared { replies: 2, prompt: 1220, completion: 14 };
        let found = tokens(&summary, &[("retrieved".to_owned(), cached)].into());
        // Four calls of 10 tokens in and 2 out at 1/32 of a dollar.
        assert_eq!(found.rows[0], ["retrieved", "4", "40", "8", "0.1250"]);
        assert_eq!(found.rows[1], ["retrieved, cached", "2", "1,220", "14", "0"]);
        assert_eq!(found.bars[1], 1.0);
    }

    #[test]
    fn what_was_not_timed_has_no_row() {
        assert!(seconds(&[("generate".to_owned(), 0.0)], &BTreeMap::new()).rows.is_empty());
        assert_eq!(bars(vec![0.25, -0.5, 0.5]), [0.5, 0.0, 1.0]);
    }
}
