//! Losses of approximate search: the run's measures over a retriever's ranking, compared with exact search.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::score;
use ragtriage_core::measure::{Aggregate, Cutoff, Family, Measure};
use ragtriage_core::rightness::Judge;
use ragtriage_core::types::{ChunkId, Step, StepHit, Trace, TraceStep};
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
    /// Questions of `n` whose two rankings differ.
    pub n_different: usize,
    /// By measure name: those defined for some question, of the retriever's own ranking.
    pub measures: BTreeMap<String, MeasureDifference>,
}

/// Means of one measure under both searches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct MeasureDifference {
    /// Mean under approximate search.
    pub approximate: f64,
    /// Mean under exact search.
    pub exact: f64,
    /// Mean over questions of approximate minus exact.
    pub difference: f64,
    /// Questions in the means.
    pub n: usize,
}

/// Compares each approximate search of the run with exact search.
pub(super) fn approximate_search(
    run: &SavedRun,
    plan: (&[Measure], Judge),
) -> Vec<ApproximateSearch> {
    let is_approximate = |step: &Step| {
        let mut indexes = run.manifest.approximate.iter();
        let mut traces = run.traces.iter();
        indexes.any(|index| index.retriever == step.name())
            || traces.any(|trace| trace.step(*step).is_some_and(|s| s.exact_search.is_some()))
    };
    let steps = Step::ALL.iter().filter(|step| is_approximate(step));
    steps.map(|step| compared(run, *step, plan)).collect()
}

fn compared(run: &SavedRun, step: Step, plan: (&[Measure], Judge)) -> ApproximateSearch {
    let finished = run.traces.iter().filter(|trace| !trace.failed());
    let searched: Vec<(&Trace, &TraceStep)> =
        finished.filter_map(|trace| Some((trace, trace.step(step)?))).collect();
    let (mut approximate, mut exact) = (Vec::new(), Vec::new());
    for (trace, found) in &searched {
        if let Some(search) = &found.exact_search {
            approximate.push(ranked(trace, step, found.hits.iter().map(|hit| &hit.id)));
            exact.push(ranked(trace, step, &search.hits));
        }
    }
    let mut pairs = approximate.iter().zip(&exact);
    ApproximateSearch {
        retriever: step,
        n: exact.len(),
        n_searched: searched.len(),
        n_different: pairs.by_ref().filter(|(a, b)| a.steps != b.steps).count(),
        measures: differences(run, &approximate, &exact, plan),
    }
}

/// Returns the trace's question with this ranking alone.
fn ranked<'a>(trace: &Trace, step: Step, ids: impl IntoIterator<Item = &'a ChunkId>) -> Trace {
    let hits =
        ids.into_iter().map(|id| StepHit { id: id.clone(), score: 0.0, parts: BTreeMap::new() });
    Trace {
        steps: vec![TraceStep::new(step, hits.collect(), 0.0)],
        ..Trace::new(trace.index, trace.question.clone(), trace.gold.clone())
    }
}

fn differences(
    run: &SavedRun,
    approximate: &[Trace],
    exact: &[Trace],
    (measures, judge): (&[Measure], Judge),
) -> BTreeMap<String, MeasureDifference> {
    let measures: Vec<Measure> = measures.iter().copied().filter(of_a_ranking).collect();
    let [approximate, exact] = [approximate, exact]
        .map(|traces| score::score_rankings(run, traces, &measures, judge).rows);
    let column = |at: usize| {
        let pairs = approximate.iter().zip(&exact);
        difference(pairs.filter_map(|(a, b)| Some((a[at]?, b[at]?))))
    };
    let columns = measures.iter().enumerate();
    columns.filter_map(|(at, measure)| Some((measure.to_string(), column(at)?))).collect()
}

/// Returns true for a mean over rankings that depends on their order alone: not of prompts, token budgets or answers.
fn of_a_ranking(measure: &Measure) -> bool {
    let family = measure.family();
    !family.scores_answers()
        && family != Family::PrecisionOmega
        && family.aggregate() == Aggregate::Mean
        && matches!(measure.cutoff(), None | Some(Cutoff::Top(_)))
}

/// Returns the means of pairs of an approximate and an exact value; `None` without any.
fn difference(pairs: impl Iterator<Item = (f64, f64)>) -> Option<MeasureDifference> {
    let pairs: Vec<(f64, f64)> = pairs.collect();
    let n = pairs.len();
    let mean = |value: fn(&(f64, f64)) -> f64| pairs.iter().map(value).sum::<f64>() / n as f64;
    (n > 0).then(|| MeasureDifference {
        approximate: mean(|pair| pair.0),
        exact: mean(|pair| pair.1),
        // Differences of equal values are exactly 0; differences of means need not be.
        difference: mean(|pair| pair.0 - pair.1) + 0.0,
        n,
    })
}

#[cfg(test)]
mod tests;
