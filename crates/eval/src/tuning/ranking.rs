//! Ranks a sweep, with every trial's statistics and its difference from the default.

use std::collections::BTreeSet;

use super::TuningPlan;
use super::aligned::{AlignedSweep, AlignedTrial};
use super::curves;
use super::effects::effects;
use super::front::front;
use super::means::{mean, mean_interval, possible};
use super::order::best_first;
use super::outcome::{Difference, RankedTrial, TrialRanking};
use super::sweep::{ScoredTrial, SweepScores};
use crate::clusters;
use ragtriage_core::stats::max_t::max_t;

/// Maximum number of curves in a chart.
const MOST_CURVES: usize = 7;

/// Ranks the trials of `sweep` by `plan.measure`, over the questions that every completed trial has a value for.
#[must_use]
pub fn rank(sweep: &SweepScores, plan: &TuningPlan) -> TrialRanking {
    let aligned = AlignedSweep::new(sweep, plan.measure);
    let n = aligned.questions.len();
    let order = best_first(&aligned, &(0..n).collect::<Vec<_>>());
    let differences = differences(&aligned, plan);
    let mut rows: Vec<RankedTrial> =
        order.iter().map(|&at| row(&aligned.trials[at], differences[at], &aligned, plan)).collect();
    let on_front = front(&rows, aligned.direction());
    for (row, on_front) in rows.iter_mut().zip(on_front) {
        row.on_front = on_front;
    }
    let winner = order.first().filter(|_| n > 0).map(|&best| &aligned.trials[best]);
    let shown = shown(&aligned, &order);
    let sizes = clusters::sizes(&aligned.cluster_of);
    rows.extend(sweep.trials.iter().filter_map(failed_row));
    TrialRanking {
        measure: plan.measure,
        n,
        n_left_out: aligned.n_left_out,
        n_undefined: aligned.n_undefined,
        n_clusters: sizes.n,
        largest_cluster: sizes.largest,
        winner: winner.map(|winner| winner.scored.name.clone()),
        effects: effects(&aligned, plan),
        by_k: curves::by_k(&aligned, &shown, &plan.curve),
        by_size_equal_k: curves::by_size(&aligned, plan.equal_k),
        by_size_equal_tokens: curves::by_size(&aligned, plan.equal_tokens),
        rows,
    }
}

/// Returns each trial's difference from the default, parallel to the trials.
fn differences(aligned: &AlignedSweep<'_>, plan: &TuningPlan) -> Vec<Option<Difference>> {
    let mut found = vec![None; aligned.trials.len()];
    let Some(default) = aligned.default().filter(|_| !aligned.questions.is_empty()) else {
        return found;
    };
    // The default is the first.
    let others: Vec<Vec<f64>> =
        aligned.trials[1..].iter().map(|trial| trial.minus(default)).collect();
    let tests = max_t(&others, &aligned.cluster_of, plan.permutations, plan.seed);
    for ((found, differences), test) in found[1..].iter_mut().zip(&others).zip(tests) {
        let family = plan.measure.family();
        *found = Some(Difference {
            delta: mean(differences),
            ci95: test.interval.map(|interval| possible(interval, family)),
            p_max_t: test.p,
        });
    }
    found
}

fn row(
    trial: &AlignedTrial<'_>,
    difference: Option<Difference>,
    aligned: &AlignedSweep<'_>,
    plan: &TuningPlan,
) -> RankedTrial {
    RankedTrial {
        name: trial.scored.name.clone(),
        values: trial.scored.values.clone(),
        error: None,
        mean: mean(&trial.values),
        ci95: mean_interval(&trial.values, &aligned.cluster_of, plan.measure.family()),
        equal_k: aligned.mean_of(trial, plan.equal_k),
        equal_tokens: aligned.mean_of(trial, plan.equal_tokens),
        at_prompt: aligned.mean_of(trial, plan.at_prompt),
        context_tokens: mean(&trial.context_tokens),
        difference,
        on_front: false,
        truncation: trial.scored.result.as_ref().ok().and_then(|scores| scores.truncation),
    }
}

/// Returns the row of a failed trial; `None` for a completed one.
fn failed_row(trial: &ScoredTrial) -> Option<RankedTrial> {
    let error = trial.result.as_ref().err()?;
    Some(RankedTrial {
        name: trial.name.clone(),
        values: trial.values.clone(),
        error: Some(error.clone()),
        mean: 0.0,
        ci95: None,
        equal_k: None,
        equal_tokens: None,
        at_prompt: None,
        context_tokens: 0.0,
        difference: None,
        on_front: false,
        truncation: None,
    })
}

/// Returns the trials drawn against k: the default, then the best of each group of retrievers, in that `order`, which begins with
/// the winner.
fn shown<'a, 'b>(aligned: &'b AlignedSweep<'a>, order: &[usize]) -> Vec<&'b AlignedTrial<'a>> {
    let mut groups = BTreeSet::new();
    let best = order
        .iter()
        .map(|&at| &aligned.trials[at])
        .filter(|trial| groups.insert(&trial.scored.group));
    let default = aligned.default();
    let best = best.filter(|trial| default.is_none_or(|default| default.at != trial.at));
    default.into_iter().chain(best).take(MOST_CURVES).collect()
}
