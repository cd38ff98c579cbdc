//! Confirmation of the chosen trial on held-out questions.

use super::TuningPlan;
use super::means::{mean, minus, tested};
use super::outcome::HeldOut;
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
