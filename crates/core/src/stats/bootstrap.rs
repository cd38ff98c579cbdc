//! The cluster bootstrap (Efron and Tibshirani 1993; clusters: Davison and Hinkley 1997, section 3.8): whole clusters
//! of questions are drawn with replacement, and the statistic is recomputed over all their questions.

use std::collections::{BTreeMap, BTreeSet};

use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};

use super::cluster;
use super::interval::{self, ClusterSums, IntervalMethod};
use super::resample::Draws;
use crate::types::Interval;

/// A resampling plan over questions: the cluster of each, the number of resamples, and the seed.
#[derive(Clone, Debug)]
pub struct Bootstrap {
    cluster_of: Vec<usize>,
    draws: Draws,
    method: IntervalMethod,
}

impl Bootstrap {
    /// Creates a plan with percentile intervals; `cluster_of[i]` is question i's cluster, any numbers.
    #[must_use]
    pub fn new(cluster_of: Vec<usize>, resamples: usize, seed: u64) -> Self {
        let (cluster_of, n_clusters) = cluster::renumbered(cluster_of);
        Self {
            cluster_of,
            draws: Draws { n_clusters, resamples, seed },
            method: IntervalMethod::default(),
        }
    }

    /// Sets the interval method for means; the draws do not change.
    #[must_use]
    pub fn with_method(self, method: IntervalMethod) -> Self {
        Self { method, ..self }
    }

    /// Returns the number of clusters drawn from.
    #[must_use]
    pub fn n_clusters(&self) -> usize {
        self.draws.n_clusters
    }

    /// Returns the resampled means, one list per column: `None` values are left out of a mean, and a resample in which
    /// a column has no value is left out of its list. All columns see the same draws, so that differences are paired.
    ///
    /// Each column holds one value per question.
    #[must_use]
    pub fn means(&self, columns: &[Vec<Option<f64>>]) -> Vec<Vec<f64>> {
        self.resample(&self.by_cluster(columns))
    }

    /// Returns the 95% interval of each column's mean. `None` where fewer than two clusters have a value: drawing a
    /// single one repeatedly shows no spread, which is not the same as certainty. Equal values throughout give an
    /// interval without width: no resample can show a value that was never observed (see
    /// [`interval::of_equal_values`]).
    #[must_use]
    pub fn intervals(&self, columns: &[Vec<Option<f64>>]) -> Vec<Option<Interval>> {
        let columns = self.by_cluster(columns);
        // Only clusters with a value are informative: few of them widen a column's interval however many others there
        // are.
        let n_clusters = columns.iter().map(ClusterSums::n_clusters);
        let known: BTreeSet<usize> = n_clusters.filter(|n| *n >= 2).collect();
        let reach: BTreeMap<usize, f64> =
            known.into_iter().map(|n| (n, interval::reach(n))).collect();
        columns
            .par_iter()
            .zip(self.resample(&columns))
            .map(|(column, means): (&ClusterSums, Vec<f64>)| {
                let reach = *reach.get(&column.n_clusters())?;
                match self.method {
                    IntervalMethod::Percentile => interval::percentile(means, reach),
                    IntervalMethod::Bca => interval::bca(column, means, reach),
                }
            })
            .collect()
    }

    /// Returns the 95% `BCa` interval of the mean of `column`, with its `resampled` means ([`Self::means`]). `None` and intervals without
    /// width as in [`Self::intervals`].
    #[must_use]
    pub fn interval_of_mean(
        &self,
        column: &[Option<f64>],
        resampled: Vec<f64>,
    ) -> Option<Interval> {
        let sums = self.by_cluster(&[column.to_vec()]).pop()?;
        let n_clusters = sums.n_clusters();
        (n_clusters >= 2).then(|| interval::bca(&sums, resampled, interval::reach(n_clusters)))?
    }

    /// Returns the 95% percentile interval of resampled means, or of anything computed from them resample by resample.
    /// `n_clusters` of the clusters have a value ([`Self::n_clusters_with_value`]); `None` for fewer than two.
    #[must_use]
    pub fn interval(&self, resampled: Vec<f64>, n_clusters: usize) -> Option<Interval> {
        if n_clusters < 2 {
            return None;
        }
        interval::percentile(resampled, interval::reach(n_clusters))
    }

    /// Returns the number of clusters that hold a value of `column`.
    #[must_use]
    pub fn n_clusters_with_value(&self, column: &[Option<f64>]) -> usize {
        let defined = column.iter().zip(&self.cluster_of).filter(|(value, _)| value.is_some());
        defined.map(|(_, cluster)| cluster).collect::<BTreeSet<_>>().len()
    }

