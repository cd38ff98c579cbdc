//! Minimum detectable effect of a comparison of this size (Cohen 1988; for evaluation in retrieval: Sakai 2016).

use super::root::root;
use super::student;
use super::t;

/// Level of the two-sided t test.
pub const ALPHA: f64 = 0.05;
/// Probability of detecting a true difference of the reported size.
const POWER: f64 = 0.80;

/// Returns the mean difference that a two-sided t test at 5% detects with 80% power, given the spread of these paired
/// differences: the standard error (see [`t::mean_error`]) times the noncentrality at which the noncentral t
/// distribution has that power. About 2.80 standard errors for many clusters, more for few. When every question is its
/// own cluster it is statsmodels' `TTestPower().solve_power(nobs=n, alpha=.05, power=.8)` times the standard deviation.
///
/// It approximates the effect that the randomisation test detects, whose p is close to the t test's where clusters are many and of similar size. Where
/// one cluster holds most questions, the standard error is too small and so is the effect.
///
/// `None` under two clusters and when the differences do not vary: their noise is then unknown.
#[must_use]
pub fn detectable(differences: &[f64], cluster_of: &[usize]) -> Option<f64> {
    let estimate = t::mean_error(differences, cluster_of)?;
    (estimate.error > 0.0).then(|| estimate.error * shift(estimate.df))
}

/// Returns the noncentrality at which the test has the power wanted.
fn shift(df: f64) -> f64 {
    let mut high = 4.0;
    while student::power(high, df, ALPHA) < POWER {
        high *= 2.0;
    }
    root(0.0, high, |shift| student::power(shift, df, ALPHA) - POWER)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::super::expected::{assert_close, expected};
    use super::*;

    #[derive(Deserialize)]
    struct Case {
        differences: Vec<f64>,
        detectable: f64,
        solve_power: f64,
    }

    #[test]
    fn the_effect_is_statsmodels() {
        for case in expected::<Vec<Case>>("paired") {
            let alone: Vec<usize> = (0..case.differences.len()).collect();
            let found = detectable(&case.differences, &alone).expect("a spread");
            assert_close(found, case.detectable, 1e-9);
            // Its own solver stops earlier.
            assert_close(found, case.solve_power, 1e-6);
        }
    }

    #[test]
    fn with_many_clusters_it_is_the_normal_approximation() {
        // z(.975) + z(.80) = 1.959964 + .841621.
        assert_close(shift(1e6), 2.801_585, 1e-5);
    }

    #[test]
    fn without_spread_nothing_is_known() {
        assert_eq!(detectable(&[], &[]), None);
        assert_eq!(detectable(&[0.0, 0.0], &[0, 1]), None);
        assert_eq!(detectable(&[0.1, 0.4], &[0, 0]), None);
    }
}
