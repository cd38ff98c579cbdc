//! Prediction-powered inference: the mean of a value that a person judged for a few items, from a rule's predictions
//! for all items.
//!
//! Angelopoulos, Bates, Fannjiang, Jordan and Zrnic (2023), "Prediction-powered inference", Science 382, 669-674. They label a
//! sample apart from the predicted items; here it is a simple random sample of them, so their estimate is the difference
//! estimator of survey sampling (Cochran 1977, ch. 7).
//!
//! The interval is for the mean of the population that the items come from, as all intervals of a run are.

use schemars::JsonSchema;
use serde::Serialize;

use super::interval::of_equal_values;
use super::t::{MeanError, mean_error};
use crate::types::Interval;

/// Smallest and largest possible value.
const RANGE: (f64, f64) = (0.0, 1.0);

/// An item with its prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PpiItem {
    /// The rule's prediction, in 0..=1; 0.5 where it is unsure.
    pub prediction: f64,
    /// The true value by a person's judgment, in 0..=1, if the item was audited.
    pub audited: Option<f64>,
}

/// A mean corrected by an audit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct PpiMean {
    /// The corrected mean.
    pub mean: f64,
    /// Its standard error.
    pub error: f64,
    /// Its 95% interval.
    pub ci95: Interval,
    /// Mean of the predictions, uncorrected.
    pub predicted: f64,
}

/// Estimates the mean of the true values of `items`. `cluster_of[i]` is item i's cluster.
///
/// With f the predictions and y the true values:
///
/// `mean = (mean of f over all) + (mean of y - f over the audited)`
///
/// The variance is the cluster-robust one of [`mean_error`] over the terms `f + m + w (y - f - m)`, m being the mean of y - f and
/// w the inverse of the audited share (0 if not audited). To it is added what the variance of m grows by when one item with the
/// least and one with the largest possible y - f join the audited ones (Bonett and Price 2012): rare errors may be missing in a
/// small sample. Student's t has a degree of freedom for each audited cluster, less one.
///
/// `None` under two clusters, and if no item was audited.
#[must_use]
pub fn ppi_mean(items: &[PpiItem], cluster_of: &[usize]) -> Option<PpiMean> {
    let audited: Vec<(usize, f64)> = items
        .iter()
        .enumerate()
        .filter_map(|(at, item)| Some((at, item.audited? - item.prediction)))
        .collect();
    if audited.is_empty() {
        return None;
    }
    let (n, n_items) = (audited.len() as f64, items.len() as f64);
    let residual = audited.iter().map(|(_, residual)| residual).sum::<f64>() / n;
    let mut terms: Vec<f64> = items.iter().map(|item| item.prediction + residual).collect();
    for (at, found) in &audited {
        terms[*at] += n_items / n * (found - residual);
    }
    let MeanError { mean, error, df } = mean_error(&terms, cluster_of)?;
    let unseen = (1.0 - n / n_items) * unseen_variance(items, &audited);
    let error = (error * error + unseen).max(0.0).sqrt();
    let mut clusters: Vec<usize> = audited.iter().map(|(at, _)| cluster_of[*at]).collect();
    clusters.sort_unstable();
    clusters.dedup();
    let corrected = MeanError {
        mean: mean.clamp(RANGE.0, RANGE.1),
        error,
        df: df.min(clusters.len().saturating_sub(1).max(1) as f64),
    };
    Some(PpiMean {
        mean: corrected.mean,
        error,
        ci95: if error == 0.0 {
            of_equal_values(corrected.mean, RANGE, clusters.len())
        } else {
            corrected.interval_in(RANGE)
        },
        predicted: items.iter().map(|item| item.prediction).sum::<f64>() / n_items,
    })
}