    fn by_cluster(&self, columns: &[Vec<Option<f64>>]) -> Vec<ClusterSums> {
        columns
            .iter()
            .map(|column: &Vec<Option<f64>>| {
                let mut sums = vec![0.0; self.n_clusters()];
                let mut counts = sums.clone();
                for (value, &cluster) in column.iter().zip(&self.cluster_of) {
                    if let Some(value) = value {
                        sums[cluster] += value;
                        counts[cluster] += 1.0;
                    }
                }
                ClusterSums { sums, counts }
            })
            .collect()
    }

    fn resample(&self, columns: &[ClusterSums]) -> Vec<Vec<f64>> {
        let sums = columns.iter().map(|column| &column.sums);
        let counts = columns.iter().map(|column| &column.counts);
        let mut sums = self.draws.totals(&sums.chain(counts).collect::<Vec<_>>());
        let counts = sums.split_off(columns.len());
        let means = |(sums, counts): (Vec<f64>, Vec<f64>)| {
            let values = sums.iter().zip(&counts).filter(|(_, n)| **n > 0.0);
            values.map(|(sum, n)| sum / n).collect()
        };
        sums.into_iter().zip(counts).map(means).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_of_independent_coins_is_near_the_normal_one() {
        // 200 of 400 heads: standard error sqrt(.25/400) = .025, so about .5 -+ .049.
        let column: Vec<Option<f64>> = (0..400).map(|i| Some(f64::from(i % 2))).collect();
        for method in [IntervalMethod::Percentile, IntervalMethod::Bca] {
            let plan = Bootstrap::new((0..400).collect(), 4000, 7).with_method(method);
            let interval = plan.intervals(std::slice::from_ref(&column))[0].expect("values");
            assert!(
                (interval.low - 0.451).abs() < 0.006 && (interval.high - 0.549).abs() < 0.006,
                "{interval:?}"
            );
        }
    }

    #[test]
    fn questions_in_one_cluster_widen_it() {
        // 20 clusters of 20 equal answers each: the standard error is that of 20 coins, sqrt(.25/20) = .112.
        let column: Vec<Option<f64>> = (0..400).map(|i| Some(f64::from((i / 20) % 2))).collect();
        let interval = Bootstrap::new((0..400).map(|i| i / 20).collect(), 4000, 7)
            .intervals(&[column])[0]
            .expect("values");
        assert!(
            (interval.low - 0.28).abs() < 0.04 && (interval.high - 0.72).abs() < 0.04,
            "{interval:?}"
        );
    }

    #[test]
    fn undefined_values_are_left_out_and_an_empty_column_has_no_interval() {
        let plan = Bootstrap::new(vec![0, 1, 2], 100, 1);
        let intervals = plan.intervals(&[vec![Some(1.0), None, Some(1.0)], vec![None, None, None]]);
        assert_eq!(intervals, [Some(Interval { low: 1.0, high: 1.0 }), None]);
    }

    #[test]
    fn one_cluster_has_no_interval() {
        let column = vec![Some(0.0), Some(1.0), None];
        assert_eq!(
            Bootstrap::new(vec![0, 0, 0], 50, 1).intervals(std::slice::from_ref(&column)),
            [None]
        );
        // All values lie in one of two clusters, which is too few as well.
        let plan = Bootstrap::new(vec![0, 0, 1], 50, 1);
        assert_eq!(plan.intervals(&[column]), [None]);
    }

    #[test]
    fn no_question_no_interval() {
        let plan = Bootstrap::new(vec![], 50, 1);
        assert_eq!((plan.n_clusters(), plan.intervals(&[vec![]])), (0, vec![None]));
        assert_eq!(
            Bootstrap::new(vec![0, 1], 0, 1).intervals(&[vec![Some(0.0), Some(1.0)]]),
            [None]
        );
    }

    #[test]
    fn numbers_of_clusters_may_have_gaps() {
        let column = vec![vec![Some(0.1), Some(0.4), Some(0.9)]];
        let plan = |cluster_of: &[usize]| Bootstrap::new(cluster_of.to_vec(), 60, 5);
        assert_eq!(plan(&[3, 90, 3]).means(&column), plan(&[0, 1, 0]).means(&column));
    }

    #[test]
    fn a_column_s_means_do_not_depend_on_its_neighbours_or_on_threads() {
        let columns: Vec<Vec<Option<f64>>> = (0..11)
            .map(|c| {
                (0..203)
                    .map(|i| (c < 9 || i % c != 0).then(|| f64::from((i * 7 + c) % 13) / 13.0))
                    .collect()
            })
            .collect();
        let plan = Bootstrap::new((0..203).map(|i| i / 3).collect(), 300, 3);
        let together = plan.means(&columns);
        let one_thread = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
        assert_eq!(one_thread.install(|| plan.means(&columns)), together);
        for (column, means) in columns.iter().zip(together) {
            assert_eq!(plan.means(std::slice::from_ref(column)), [means]);
        }
    }
}
