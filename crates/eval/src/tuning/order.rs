//! Order of the trials: by the measure, then fewer context tokens, then the default, then the earlier one.

use std::cmp::Ordering;

use super::aligned::AlignedSweep;
use super::means::{TIE, mean};
use ragtriage_core::measure::Direction;

/// Returns the indexes of [`AlignedSweep::trials`], best first, by means over the questions `over`, which are
/// indexes of [`AlignedSweep::questions`].
pub(super) fn best_first(aligned: &AlignedSweep<'_>, over: &[usize]) -> Vec<usize> {
    let trials = aligned.trials.iter();
    let (means, tokens): (Vec<f64>, Vec<f64>) = trials
        .map(|trial| (mean_over(&trial.values, over), mean_over(&trial.context_tokens, over)))
        .unzip();
    let mut order: Vec<usize> = (0..means.len()).collect();
    order.sort_by(|&a, &b| by_mean(means[a], means[b], aligned.direction()));
    // Neighbours that differ by rounding are tied; the default, being the first, precedes trials tied
    // with it.
    for equals in order.chunk_by_mut(|&a, &b| (means[a] - means[b]).abs() <= TIE) {
        equals.sort_by(|&a, &b| tokens[a].total_cmp(&tokens[b]).then(a.cmp(&b)));
    }
    order
}

fn mean_over(values: &[f64], over: &[usize]) -> f64 {
    mean(&over.iter().map(|&at| values[at]).collect::<Vec<_>>())
}

fn by_mean(a: f64, b: f64, direction: Direction) -> Ordering {
    match direction {
        Direction::Higher => b.total_cmp(&a),
        Direction::Lower => a.total_cmp(&b),
    }
}
