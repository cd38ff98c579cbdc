//! Deliveries of other settings, computed from recorded ranks and tokens: no call is made.
//!
//! Each recorded ranking is packed again under another k, another budget or without the steps after it, as the pipeline packs:
//! whole passages in rank order until one does not fit. Evidence in the prompt is then exact arithmetic. A perfect reranker is an
//! upper bound. The promise of an alternative is the change of the answer score by delivery: see `effect.rs`.

mod advice;
mod alternative;
mod changes;
mod cover;
mod effect;
mod packing;
mod recorded;
#[cfg(test)]
mod tests;

pub use advice::Advice;
pub use alternative::{Alternative, Change, Promise, Setting};

use rayon::iter::{IntoParallelIterator, ParallelIterator};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::attribute::known::TopK;
use ragtriage_data::run::SavedRun;
use recorded::RecordedRun;

/// Effects of other settings, computed from the record.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WhatIf {
    /// Every alternative that the record allows and that changes a prompt.
    pub alternatives: Vec<Alternative>,
    /// The alternatives worth trying as sentences, the best first.
    pub advice: Vec<Advice>,
}

impl WhatIf {
    /// Evaluates the alternatives to the settings of `run`. `top` is the hits that packing takes; `cluster_of[i]` is question i's
    /// cluster.
    #[must_use]
    pub fn new(run: &SavedRun, outcomes: &[Outcome], top: TopK, cluster_of: &[usize]) -> Self {
        let alternatives = alternatives(&RecordedRun::new(run, outcomes, top, cluster_of));
        Self { advice: advice::advice(&alternatives), alternatives }
    }
}

fn alternatives(run: &RecordedRun<'_>) -> Vec<Alternative> {
    if run.questions.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<Alternative> = Vec::new();
    let changes = changes::changes(run).into_par_iter();
    let alternatives: Vec<Option<Alternative>> =
        changes.map(|(change, settings)| effect::alternative(run, change, settings)).collect();
    for one in alternatives.into_iter().flatten() {
        if !found.iter().any(|other| is_same_prompt(&one, other)) {
            found.push(one);
        }
    }
    found.extend(effect::perfect_reranker(run));
    found
}

/// Returns true if two budgets hold the same passages.
fn is_same_prompt(one: &Alternative, other: &Alternative) -> bool {
    let are_budgets = [one, other].map(|one| matches!(one.change, Change::Budget { .. }));
    are_budgets == [true, true] && one.tokens_after == other.tokens_after
}
