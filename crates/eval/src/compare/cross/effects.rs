//! Effects from the four cells of each question: mean, interval, p, and the contribution of repeat noise.

use serde::Serialize;

use crate::compare::differences::unadjusted;
use crate::summary::EvaluationPlan;
use ragtriage_core::stats::randomisation::randomisation;
use ragtriage_core::types::{Attempt, Interval};

/// Cells in this order: passages of A, B, A, B; generator of A, A, B, B.
pub(super) const N_CELLS: usize = 4;
/// The generator of each cell.
pub(super) const GENERATOR_OF: [usize; N_CELLS] = [0, 0, 1, 1];

/// Weights of the cells.
pub(super) const DIFFERENCE: [f64; N_CELLS] = [-1.0, 0.0, 0.0, 1.0];
pub(super) const RETRIEVAL: [f64; N_CELLS] = [-0.5, 0.5, -0.5, 0.5];
pub(super) const GENERATOR: [f64; N_CELLS] = [-0.5, -0.5, 0.5, 0.5];
pub(super) const INTERACTION: [f64; N_CELLS] = [1.0, -1.0, -1.0, 1.0];

/// Tolerance for sums computed in a different order.
const TIE: f64 = 1e-12;

/// One question's four answers with their scores.
#[derive(Clone, Copy, Debug)]
pub(super) struct CellScores<'a> {
    pub scores: [f64; N_CELLS],
    /// One reply may occur in several cells.
    pub replies: [&'a Attempt; N_CELLS],
    pub cluster: usize,
}

/// A change of the mean score.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Effect {
    /// The mean over questions.
    pub mean: f64,
    /// Its 95% interval, by the test that gives p; `None` under two clusters.
    pub ci95: Option<Interval>,
    /// Two-sided p of the paired randomisation test, flipping clusters together, unadjusted; `None` without
    /// questions.
    pub p: Option<f64>,
    /// The standard error of this mean due to repeat noise alone; `None` if the noise is unknown.
    pub noise_error: Option<f64>,
    /// Questions on which it is not 0.
    pub n_changed: usize,
}

/// Computes the effect with the cells' `weights`. `variances`: of one reply's score about its mean, by
/// generator.
pub(super) fn effect(
    rows: &[CellScores<'_>],
    weights: [f64; N_CELLS],
    variances: [Option<f64>; 2],
    plan: &EvaluationPlan,
) -> Effect {
    let values: Vec<f64> = rows
        .iter()
        .map(|row| {
            let cells = row.scores.iter().zip(weights);
            cells.map(|(score, weight)| score * weight).sum()
        })
        .collect();
    let cluster_of: Vec<usize> = rows.iter().map(|row| row.cluster).collect();
    let n = rows.len().max(1) as f64;
    let test = randomisation(&values, &cluster_of, unadjusted(plan));
    // Maximum: cells with positive weight 1, with negative weight 0; the weights add up to 0.
    let most = weights.iter().map(|weight| weight.abs()).sum::<f64>() / 2.0;
    Effect {
        mean: values.iter().sum::<f64>() / n + 0.0,
        ci95: test.and_then(|test| test.interval).map(|interval| interval.within(most)),
        p: test.map(|test| test.p),
        noise_error: noise_variance(rows, weights, variances).map(|sum| sum.sqrt() / n),
        n_changed: values.iter().filter(|value| value.abs() > TIE).count(),
    }
}

/// Returns the variance that repeat noise adds to the sum over questions: replies are independent, and a reply that
/// occurs in several cells counts with the sum of its weights. `None` if a generator's variance is needed and unknown.
fn noise_variance(
    rows: &[CellScores<'_>],
    weights: [f64; N_CELLS],
    variances: [Option<f64>; 2],
) -> Option<f64> {
    rows.iter()
        .map(|row: &CellScores<'_>| -> Option<f64> {
            let mut sum = 0.0;
            for cell in 0..N_CELLS {
                let mut same = (0..N_CELLS)
                    .filter(|other| std::ptr::eq(row.replies[*other], row.replies[cell]))
                    .peekable();
                if same.peek() != Some(&cell) {
                    continue;
                }
                let weight: f64 = same.map(|other| weights[other]).sum();
                if weight != 0.0 {
                    sum += weight * weight * variances[GENERATOR_OF[cell]]?;
                }
            }
            Some(sum)
        })
        .sum()
}
