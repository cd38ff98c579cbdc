//! Paired statistics of each metric.
//!
//! Over the n questions that have a value in both runs: both means; delta, the mean of the differences (run minus baseline); its
//! p by the paired randomisation test, flipping clusters together, and the 95% interval of the differences that this test does
//! not reject, so that the two never contradict (see [`randomisation`]); the minimum detectable effect with 80% power at this n.
//!
//! A metric that is aggregated by a quantile (`MedianRank`, infinite if nothing was found; `seconds_p95`) has no mean difference:
//! delta is that of the quantiles, without an interval, and p tests the signs of the differences.

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use serde::Serialize;

use super::pairs::Pairs;
use crate::metric_summary::{aggregated, mean};
use crate::score::Scores;
use crate::summary::EvaluationPlan;
use ragtriage_core::metric::{Aggregate, Direction, Quantity};
use ragtriage_core::stats::detectable::detectable;
use ragtriage_core::stats::randomisation::{RandomisationPlan, randomisation};
use ragtriage_core::types::Interval;

/// Maximum difference due to summation order: smaller ones are ties.
pub(crate) const TIE: f64 = 1e-12;

/// A metric, or the share of a failure class, in two runs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MetricDifference {
    /// The metric or class, written as its name.
    pub metric: Quantity,
    /// Questions with a value in both runs.
    pub n: usize,
    /// The baseline's mean over them; 0 when n is 0.
    pub baseline: f64,
    /// The other run's.
    pub run: f64,
    /// The mean difference, run minus baseline.
    pub delta: f64,
    /// Its 95% interval, which excludes zero if and only if p is below 5%; `None` for medians, and if the
    /// questions form fewer than two clusters.
    pub ci95: Option<Interval>,
    /// The randomisation test's p, two-sided, unadjusted; `None` when n is 0.
    pub p: Option<f64>,
    /// The smallest p possible with these questions, regardless of the size of the differences: 2 over all assignments of
    /// signs to the clusters that differ. `None` if these are too many to list.
    pub least_p: Option<f64>,
    /// For the primary metric: p, Holm-adjusted over all compared runs.
    pub p_holm: Option<f64>,
    /// Minimum detectable effect (80% power at 5%); `None` if the differences have no variance. Exceeds the metric's
    /// range if there are too few questions to detect any.
    pub detectable: Option<f64>,
    /// Questions on which the run is better.
    pub wins: usize,
    /// Questions on which both have the same value.
    pub ties: usize,
    /// Questions on which the run is worse.
    pub losses: usize,
    /// True if less is better: wins are lower values then.
    pub lower_is_better: bool,
}

impl MetricDifference {
    /// Returns true if the run is better by the quantity that p tests: the mean difference, or for a
    /// quantile the signs.
    #[must_use]
    pub fn is_better(&self) -> bool {
        match self.metric.aggregate() {
            Aggregate::Mean => (self.delta > 0.0) != self.lower_is_better,
            Aggregate::Median | Aggregate::P95 => self.wins > self.losses,
        }
    }

    /// Formats [`Self::detectable`]: `0.071`, or `> 1` if it exceeds the metric's range.
    #[must_use]
    pub fn detectable_text(&self) -> Option<String> {
        self.detectable.map(|least| detectable_text(self.metric, least))
    }
}

/// Formats a minimum detectable effect: `0.071`, or `> 1` if it exceeds the metric's range.
pub(crate) fn detectable_text(metric: impl Into<Quantity>, least: f64) -> String {
    let metric = metric.into();
    let (low, high) = metric.range();
    let (most, digits) = (high - low, metric.digits());
    if least > most { format!("> {most}") } else { format!("{least:.digits$}") }
}

/// One metric's values over the pairs that have it.
struct PairedColumn {
    metric: Quantity,
    /// Indexes of the pairs.
    rows: Vec<usize>,
    baseline: Vec<f64>,
    run: Vec<f64>,
    /// Run minus baseline; for a median their signs.
    differences: Vec<f64>,
}