/// Returns how much the variance of the mean residual grows by the two extreme ones.
fn unseen_variance(items: &[PpiItem], audited: &[(usize, f64)]) -> f64 {
    let predictions = || items.iter().map(|item| item.prediction);
    let low = RANGE.0 - predictions().fold(f64::NEG_INFINITY, f64::max);
    let high = RANGE.1 - predictions().fold(f64::INFINITY, f64::min);
    let n = audited.len() as f64;
    let sum: f64 = audited.iter().map(|(_, residual)| residual).sum();
    let squares: f64 = audited.iter().map(|(_, residual)| residual * residual).sum();
    variance_of_mean(sum + low + high, squares + low * low + high * high, n + 2.0)
        - variance_of_mean(sum, squares, n)
}

/// Returns the variance of the mean of `n` values from their sum and the sum of their squares.
fn variance_of_mean(sum: f64, squares: f64, n: f64) -> f64 {
    (squares / n - (sum / n).powi(2)) / n
}

#[cfg(test)]
mod tests {
    use super::super::expected::assert_close;
    use super::super::random::Random;
    use super::super::share::ClusteredShare;
    use super::*;

    fn item(prediction: f64, audited: Option<f64>) -> PpiItem {
        PpiItem { prediction, audited }
    }

    fn alone(items: &[PpiItem]) -> Option<PpiMean> {
        ppi_mean(items, &(0..items.len()).collect::<Vec<_>>())
    }

    /// Ten items, 7 predicted as 1; of these a person found one correct and one wrong, and two of the others wrong.
    fn ten() -> Vec<PpiItem> {
        let audited = [(1.0, Some(1.0)), (1.0, Some(0.0)), (0.0, Some(0.0)), (0.0, Some(0.0))];
        let others = [1.0, 1.0, 1.0, 1.0, 1.0, 0.0].map(|prediction| (prediction, None));
        audited
            .into_iter()
            .chain(others)
            .map(|(prediction, value)| item(prediction, value))
            .collect()
    }

    #[test]
    fn ten_items_by_hand() {
        let found = alone(&ten()).expect("four were audited");
        // y - f is 0, -1, 0, 0 with mean -1/4: 7/10 - 1/4.
        assert_close(found.predicted, 0.7, 1e-12);
        assert_close(found.mean, 0.45, 1e-12);
        // Terms, w = 10/4: 3/4 + 5/8, 3/4 - 15/8, twice -1/4 + 5/8, five of 3/4, -1/4. About .45: .925^2 + 1.575^2 + 2 x .075^2
        // + 5 x .3^2 + .7^2 = 4.2875; variance 10/9 x 4.2875 / 100. With -1 and 1 joining the four residuals: mean -1/6, mean
        // square 3/6, and without them (1/4 - 1/16) / 4; 6 of 10 were not audited.
        let with_two = (0.5 - 1.0 / 36.0) / 6.0;
        let variance: f64 = 4.2875 / 90.0 + 0.6 * (with_two - 0.1875 / 4.0);
        assert_close(found.error, variance.sqrt(), 1e-12);
        // t(.975, 4 - 1) = 3.182: .45 -+ 3.182 x .2583 is cut to what a share can be.
        assert_eq!((found.ci95.low, found.ci95.high), (0.0, 1.0));
    }

    #[test]
    fn a_rule_that_people_confirm_keeps_its_mean() {
        let items: Vec<PpiItem> = (0..40)
            .map(|at| {
                let prediction = f64::from(u8::from(at % 4 != 0));
                item(prediction, (at < 20).then_some(prediction))
            })
            .collect();
        let found = alone(&items).expect("audited");
        assert_eq!(found.mean, 0.75);
        // The rule's own error, 30 of 40: 40/39 x .1875 / 40. Residuals of -1 and 1 join 20 of 0: 2 / 22 / 22, half of
        // the items not audited.
        let variance: f64 = 0.1875 / 39.0 + 0.5 * (2.0 / 22.0 / 22.0);
        assert_close(found.error, variance.sqrt(), 1e-12);
    }

    #[test]
    fn no_audit_and_a_single_cluster_have_no_mean() {
        assert_eq!(alone(&[item(0.5, None), item(1.0, None)]), None);
        assert_eq!(ppi_mean(&ten(), &[0; 10]), None);
        assert_eq!(alone(&[]), None);
    }

