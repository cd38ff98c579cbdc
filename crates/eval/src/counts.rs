//! Counts of a run: failure classes, causes, flags, answers on which rules disagree.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use ragtriage_core::attribute::classify::Outcome;
use ragtriage_core::stats::wilson::wilson;
use ragtriage_core::types::{Cause, ChunkId, Condition, FailureClass, Flag, Interval, Step};
use ragtriage_data::run::SavedRun;

/// A count with its share.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// Questions.
    pub count: usize,
    /// Of all questions of the run; of causes, of those whose cause is known.
    pub share: f64,
    /// Wilson's 95 % interval of the share.
    pub ci95: Option<Interval>,
}

pub(super) fn class_counts(outcomes: &[Outcome]) -> BTreeMap<String, usize> {
    count(
        FailureClass::ALL.iter().map(|class| class.name()),
        outcomes.iter().map(|outcome| outcome.class.name()),
    )
}

/// Counts the causes of `not_retrieved`, as far as they are known; empty where none is.
pub(super) fn causes(outcomes: &[Outcome]) -> BTreeMap<String, Share> {
    let known = outcomes.iter().filter_map(|outcome| outcome.cause).map(Cause::name);
    let known: Vec<&str> = known.collect();
    if known.is_empty() {
        return BTreeMap::new();
    }
    let n = known.len();
    shares(&count(Cause::ALL.iter().map(|cause| cause.name()), known.into_iter()), n)
}

/// Counts each name, including names that never occur.
pub(super) fn count<'a>(
    all: impl Iterator<Item = &'a str>,
    found: impl Iterator<Item = &'a str>,
) -> BTreeMap<String, usize> {
    let mut counts: BTreeMap<String, usize> = all.map(|name| (name.to_owned(), 0)).collect();
    for name in found {
        *counts.entry(name.to_owned()).or_default() += 1;
    }
    counts
}

pub(super) fn shares(classes: &BTreeMap<String, usize>, n: usize) -> BTreeMap<String, Share> {
    let shares = classes.iter().map(|(class, &count)| {
        let share = count as f64 / n.max(1) as f64;
        let ci95 = wilson(count, n);
        (class.clone(), Share { count, share, ci95 })
    });
    shares.collect()
}

/// Counts the packed passages of an external RAG that are in no document, and all of them; for a question without a recorded
/// prompt, those of its last ranking.
pub(super) fn unlocated(run: &SavedRun) -> (usize, usize) {
    if !run.manifest.is_external() {
        return (0, 0);
    }
    let steps = run.traces.iter().filter_map(|trace| {
        let packed = trace.step(Step::Packed);
        packed.or_else(|| trace.recorded_ranking())
    });
    let contexts = steps.flat_map(|step| step.hits.iter().map(|hit| &hit.id));
    let contexts: Vec<&ChunkId> = contexts.collect();
    let unknown = contexts.iter().filter(|id| id.is_unlocated()).count();
    (unknown, contexts.len())
}

/// Counts the flags that this run can raise: suspect labels require the oracle condition.
pub(super) fn flags(run: &SavedRun, outcomes: &[Outcome]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for &flag in Flag::ALL.iter().filter(|flag| could_be_raised(run, **flag)) {
        let raised = outcomes.iter().filter(|outcome| outcome.flags.contains(&flag));
        counts.insert(flag.name().to_owned(), raised.count());
    }
    counts
}

fn could_be_raised(run: &SavedRun, flag: Flag) -> bool {
    match flag {
        Flag::LabelSuspect => has_condition(run, Condition::Oracle),
        Flag::PromptTruncated => has_condition(run, Condition::Retrieved),
        Flag::AnswerElsewhere => true,
    }
}

pub(super) fn has_condition(run: &SavedRun, condition: Condition) -> bool {
    run.traces.iter().any(|trace| trace.attempt(condition).is_some())
}
