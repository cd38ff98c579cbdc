//! What approximate search misses of exact search.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::metric_summary::mean;
use ragtriage_core::types::{ChunkId, Step};
use ragtriage_data::run::SavedRun;

/// An approximate search compared with exact search for the same questions.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct ApproximateSearch {
    /// The retriever.
    pub retriever: Step,
    /// Questions for which exact search ran too.
    pub n: usize,
    /// Questions that were searched.
    pub n_searched: usize,
    /// Mean share of exact search's hits that the approximate search found; 0 when `n` is 0.
    pub recall: f64,
}

/// Compares each approximate search of the run with exact search.
pub(super) fn approximate_search(run: &SavedRun) -> Vec<ApproximateSearch> {
    let is_approximate = |step: &Step| {
        let mut indexes = run.manifest.approximate.iter();
        let mut traces = run.traces.iter();
        indexes.any(|index| index.retriever == step.name())
            || traces.any(|trace| trace.step(*step).is_some_and(|s| s.exact_search.is_some()))
    };
    let steps = Step::ALL.iter().filter(|step| is_approximate(step));
    steps.map(|step| compared(run, *step)).collect()
}

fn compared(run: &SavedRun, retriever: Step) -> ApproximateSearch {
    let finished = run.traces.iter().filter(|trace| !trace.failed());
    let searched: Vec<_> = finished.filter_map(|trace| trace.step(retriever)).collect();
    let mut recalls = Vec::new();
    for step in &searched {
        if let Some(exact) = &step.exact_search {
            let found: HashSet<&ChunkId> = step.hits.iter().map(|hit| &hit.id).collect();
            let n_found = exact.iter().filter(|id| found.contains(id)).count();
            recalls.push(n_found as f64 / exact.len().max(1) as f64);
        }
    }
    let (n, recall) = (recalls.len(), mean(&recalls));
    ApproximateSearch { retriever, n, n_searched: searched.len(), recall }
}

#[cfg(test)]
mod tests;
