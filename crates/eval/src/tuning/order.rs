//! Order of the trials: by the measure, then fewer context tokens, then the default, then the earlier one.

use std::cmp::Ordering;

use super::aligned::AlignedSweep;
use super::means::{TIE, mean};
use ragtriage_core::measure::Direction;

/// Returns the indexes of [`AlignedSweep::trials`], best first, by means over its questions.
pub(super) fn best_first(aligned: &AlignedSweep<'_>) -> Vec<usize> {
    let trials = aligned.trials.iter();
    let (means, tokens): (Vec<f64>, Vec<f64>) =
        trials.map(|trial| (mean(&trial.values), mean(&trial.context_tokens))).unzip();
    let mut order: Vec<usize> = (0..means.len()).collect();
    order.sort_by(|&a, &b| by_mean(means[a], means[b], aligned.direction()));
    // Neighbours that differ by rounding are tied; the default, being the first, precedes trials tied
    // with it.
    for equals in order.chunk_by_mut(|&a, &b| (means[a] - means[b]).abs() <= TIE) {
        equals.sort_by(|&a, &b| tokens[a].total_cmp(&tokens[b]).then(a.cmp(&b)));
    }
    order
}

fn by_mean(a: f64, b: f64, direction: Direction) -> Ordering {
    match direction {
        Direction::Higher => b.total_cmp(&a),
        Direction::Lower => a.total_cmp(&b),
    }
}
