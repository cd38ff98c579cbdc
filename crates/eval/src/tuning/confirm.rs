//! Confirmation of the chosen trial: on held-out questions, or by choosing without each fold in turn.

use super::TuningPlan;
use super::aligned::AlignedSweep;
use super::folds::folds;
use super::means::{mean, minus, tested};
use super::order::best_first;
use super::outcome::{CrossFit, Fold, HeldOut};
use super::sweep::SweepScores;
use crate::clusters;

/// Compares the winner with the default on held-out questions: the values of `plan.measure` by question, where both have one.
/// `evaluations`, at least 1, is the number of trials ever compared with a default on these questions, this one included: p is
/// multiplied by it (Bonferroni), and the interval widened by as much, to correct for repeated evaluations.
#[must_use]
pub fn held_out(
    default: &[Option<f64>],
    winner: &[Option<f64>],
    cluster_of: &[usize],
    plan: &TuningPlan,
    evaluations: usize,
) -> HeldOut {
    let pairs = default.iter().zip(winner).zip(cluster_of);
    let compared: Vec<((f64, f64), usize)> = pairs
        .filter_map(|((default, winner), &cluster)| Some((((*default)?, (*winner)?), cluster)))
        .collect();
    let (pairs, cluster_of): (Vec<(f64, f64)>, Vec<usize>) = compared.into_iter().unzip();
    let (default, winner): (Vec<f64>, Vec<f64>) = pairs.into_iter().unzip();
    let differences: Vec<f64> =
        winner.iter().zip(&default).map(|(winner, default)| minus(*winner, *default)).collect();
    let test = tested(&differences, &cluster_of, evaluations, plan);
    let sizes = clusters::sizes(&cluster_of);
    HeldOut {
        n: differences.len(),
        n_clusters: sizes.n,
        largest_cluster: sizes.largest,
        default: mean(&default),
        winner: mean(&winner),
        delta: mean(&differences),
        ci95: test.and_then(|test| test.interval),
        p: test.map(|test| (test.p * evaluations as f64).min(1.0)),
        evaluations,
    }
}

/// Chooses the best trial without each fold in turn and scores it on that fold against the default: the gain of this way of
/// choosing on questions that did not influence the choice. Computed over the questions of [`super::rank`]. `None` if the
/// default failed, and with fewer than two folds.
#[must_use]
pub fn cross_fit(sweep: &SweepScores, plan: &TuningPlan) -> Option<CrossFit> {
    let aligned = AlignedSweep::new(sweep, plan.measure);
    let default = aligned.default()?;
    let parts = folds(&aligned.cluster_of, plan.folds, plan.seed);
    if parts.len() < 2 {
        return None;
    }
    let mut differences = vec![0.0; aligned.questions.len()];
    let mut folds = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let others: Vec<usize> = parts
            .iter()
            .enumerate()
            .filter(|(other, _)| *other != at)
            .flat_map(|(_, part)| part)
            .copied()
            .collect();
        let chosen = &aligned.trials[best_first(&aligned, &others)[0]];
        for &question in part {
            differences[question] = minus(chosen.values[question], default.values[question]);
        }
        let delta = mean(&part.iter().map(|&question| differences[question]).collect::<Vec<_>>());
        folds.push(Fold { n: part.len(), chosen: chosen.scored.name.clone(), delta });
    }
    let ci95 = tested(&differences, &aligned.cluster_of, 1, plan).and_then(|test| test.interval);
    Some(CrossFit { folds, n: differences.len(), delta: mean(&differences), ci95 })
}
