//! 95% intervals from resampled statistics: percentile or `BCa`, both widened for few clusters.
//!
//! The textbook percentile interval is too narrow for few clusters, as a normal interval with the plain standard
//! deviation would be. Both methods here read the resamples at `z = sqrt(G / (G - 1)) * t(.975, G - 1)` instead of
//! 1.96, where G is the number of clusters (Hesterberg 2015, section 3.2); for thousands of clusters nothing changes.
//!
//! Actual coverage of the nominal 95% in 4,000 simulated data sets per cell, with clusters of one to four questions
//! that half agree (see the tests; G is about 20, 60 and 160):
//!
//! | metric, n = 50, 150, 400 | percentile, textbook | percentile, as here | `BCa`, textbook | `BCa`, as here |
//! |---|---|---|---|---|
//! | EM, mean .3 | 92.5 93.7 93.8 | 94.2 94.3 94.0 | 93.4 94.2 94.1 | 95.3 95.0 94.3 |
//! | EM, mean .6 | 92.9 94.0 94.3 | 95.0 94.8 94.5 | 94.2 94.3 94.4 | 95.9 94.9 94.7 |
//! | EM, mean .9 | 87.3 92.3 93.4 | 90.2 92.9 93.8 | 93.3 93.5 94.6 | 95.2 94.1 94.8 |
//! | F1 | 91.9 94.1 94.5 | 94.1 94.9 94.8 | 92.8 94.7 94.8 | 94.9 95.2 95.1 |
//! | difference, 70% of questions equal | 90.6 93.6 94.9 | 92.7 94.5 95.1 | 87.4 92.3 94.5 | 90.0 93.3 94.8 |
//!
//! `BCa` is therefore better for one run's mean near 0 or 1, and worse for the difference of two runs that differ in
//! few questions.

use super::{normal, student};
use crate::types::Interval;

/// Nominal probability below the lower bound, and above the upper one.
const OUTSIDE: f64 = 0.025;
/// Resampled means this close to the mean, relatively, are equal to it: their sums were taken in another order.
const EQUAL: f64 = 1e-12;

/// Method that derives an interval from the resampled means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IntervalMethod {
    /// The resamples' 2.5% and 97.5% points (Efron and Tibshirani 1993, ch. 13).
    #[default]
    Percentile,
    /// Bias-corrected and accelerated (Efron 1987; Efron and Tibshirani 1993, ch. 14): points shifted by the distance
    /// of the mean from the resamples' median, and by the change of its standard error with it, estimated by leaving
    /// out one cluster at a time.
    Bca,
}

/// A column's questions, cluster by cluster.
pub(super) struct ClusterSums {
    /// The sum of a cluster's values.
    pub sums: Vec<f64>,
    /// Number of its values in each cluster.
    pub counts: Vec<f64>,
}

impl ClusterSums {
    /// Returns the number of clusters with a value.
    pub(super) fn n_clusters(&self) -> usize {
        self.counts.iter().filter(|count| **count > 0.0).count()
    }
}

/// Returns the number of normal standard deviations at which an interval over `n_clusters` >= 2 reads its resamples.
pub(super) fn reach(n_clusters: usize) -> f64 {
    let g = n_clusters as f64;
    (g / (g - 1.0)).sqrt() * student::quantile(1.0 - OUTSIDE, g - 1.0)
}

/// Returns the 95% interval of a mean whose values, over `n_clusters` >= 1 clusters, are all `value`, where a value can
/// lie in `range`: no resample can show a value that was never observed. A share of up to 1 - .025^(1/G) of clusters
/// with other values may exist when none of G had one (Clopper and Pearson 1934; about 3.7 / G), and each could be at
/// the range's end.
#[must_use]
pub fn of_equal_values(value: f64, range: (f64, f64), n_clusters: usize) -> Interval {
    let unseen = 1.0 - OUTSIDE.powf(1.0 / n_clusters as f64);
    Interval { low: value - unseen * (value - range.0), high: value + unseen * (range.1 - value) }
}

