//! The cluster bootstrap's percentile interval (Efron and Tibshirani 1993, ch. 13; clusters: Davison and Hinkley
//! 1997, section 3.8): whole clusters are drawn with replacement, the mean over all their questions is taken, and the
//! 2.5 % and 97.5 % points of those means are the interval.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::random::Random;
use crate::types::Interval;

/// A resampling plan over questions: which cluster each belongs to, how often to draw, from which seed.
#[derive(Clone, Debug)]
pub struct Bootstrap {
    cluster_of: Vec<usize>,
    n_clusters: usize,
    resamples: usize,
    seed: u64,
}

/// Sums and counts of a column's defined values in one cluster.
#[derive(Clone, Copy, Default)]
struct Cell {
    sum: f64,
    n: f64,
}

impl Bootstrap {
    /// A plan; `cluster_of[i]` is question i's cluster, numbered from 0 without gaps.
    #[must_use]
    pub fn new(cluster_of: Vec<usize>, resamples: usize, seed: u64) -> Self {
        let n_clusters = cluster_of.iter().max().map_or(0, |last| last + 1);
        Self { cluster_of, n_clusters, resamples, seed }
    }

    /// How many clusters are drawn from.
    #[must_use]
    pub fn n_clusters(&self) -> usize {
        self.n_clusters
    }

    /// The resampled means, one list a column: `None` values are left out of a mean, and a resample in which a column
    /// has no value is left out of its list. All columns see the same draws, so that differences pair up.
    ///
    /// Each column holds one value a question.
    #[must_use]
    pub fn means(&self, columns: &[Vec<Option<f64>>]) -> Vec<Vec<f64>> {
        let width = columns.len();
        let mut table = vec![Cell::default(); self.n_clusters * width];
        for (c, column) in columns.iter().enumerate() {
            for (value, &cluster) in column.iter().zip(&self.cluster_of) {
                if let Some(value) = value {
                    let cell = &mut table[cluster * width + c];
                    cell.sum += value;
                    cell.n += 1.0;
                }
            }
        }
        let rows: Vec<Vec<Option<f64>>> =
            (0..self.resamples).into_par_iter().map(|resample| self.draw(&table, width, resample)).collect();
        (0..width).map(|c| rows.iter().filter_map(|row| row[c]).collect()).collect()
    }

    /// The 95 % interval of each column's mean. `None` where a column has no value, and everywhere when there is but one
    /// cluster: drawing it again shows no spread, which is not the same as certainty.
    #[must_use]
    pub fn intervals(&self, columns: &[Vec<Option<f64>>]) -> Vec<Option<Interval>> {
        self.means(columns).into_iter().map(|means| self.interval(means)).collect()
    }

    /// The 95 % interval of resampled means, or of anything computed from them resample by resample.
    #[must_use]
    pub fn interval(&self, resampled: Vec<f64>) -> Option<Interval> {
        if self.n_clusters < 2 { None } else { percentile_interval(resampled) }
    }

    fn draw(&self, table: &[Cell], width: usize, resample: usize) -> Vec<Option<f64>> {
        let mut random = Random::stream(self.seed, resample as u64);
        let mut totals = vec![Cell::default(); width];
        for _ in 0..self.n_clusters {
            let at = random.below(self.n_clusters) * width;
            for (total, cell) in totals.iter_mut().zip(&table[at..at + width]) {
                total.sum += cell.sum;
                total.n += cell.n;
            }
        }
        totals.iter().map(|total| (total.n > 0.0).then(|| total.sum / total.n)).collect()
    }
}

/// The 2.5 % and 97.5 % points of `values`, interpolated linearly between order statistics (Hyndman and Fan 1996,
/// type 7). `None` for no values.
#[must_use]
fn percentile_interval(mut values: Vec<f64>) -> Option<Interval> {
    values.sort_unstable_by(f64::total_cmp);
    let quantile = |share: f64| {
        let at = share * (values.len() - 1) as f64;
        let (below, above) = (values[at.floor() as usize], values[at.ceil() as usize]);
        below + (above - below) * (at - at.floor())
    };
    (!values.is_empty()).then(|| Interval { low: quantile(0.025), high: quantile(0.975) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_interpolated_as_type_7() {
        // 0..=40: 2.5 % of 40 is 1, 97.5 % is 39; 0..=10: 0.25 and 9.75.
        let interval = |last: i32| percentile_interval((0..=last).map(f64::from).collect()).expect("values");
        assert_eq!(interval(40), Interval { low: 1.0, high: 39.0 });
        assert_eq!(interval(10), Interval { low: 0.25, high: 9.75 });
    }

    #[test]
    fn the_interval_of_independent_coins_is_near_the_normal_one() {
        // 200 of 400 heads: standard error sqrt(.25/400) = .025, so about .5 -+ .049.
        let column: Vec<Option<f64>> = (0..400).map(|i| Some(f64::from(i % 2))).collect();
        let interval = Bootstrap::new((0..400).collect(), 4000, 7).intervals(&[column])[0].expect("values");
        assert!((interval.low - 0.451).abs() < 0.006 && (interval.high - 0.549).abs() < 0.006, "{interval:?}");
    }

    #[test]
    fn questions_in_one_cluster_widen_it() {
        // 20 clusters of 20 equal answers each: the standard error is that of 20 coins, sqrt(.25/20) = .112.
        let column: Vec<Option<f64>> = (0..400).map(|i| Some(f64::from((i / 20) % 2))).collect();
        let interval =
            Bootstrap::new((0..400).map(|i| i / 20).collect(), 4000, 7).intervals(&[column])[0].expect("values");
        assert!((interval.low - 0.28).abs() < 0.04 && (interval.high - 0.72).abs() < 0.04, "{interval:?}");
    }

    #[test]
    fn undefined_values_are_left_out_and_an_empty_column_has_no_interval() {
        let plan = Bootstrap::new(vec![0, 1, 2], 100, 1);
        let intervals = plan.intervals(&[vec![Some(1.0), None, Some(1.0)], vec![None, None, None]]);
        assert_eq!(intervals, [Some(Interval { low: 1.0, high: 1.0 }), None]);
    }

    #[test]
    fn one_cluster_has_no_interval() {
        assert_eq!(Bootstrap::new(vec![0, 0], 50, 1).intervals(&[vec![Some(0.0), Some(1.0)]]), [None]);
    }

    #[test]
    fn the_same_seed_gives_the_same_interval() {
        let column: Vec<Option<f64>> = (0..50).map(|i| Some(f64::from(i) / 50.0)).collect();
        let plan = || Bootstrap::new((0..50).collect(), 200, 3).intervals(std::slice::from_ref(&column));
        assert_eq!(plan(), plan());
    }
}
