//! Means with their 95% intervals over clusters.

use super::TuningPlan;
pub(super) use crate::compare::differences::TIE;
pub(super) use crate::measure_summary::mean;
use ragtriage_core::measure::{Direction, Family};
use ragtriage_core::stats::randomisation::{RandomisationPlan, Randomised, randomisation};
use ragtriage_core::stats::t::mean_error;
use ragtriage_core::types::Interval;

/// Returns the interval of a mean, clamped to the measure's range. If all clusters agree, it is the exact binomial
/// bound for equal values.
pub(super) fn mean_interval(
    values: &[f64],
    cluster_of: &[usize],
    family: Family,
) -> Option<Interval> {
    mean_error(values, cluster_of).map(|estimate| estimate.interval_in(family.range()))
}

/// Returns the test of a mean of differences as one of `tests`, its interval clamped to the range of differences of the
/// measure.
pub(super) fn tested(
    differences: &[f64],
    cluster_of: &[usize],
    tests: usize,
    plan: &TuningPlan,
) -> Option<Randomised> {
    let options = RandomisationPlan { permutations: plan.permutations, seed: plan.seed, tests };
    let test = randomisation(differences, cluster_of, options)?;
    let (low, high) = plan.measure.family().range();
    let interval = test.interval.map(|interval| interval.within(high - low));
    Some(Randomised { interval, ..test })
}

/// Returns `a - b`, or 0 if they differ only by rounding: many such differences would add up to a spurious
/// one.
pub(super) fn minus(a: f64, b: f64) -> f64 {
    let difference = a - b;
    if difference.abs() <= TIE { 0.0 } else { difference }
}

/// Returns true if a difference, or a mean against another, is an improvement beyond rounding.
pub(super) fn is_better(delta: f64, direction: Direction) -> bool {
    match direction {
        Direction::Higher => delta > TIE,
        Direction::Lower => delta < -TIE,
    }
}