/// A quantity's values in both runs, the baseline's first, parallel to their questions.
pub(crate) type TwoColumns = (Quantity, [Vec<Option<f64>>; 2]);

/// Compares every column that `first` and `second` share.
#[must_use]
pub fn differences(
    first: &Scores,
    second: &Scores,
    pairs: &Pairs,
    plan: &EvaluationPlan,
) -> Vec<MetricDifference> {
    let columns: Vec<TwoColumns> = first
        .metrics
        .iter()
        .filter_map(|metric| {
            let columns = [first.column(*metric)?, second.column(*metric)?];
            Some(((*metric).into(), columns))
        })
        .collect();
    of_columns(&columns, pairs, plan)
}

/// Compares quantities over the pairs.
pub(crate) fn of_columns(
    columns: &[TwoColumns],
    pairs: &Pairs,
    plan: &EvaluationPlan,
) -> Vec<MetricDifference> {
    columns
        .par_iter()
        .map(|(quantity, columns)| {
            PairedColumn::new(*quantity, columns, pairs).difference(pairs, plan)
        })
        .collect()
}

impl PairedColumn {
    fn new(metric: Quantity, [a, b]: &[Vec<Option<f64>>; 2], pairs: &Pairs) -> Self {
        let (mut rows, mut baseline, mut run) = (Vec::new(), Vec::new(), Vec::new());
        for (row, [left, right]) in pairs.list.iter().enumerate() {
            if let (Some(a), Some(b)) = (a[*left], b[*right]) {
                rows.push(row);
                baseline.push(a);
                run.push(b);
            }
        }
        let differences = baseline
            .iter()
            .zip(&run)
            .map(|(a, b): (&f64, &f64)| match metric.aggregate() {
                Aggregate::Mean => b - a,
                Aggregate::Median | Aggregate::P95 => f64::from(b.total_cmp(a) as i8),
            })
            .collect();
        Self { metric, rows, baseline, run, differences }
    }

    fn difference(&self, pairs: &Pairs, plan: &EvaluationPlan) -> MetricDifference {
        let rows = self.rows.iter();
        let cluster_of: Vec<usize> = rows.map(|row| pairs.cluster_of[*row]).collect();
        let lower_is_better = self.metric.direction() == Direction::Lower;
        let up = self.differences.iter().filter(|one| **one > TIE).count();
        let down = self.differences.iter().filter(|one| **one < -TIE).count();
        let (wins, losses) = if lower_is_better { (down, up) } else { (up, down) };
        let test = randomisation(&self.differences, &cluster_of, unadjusted(plan));
        let by = self.metric.aggregate();
        let [baseline, run] = [&self.baseline, &self.run].map(|values| aggregated(values, by));
        let by_mean = by == Aggregate::Mean;
        let delta = if by_mean { mean(&self.differences) } else { apart(baseline, run) };
        let (low, high) = self.metric.range();
        let interval = test.and_then(|test| test.interval).filter(|_| by_mean);
        let ci95 = interval.map(|interval| interval.within(high - low));
        MetricDifference {
            metric: self.metric,
            n: self.rows.len(),
            baseline,
            run,
            delta,
            ci95,
            p: test.map(|test| test.p),
            least_p: test
                .filter(|test| test.exact)
                .map(|test| (2.0 / test.n_permutations as f64).min(1.0)),
            p_holm: None,
            detectable: detectable(&self.differences, &cluster_of).filter(|_| by_mean),
            wins,
            ties: self.rows.len() - wins - losses,
            losses,
            lower_is_better,
        }
    }
}

/// Returns the options of a test that is not adjusted for others.
fn unadjusted(plan: &EvaluationPlan) -> RandomisationPlan {
    RandomisationPlan { permutations: plan.resamples, seed: plan.seed, tests: 1 }
}

/// Returns `b - a`; 0 for two infinities.
fn apart(a: f64, b: f64) -> f64 {
    if a == b { 0.0 } else { b - a }
}
