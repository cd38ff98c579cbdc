//! Means with their 95 % intervals by t over clusters.

use crate::measure::{Direction, Family};
use crate::stats::interval::of_equal_values;
use crate::stats::t::{MeanError, mean_error};
use crate::types::Interval;

/// Means that sums in another order give: these are equal.
pub(super) const TIE: f64 = 1e-12;

/// 0 for no values, and never -0.0.
pub(super) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64 + 0.0
}

/// The interval of a mean, inside what the measure can be. Where all clusters agree it is that of what was never seen.
pub(super) fn mean_interval(values: &[f64], cluster_of: &[usize], family: Family) -> Option<Interval> {
    let (low, high) = family.facts().range;
    let estimate = mean_error(values, cluster_of)?;
    if estimate.error == 0.0 {
        return Some(of_equal_values(estimate.mean, (low, high), estimate.df as usize + 1));
    }
    let interval = estimate.interval();
    Some(Interval { low: interval.low.max(low), high: interval.high.min(high) })
}

/// The interval of a mean of differences, inside what two values of the measure can differ by.
pub(super) fn difference_interval(differences: &[f64], cluster_of: &[usize], family: Family) -> Option<Interval> {
    let (low, high) = family.facts().range;
    mean_error(differences, cluster_of).map(MeanError::interval).map(|interval| interval.within(high - low))
}

/// `a - b`, or 0 where rounding alone parts them: many of these would add up to a difference that nobody saw.
pub(super) fn minus(a: f64, b: f64) -> f64 {
    let difference = a - b;
    if difference.abs() <= TIE { 0.0 } else { difference }
}

/// Whether a difference, or a mean against another, is an improvement beyond rounding.
pub(super) fn is_better(delta: f64, direction: Direction) -> bool {
    match direction {
        Direction::Higher => delta > TIE,
        Direction::Lower => delta < -TIE,
    }
}
