//! Minimum detectable effect of a comparison of this size, and the size that would detect the observed difference
//! (Cohen 1988; for evaluation in retrieval: Sakai 2016).

use super::root::root;
use super::student;
use super::t::{self, MeanError};

/// Level of the two-sided t test.
pub const ALPHA: f64 = 0.05;
/// Probability of detecting a true difference of the reported size.
pub const POWER: f64 = 0.80;

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

/// Returns the smallest number of questions at which a two-sided test at level `alpha` detects a true mean difference
/// as large as the observed one with 80% power, given the observed spread and number of questions per cluster. By the t
/// test: with n questions the standard error is [`t::mean_error`]'s times the square root of observed over n; the
/// degrees of freedom are n over the questions per cluster, less 1. When every question is its own cluster this is
/// statsmodels' `TTestPower().solve_power(effect_size=abs(mean)/sd, alpha=alpha, power=.8)`, rounded up. The result is
/// never fewer questions than fill 1 + ceil(log2(1 / alpha)) clusters: below that, a two-sided sign-flip test, whose
/// smallest p is 2^(1 - clusters), cannot reach `alpha` whatever the difference.
///
/// `None` under two clusters, when the differences do not vary, and when their mean is zero.
#[must_use]
pub fn needed(differences: &[f64], cluster_of: &[usize], alpha: f64) -> Option<usize> {
    let MeanError { mean, error, df } = t::mean_error(differences, cluster_of)?;
    let n = differences.len() as f64;
    // Rounding residue of differences that cancel does not count as a mean.
    let absolute: f64 = differences.iter().map(|difference| difference.abs()).sum();
    if error == 0.0 || mean.abs() <= absolute * f64::EPSILON {
        return None;
    }
    let a_cluster = n / (df + 1.0);
    let enough = |questions: usize| {
        let shift = mean.abs() / error * (questions as f64 / n).sqrt();
        student::power(shift, questions as f64 / a_cluster - 1.0, alpha) >= POWER
    };
    // At least two clusters, which a spread needs: alpha is under 1.
    let least_clusters = 1.0 + alpha.recip().log2().ceil();
    // Power rises with the questions: doubled until enough, then halved in between.
    let mut low = (least_clusters * a_cluster).ceil() as usize;
    if enough(low) {
        return Some(low);
    }
    let mut high = 2 * low;
    while !enough(high) {
        (low, high) = (high, 2 * high);
    }
    while high - low > 1 {
        let middle = usize::midpoint(low, high);
        if enough(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
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
        needed: usize,
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
    fn the_questions_needed_are_statsmodels() {
        for case in expected::<Vec<Case>>("paired") {
            let alone: Vec<usize> = (0..case.differences.len()).collect();
            assert_eq!(needed(&case.differences, &alone, ALPHA), Some(case.needed));
        }
    }

    #[test]
    fn a_question_that_only_repeats_another_of_its_cluster_counts_for_nothing() {
        for case in expected::<Vec<Case>>("paired") {
            let twice: Vec<f64> =
                case.differences.iter().flat_map(|difference| [*difference; 2]).collect();
            let in_pairs: Vec<usize> = (0..twice.len()).map(|question| question / 2).collect();
            let found = needed(&twice, &in_pairs, ALPHA).expect("a spread");
            // The last cluster may be half full.
            assert_eq!(found.div_ceil(2), case.needed, "{found}");
        }
    }

    #[test]
    fn a_difference_seen_beyond_doubt_needs_the_fewest_clusters_whose_signs_reach_the_level() {
        // Mean 1, sd .01: 100 standard deviations. Of 2^5 signs two are as large, p .0625; of 2^6, .03125; of 2^7, .015625.
        let differences = [0.99, 1.0, 1.01];
        assert_eq!(needed(&differences, &[0, 1, 2], ALPHA), Some(6));
        assert_eq!(needed(&differences, &[0, 1, 2], ALPHA / 2.0), Some(7));
        // Three questions in two clusters: six clusters are nine.
        assert_eq!(needed(&differences, &[0, 1, 1], ALPHA), Some(9));
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
        assert_eq!(needed(&[], &[], ALPHA), None);
        assert_eq!(needed(&[0.1, 0.1], &[0, 1], ALPHA), None);
        assert_eq!(needed(&[0.1, 0.4], &[0, 0], ALPHA), None);
        // .1 + .2 - .3 is 5.6e-17.
        assert_eq!(needed(&[0.1, 0.2, -0.3], &[0, 1, 2], ALPHA), None);
    }
}