/// Returns the 95% interval of the mean of `values`, each in `range`, over `n_clusters`: `resampled`, or [`of_equal_values`] where
/// they are all equal. `None` where nothing can be resampled.
#[must_use]
pub fn of_mean(
    values: &[f64],
    range: (f64, f64),
    n_clusters: usize,
    resampled: Option<Interval>,
) -> Option<Interval> {
    let resampled = resampled?;
    let first = *values.first()?;
    let are_equal = values.iter().all(|value| *value == first);
    Some(if are_equal { of_equal_values(first, range, n_clusters) } else { resampled })
}

/// Returns the percentile interval; `None` for no resamples.
pub(super) fn percentile(resampled: Vec<f64>, reach: f64) -> Option<Interval> {
    points(resampled, normal::cdf(-reach), normal::cdf(reach))
}

/// Returns the `BCa` interval of the mean of `column`: its resamples at the shares
/// `cdf(z0 + (z0 + z) / (1 - a (z0 + z)))`, z = -reach and reach. z0 is the normal quantile of the share of resamples
/// below the mean, equal ones counted half (never closer to 0 or 1 than half a resample); a is the acceleration. `None`
/// for no resamples.
pub(super) fn bca(column: &ClusterSums, resampled: Vec<f64>, reach: f64) -> Option<Interval> {
    let n_resamples = resampled.len() as f64;
    let mean = column.sums.iter().sum::<f64>() / column.counts.iter().sum::<f64>();
    let (low, high) = (mean - EQUAL * mean.abs(), mean + EQUAL * mean.abs());
    let below = resampled.iter().filter(|value| **value < low).count() as f64;
    let above = resampled.iter().filter(|value| **value > high).count() as f64;
    let share = (below + (n_resamples - above)) / (2.0 * n_resamples);
    let half = 0.5 / n_resamples;
    let bias = normal::quantile(share.max(half).min(1.0 - half));
    let acceleration = acceleration(column);
    let level = |z: f64| {
        let from_median = bias + z;
        // At and beyond the pole the level is that of its near side, certainty.
        normal::cdf(bias + from_median / (1.0 - acceleration * from_median).max(f64::EPSILON))
    };
    points(resampled, level(-reach), level(reach))
}

/// Returns a sixth of the skewness of the jackknife: `sum d^3 / (6 (sum d^2)^1.5)`, d being the mean of all means with
/// one cluster left out, less one of them. 0 where they are all equal. At least two clusters must have values.
fn acceleration(column: &ClusterSums) -> f64 {
    let (sum, n) = (column.sums.iter().sum::<f64>(), column.counts.iter().sum::<f64>());
    let with_values = column.sums.iter().zip(&column.counts).filter(|(_, count)| **count > 0.0);
    let without: Vec<f64> = with_values.map(|(s, count)| (sum - s) / (n - count)).collect();
    let middle = without.iter().sum::<f64>() / without.len() as f64;
    let squares = power_sum(&without, middle, 2);
    if squares > 0.0 { power_sum(&without, middle, 3) / (6.0 * squares.powf(1.5)) } else { 0.0 }
}

fn power_sum(means: &[f64], middle: f64, power: i32) -> f64 {
    means.iter().map(|mean| (middle - mean).powi(power)).sum()
}

/// Returns the points of `values` below which shares of `low` and `high` lie, interpolated linearly between order
/// statistics (Hyndman and Fan 1996, type 7). A point next to infinity is infinite. `None` for no values.
fn points(mut values: Vec<f64>, low: f64, high: f64) -> Option<Interval> {
    Some(Interval { low: point(&mut values, low)?, high: point(&mut values, high)? })
}