    #[test]
    fn a_full_audit_is_the_plain_mean() {
        let values = [1.0, 1.0, 0.0, 1.0, 0.0, 1.0];
        let items = values.map(|value| item(0.5, Some(value)));
        let found = alone(&items).expect("audited");
        let plain = mean_error(&values, &[0, 1, 2, 3, 4, 5]).expect("six clusters");
        assert_close(found.mean, plain.mean, 1e-12);
        assert_close(found.error, plain.error, 1e-12);
    }

    fn covers(interval: Interval, value: f64) -> bool {
        (interval.low..=interval.high).contains(&value)
    }

    /// A rule of known error rates.
    #[derive(Clone, Copy, Debug)]
    struct KnownJudge {
        /// Share of correct answers.
        accuracy: f64,
        /// Share of correct answers that it calls wrong.
        misses: f64,
        /// Share of wrong answers that it calls correct.
        accepts: f64,
        /// Share of answers that it is unsure about.
        unsure: f64,
    }

    impl KnownJudge {
        /// Draws `n` answers, and audits `n_audited` of them.
        fn items(self, random: &mut Random, n: usize, n_audited: usize) -> Vec<PpiItem> {
            let mut items = Vec::new();
            for at in 0..n {
                let is_correct = random.unit() < self.accuracy;
                let is_unsure = random.unit() < self.unsure;
                let error_rate = if is_correct { self.misses } else { self.accepts };
                let says_correct = is_correct != (random.unit() < error_rate);
                let decided = f64::from(u8::from(says_correct));
                // The items are in random order, so the first are a random sample.
                let audited = (at < n_audited).then_some(f64::from(u8::from(is_correct)));
                items.push(item(if is_unsure { 0.5 } else { decided }, audited));
            }
            items
        }
    }

    #[test]
    fn corrected_intervals_cover_the_truth_and_those_of_the_rule_do_not() {
        const N: usize = 400;
        const SIMULATIONS: u64 = 1000;
        let clusters: Vec<usize> = (0..N).collect();
        let judge =
            |accuracy, misses, accepts, unsure| KnownJudge { accuracy, misses, accepts, unsure };
        for (number, (judge, n_audited)) in [
            // As often wrong either way.
            (judge(0.8, 0.1, 0.1, 0.0), 100),
            (judge(0.8, 0.2, 0.2, 0.05), 100),
            (judge(0.7, 0.2, 0.2, 0.1), 60),
            // Strict: it misses correct answers in other words. Lenient: it accepts near misses.
            (judge(0.7, 0.3, 0.02, 0.05), 100),
            (judge(0.65, 0.7, 0.0, 0.0), 60),
            (judge(0.6, 0.02, 0.4, 0.05), 100),
            (judge(0.7, 0.0, 0.5, 0.0), 60),
        ]
        .into_iter()
        .enumerate()
        {
            let (mut corrected, mut by_rule, mut sum) = (0, 0, 0.0);
            for simulation in 0..SIMULATIONS {
                let mut random = Random::stream(number as u64, simulation);
                let items = judge.items(&mut random, N, n_audited);
                let found = ppi_mean(&items, &clusters).expect("audited");
                corrected += usize::from(covers(found.ci95, judge.accuracy));
                sum += found.mean;
                let says_correct: Vec<bool> =
                    items.iter().map(|item| item.prediction > 0.5).collect();
                let rule = ClusteredShare::new(&says_correct, &clusters).interval();
                by_rule += usize::from(covers(rule.expect("clusters"), judge.accuracy));
            }
            assert!((930..=980).contains(&corrected), "{judge:?}: {corrected} of 1,000");
            assert!(by_rule < 800, "{judge:?}: {by_rule} of 1,000 by the rule");
            // The standard error of the mean over 1,000 simulations is under .1 / sqrt(1000) = .0032.
            let bias = sum / SIMULATIONS as f64 - judge.accuracy;
            assert!(bias.abs() < 0.0095, "{judge:?}: bias {bias}");
        }
    }
}
