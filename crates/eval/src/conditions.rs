//! Results by condition: answer quality and cost.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::diagnose;
use super::metric_summary::{MetricSummary, mean};
use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::stats::bootstrap::Bootstrap;
use ragtriage_core::stats::interval::of_mean;
use ragtriage_core::types::{Attempt, Condition, Origin, Trace};

/// Returns the mean of correct answers (1, 0.5 where the rule is unsure, 0) under every condition that was run, by name.
#[must_use]
pub fn condition_scores(
    traces: &[Trace],
    outcomes: &[Outcome],
    bootstrap: &Bootstrap,
) -> BTreeMap<String, MetricSummary> {
    let (conditions, columns) = correct_by_condition(traces, outcomes);
    let scored = conditions.iter().zip(&columns).zip(bootstrap.intervals(&columns));
    let scored = scored.map(|((condition, column), ci95)| {
        let correct: Vec<f64> = column.iter().flatten().copied().collect();
        let n_clusters = bootstrap.n_clusters_with_value(column);
        let ci95 = of_mean(&correct, (0.0, 1.0), n_clusters, ci95);
        (
            condition.name().to_owned(),
            MetricSummary { mean: mean(&correct), n: correct.len(), ci95 },
        )
    });
    scored.collect()
}

/// Returns the conditions that were run, each with a column of correct answers.
fn correct_by_condition(
    traces: &[Trace],
    outcomes: &[Outcome],
) -> (Vec<Condition>, Vec<Vec<Option<f64>>>) {
    let conditions = Condition::ALL.iter().copied();
    let was_run =
        |condition: &Condition| traces.iter().any(|trace| trace.attempt(*condition).is_some());
    let column = |condition| {
        let answers = traces.iter().zip(outcomes);
        answers.map(|(trace, outcome)| diagnose::correct(trace, outcome, condition)).collect()
    };
    conditions.filter(was_run).map(|condition| (condition, column(condition))).unzip()
}

/// Usage of a condition's calls. A cached response uses nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConditionUse {
    /// Calls made, failed ones among them.
    pub calls: usize,
    /// Calls that failed after all retries.
    pub failed: usize,
    /// Cached responses from earlier runs.
    pub cached: usize,
    /// Replies shared with another condition of the question that has an equal prompt.
    pub same_prompt: usize,
    /// Prompt tokens that servers took: as billed, else by our own count.
    pub prompt: u64,
    /// Answer tokens.
    pub completion: u64,
    /// US dollars.
    pub cost_usd: f64,
}

/// Sums the usage of the calls of every condition, by its name; those that rewrote questions as `rewrite`.
#[must_use]
pub fn tokens(traces: &[Trace]) -> BTreeMap<String, ConditionUse> {
    let mut totals: BTreeMap<String, ConditionUse> = BTreeMap::new();
    for condition in traces.iter().flat_map(|trace| &trace.conditions) {
        let entry = totals.entry(condition.condition.name().to_owned()).or_default();
        condition.attempts.iter().for_each(|attempt| entry.add(attempt));
    }
    for call in traces.iter().filter_map(|trace| trace.rewrite.as_ref()) {
        totals.entry("rewrite".to_owned()).or_default().add(call);
    }
    totals
}

impl ConditionUse {
    /// Adds the usage of one attempt.
    pub(super) fn add(&mut self, attempt: &Attempt) {
        match attempt.origin {
            Origin::Cached => self.cached += 1,
            Origin::SamePrompt => self.same_prompt += 1,
            Origin::Called => {
                self.calls += 1;
                self.failed += usize::from(attempt.error.is_some());
                self.cost_usd += attempt.cost_usd;
                if attempt.took_prompt() {
                    let prompt = attempt.tokens.prompt_billed.unwrap_or(attempt.tokens.prompt);
                    self.prompt = self.prompt.saturating_add(prompt);
                    self.completion = self.completion.saturating_add(attempt.tokens.completion);
                }
            }
        }
    }
}