fn point(values: &mut [f64], share: f64) -> Option<f64> {
    let at = share.clamp(0.0, 1.0) * values.len().checked_sub(1)? as f64;
    let (_, below, rest) = values.select_nth_unstable_by(at as usize, f64::total_cmp);
    let below = *below;
    let above =
        rest.iter().copied().min_by(f64::total_cmp).filter(|_| at.fract() > 0.0).unwrap_or(below);
    // Not `below + ...` for infinities: infinity less infinity is not a number.
    Some(if below == above || below.is_infinite() {
        below
    } else {
        below + (above - below) * at.fract()
    })
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::super::expected::{assert_close, expected};
    use super::*;

    const TEXTBOOK: f64 = 1.959_963_984_540_054;

    #[test]
    fn a_bound_between_an_infinity_and_a_number_is_a_number_or_infinite() {
        let values = vec![f64::NEG_INFINITY, 0.0, 1.0, f64::INFINITY];
        // Type 7 at .1 of 4 values: place .3, between -infinity and 0; at .9: 2.7, between 1 and infinity.
        let interval = points(values, 0.1, 0.9).expect("values");
        assert_eq!(interval, Interval { low: f64::NEG_INFINITY, high: f64::INFINITY });
    }

    #[test]
    fn what_was_never_seen_may_still_be_there() {
        // Clopper-Pearson, 3 of 3: the lower bound is .025^(1/3) = .2924; 0 of 20: the upper one is 1 - .025^(1/20) = .16843.
        let close = |found: f64, expected: f64| assert_close(found, expected, 5e-5);
        close(of_equal_values(1.0, (0.0, 1.0), 3).low, 0.2924);
        close(of_equal_values(0.0, (0.0, 1.0), 20).high, 0.16843);
        assert_eq!(of_equal_values(1.0, (0.0, 1.0), 3).high, 1.0);
    }

    #[derive(Deserialize)]
    struct Case {
        values: Vec<f64>,
        resampled: Vec<f64>,
        percentile: (f64, f64),
        bca: (f64, f64),
    }

    #[test]
    fn at_the_textbooks_reach_both_are_scipys() {
        for case in expected::<Vec<Case>>("bootstrap") {
            let counts = vec![1.0; case.values.len()];
            let column = ClusterSums { sums: case.values, counts };
            let found = percentile(case.resampled.clone(), TEXTBOOK).expect("resamples");
            assert_close(found.low, case.percentile.0, 1e-12);
            assert_close(found.high, case.percentile.1, 1e-12);
            let found = bca(&column, case.resampled, TEXTBOOK).expect("resamples");
            assert_close(found.low, case.bca.0, 1e-12);
            assert_close(found.high, case.bca.1, 1e-12);
        }
    }

    #[test]
    fn percentiles_are_interpolated_as_type_7() {
        // 0..=40: 2.5% of 40 is 1, 97.5% is 39; 0..=10: 0.25 and 9.75.
        let interval = |last: i32| {
            points((0..=last).rev().map(f64::from).collect(), 0.025, 0.975).expect("values")
        };
        assert_eq!(interval(40), Interval { low: 1.0, high: 39.0 });
        assert_eq!(interval(10), Interval { low: 0.25, high: 9.75 });
        let infinite = points(vec![1.0, f64::INFINITY, f64::INFINITY], 0.25, 0.9).expect("values");
        assert_eq!(infinite, Interval { low: f64::INFINITY, high: f64::INFINITY });
        assert_eq!(points(vec![], 0.1, 0.9), None);
    }

    #[test]
    fn few_clusters_reach_farther() {
        // t(.975, 1) = 12.7062 times sqrt(2); t(.975, 19) = 2.09302 times sqrt(20 / 19).
        assert_close(reach(2), 17.969_3, 1e-5);
        assert_close(reach(20), 2.147_4, 1e-4);
        assert_close(reach(10_000_000), TEXTBOOK, 1e-6);
    }

    #[test]
    fn the_jackknife_leaves_out_clusters() {
        // Clusters {0, 0}, {1}, {1}: means without one are 1, 1/3, 1/3, their mean 5/9; d = -4/9, 2/9, 2/9.
        let column = ClusterSums { sums: vec![0.0, 1.0, 1.0], counts: vec![2.0, 1.0, 1.0] };
        assert_close(
            acceleration(&column),
            (-48.0 / 729.0) / (6.0 * (24.0_f64 / 81.0).powf(1.5)),
            1e-14,
        );
        assert_eq!(acceleration(&ClusterSums { sums: vec![1.0; 3], counts: vec![1.0; 3] }), 0.0);
    }

    #[test]
    fn without_spread_the_interval_is_the_point() {
        let column = ClusterSums { sums: vec![0.25; 4], counts: vec![1.0; 4] };
        let point = Interval { low: 0.25, high: 0.25 };
        assert_eq!(bca(&column, vec![0.25; 9], 3.0), Some(point));
        assert_eq!(percentile(vec![0.25; 9], 3.0), Some(point));
    }
}
