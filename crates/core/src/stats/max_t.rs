//! Single-step max-T over many correlated configurations (Westfall and Young 1993, section 2.5), by joint sign flips, with
//! simultaneous intervals of the same statistic.

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::cluster;
use super::flips::SignVectors;
use super::randomisation::{EQUAL, is_rejected, largest, least_count, reach};
use crate::types::Interval;

/// A configuration's result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MaxT {
    /// p, adjusted for all configurations having been tried.
    pub p: f64,
    /// The mean difference's 95% interval, simultaneous with those of all configurations: zero lies in it if and only if p
    /// is at least 5%. A bound is infinite where no difference can be rejected. `None` under two clusters.
    pub interval: Option<Interval>,
}

/// Returns each configuration's p-value, adjusted for all configurations having been tried: the chance that, if no
/// configuration differed from the baseline, the largest statistic of any would reach this configuration's.
///
/// `differences[s][i]` is configuration s minus baseline at question i, `cluster_of[i]` the question's cluster. Under
/// the null hypothesis a cluster's differences, of all configurations at once, could equally have had the opposite
/// sign. Flipping them together keeps the correlation between configurations, for which Holm's correction has to assume
/// the worst case. The statistic is |S| / sqrt(sum of squared cluster sums) with S the sum of the configuration's
/// cluster sums. The denominator is its standard deviation under the flips, so configurations of different spread
/// compete on equal terms. Since it does not change under flips, the statistic rises with the t of the cluster sums, z
/// sqrt((G - 1) / (G - z^2)), and gives the same p.
///
/// `permutations` flips are drawn and p = (r + 1) / (B + 1). If the clusters have at most `permutations` sign
/// assignments, all are counted and p is exact. A configuration that differs nowhere has p = 1. Empty for no
/// configurations.
///
/// The interval of a configuration inverts its test: it holds each d whose p(d) is at least 5%, where p(d) is p with
/// that configuration's differences less d added to the family.
#[must_use]
pub fn max_t(
    differences: &[Vec<f64>],
    cluster_of: &[usize],
    permutations: usize,
    seed: u64,
) -> Vec<MaxT> {
    let (cluster_of, n_clusters) = cluster::renumbered(cluster_of.to_vec());
    let sizes = cluster::sums(&vec![1.0; cluster_of.len()], &cluster_of);
    let settings: Vec<Setting> =
        differences.iter().map(|setting| Setting::new(setting, &cluster_of)).collect();
    let all = 1_usize
        .checked_shl(n_clusters as u32)
        .is_some_and(|assignments| assignments <= permutations);
    let vectors =
        if all { SignVectors::all(n_clusters) } else { SignVectors::drawn(permutations, seed) };
    let reached = settings
        .par_iter()
        .map(|setting| vectors.sums(&setting.scaled).into_iter().map(f64::abs).collect())
        .reduce_with(|a: Vec<f64>, b| a.iter().zip(&b).map(|(a, b)| a.max(*b)).collect())
        .unwrap_or_default();
    let mut sorted = reached.clone();
    sorted.sort_unstable_by(f64::total_cmp);
    let flips = Flips { vectors, reached, sizes: vectors.sums(&sizes) };
    settings
        .par_iter()
        .map(|setting| {
            let statistic = setting.statistic();
            let n_reached = sorted.len() - sorted.partition_point(|one| *one < statistic);
            let p = n_reached as f64 / sorted.len() as f64;
            MaxT { p, interval: (n_clusters > 1).then(|| setting.interval(&sizes, &flips, p)) }
        })
        .collect()
}

/// The sign vectors with what they make of the whole sweep.
struct Flips {
    vectors: SignVectors,
    /// The largest statistic of any configuration under each.
    reached: Vec<f64>,
    /// The sum of the clusters' sizes under each.
    sizes: Vec<f64>,
}

/// One configuration's cluster sums.
struct Setting {
    sums: Vec<f64>,
    /// The sums over the root of their squares' sum; all 0 where the configuration differs nowhere.
    scaled: Vec<f64>,
    /// Sums closer than this are equal.
    equal: f64,
}

impl Setting {
    fn new(differences: &[f64], cluster_of: &[usize]) -> Self {
        let mut sums = cluster::sums(differences, cluster_of);
        // Rounding residue of differences that cancel does not count as a difference.
        let absolute: f64 = differences.iter().map(|difference| difference.abs()).sum();
        let equal = absolute * EQUAL;
        sums.iter_mut().filter(|sum| sum.abs() <= equal).for_each(|sum| *sum = 0.0);
        let scale = sums.iter().map(|sum| sum * sum).sum::<f64>().sqrt();
        let mut scaled = sums.clone();
        if scale > 0.0 {
            for sum in &mut scaled {
                *sum /= scale;
            }
        }
        Self { sums, scaled, equal }
    }

    /// Returns the observed statistic, less the tolerance for equal ones.
    fn statistic(&self) -> f64 {
        let absolute: f64 = self.scaled.iter().map(|sum| sum.abs()).sum();
        self.scaled.iter().sum::<f64>().abs() - absolute * EQUAL
    }

    /// Returns the differences d that the test does not reject. A sign vector counts for d = m + x, m being the mean
    /// difference, if under it the differences less d, or any configuration of the sweep, reach the observed statistic of the
    /// differences less d. Either holds from m up to some x > 0, and down to some x < 0: the first as in the test of a single
    /// configuration, the second up to [`statistic_reach`]. The vector counts up to the larger, and each bound is an order
    /// statistic. At d = 0 the first is one of the second, and p(0) is p.
    fn interval(&self, sizes: &[f64], flips: &Flips, p: f64) -> Interval {
        let n: f64 = sizes.iter().sum();
        let mean = self.sums.iter().sum::<f64>() / n;
        let spread = Spread::new(self, sizes, mean);
        let flipped = flips.vectors.sums(&self.sums);
        let count = least_count(flipped.len(), 1);
        let [below, above] = [-1.0, 1.0].map(|side: f64| {
            let both = flipped.iter().zip(&flips.sizes).zip(&flips.reached);
            let reaches = both.map(|((sum, size), reached)| {
                let own = reach(sum - mean * size, side * size, n, self.equal);
                own.max(spread.statistic_reach(*reached, side))
            });
            largest(reaches.collect(), count)
        });
        let interval = Interval { low: mean - below, high: mean + above };
        if is_rejected(p, 1) { interval } else { interval.with_zero() }
    }
}

/// The spread of a configuration's cluster sums about the mean m per question, R.
struct Spread {
    /// Sum of R^2.
    squares: f64,
    /// Sum of R times the cluster's size.
    products: f64,
    /// Sum of the squared sizes.
    sizes: f64,
    /// The square of the number of questions, N.
    n: f64,
}

impl Spread {
    fn new(setting: &Setting, sizes: &[f64], mean: f64) -> Self {
        let (mut squares, mut products) = (0.0, 0.0);
        for (sum, size) in setting.sums.iter().zip(sizes) {
            let residual = sum - mean * size;
            if residual.abs() > setting.equal {
                squares += residual * residual;
                products += residual * size;
            }
        }
        Self {
            squares,
            products,
            sizes: sizes.iter().map(|size| size * size).sum(),
            n: sizes.iter().sum::<f64>().powi(2),
        }
    }

    /// Returns the distance x from m, on one side, up to which the statistic of the differences less m + x is at most
    /// `limit`. Its square is
    ///
    /// `N^2 x^2 / (sum R^2 - 2 x sum R n + x^2 sum n^2)`
    ///
    /// so x is the nearest root of `a x^2 + 2 b x - c = 0` with `a = N^2 - limit^2 sum n^2`, `b = limit^2 sum R n`,
    /// `c = limit^2 sum R^2`; infinity if there is none: the statistic is bounded, since few clusters decide both its sum and
    /// its spread.
    fn statistic_reach(&self, limit: f64, side: f64) -> f64 {
        let limit = limit * limit;
        let (a, b) = (self.n - limit * self.sizes, side * limit * self.products);
        let c = limit * self.squares;
        if c == 0.0 {
            return if a > 0.0 { 0.0 } else { f64::INFINITY };
        }
        // c / (b + root) instead of (root - b) / a: the same number, also where a is 0.
        let below = b + (b * b + a * c).sqrt();
        if below > 0.0 { c / below } else { f64::INFINITY }
    }
}

#[cfg(test)]
mod tests {
    use super::super::randomisation::{RandomisationPlan, randomisation};
    use super::*;

    fn p_values(differences: &[Vec<f64>], cluster_of: &[usize], permutations: usize) -> Vec<f64> {
        let found = max_t(differences, cluster_of, permutations, 0);
        found.into_iter().map(|one| one.p).collect()
    }

    #[test]
    fn two_settings_are_worked_by_hand() {
        // Scaled by sqrt(9) = 3: configuration a (2, 2, 1) has statistic 5/3; b (2, -2, 1), 1/3. Under the 8 joint flips
        // |S_a| is 5 3 1 1 1 1 3 5 where |S_b| is 1 1 5 3 3 5 1 1, thirds: the larger is 5 3 5 3 3 5 3 5. So p_a = 4/8, p_b = 1.
        let settings = [vec![2.0, 2.0, 1.0], vec![2.0, -2.0, 1.0]];
        assert_eq!(p_values(&settings, &[0, 1, 2], 8), [0.5, 1.0]);
    }

    #[test]
    fn one_setting_alone_has_the_randomisation_test_s_p() {
        let differences = vec![0.3, -0.1, 0.4, 0.2, 0.0, 0.6, -0.2];
        let clusters = [0, 1, 2, 3, 4, 5, 5];
        let plan = RandomisationPlan { permutations: 0, seed: 0, tests: 1 };
        let alone = randomisation(&differences, &clusters, plan).expect("differences");
        assert_eq!(p_values(&[differences], &clusters, 64), [alone.p]);
    }

    #[test]
    fn nothing_tried_and_nothing_different_are_no_finding() {
        let alone: Vec<usize> = (0..40).collect();
        assert_eq!(p_values(&[], &[], 10), [0.0; 0]);
        assert_eq!(p_values(&[vec![], vec![]], &[], 10), [1.0, 1.0]);
        let nothing = vec![0.0; 40];
        assert_eq!(p_values(&[nothing.clone(), nothing.clone()], &alone, 10), [1.0, 1.0]);
        let p = p_values(&[nothing, vec![1.0; 40]], &alone, 999);
        assert_eq!(p, [1.0, 0.001]);
    }

    #[test]
    fn the_interval_is_worked_by_hand() {
        // Seven of 1 and one of -1, each its own cluster, all 256 signs: |sum| is 8 twice and 6 sixteen times, of which 13 are
        // needed for 5%. At 1.5 the statistic is what it is at 0: seven of -.5 and one of -2.5 have the sum 6 and, with mean
        // .75 and N^2 x^2 / (sum R^2 + x^2 sum n^2) = 64 (.75)^2 / (3.5 + 8 (.75)^2) = 36 / 8, the square of 6 over the root
        // of 8. Beyond either it is larger, and only 4 signs reach it (all or none, and at 0 all of one sign).
        let differences = vec![1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, -1.0];
        let alone: Vec<usize> = (0..8).collect();
        let found = max_t(&[differences], &alone, 256, 0)[0];
        assert_eq!(found.p, 18.0 / 256.0);
        let interval = found.interval.expect("eight clusters");
        assert!(interval.low.abs() < 1e-12 && (interval.high - 1.5).abs() < 1e-12);
        assert!(interval.holds_zero());
        // With five clusters no p is below 2 / 32, and nothing is excluded.
        let five = max_t(&[vec![1.0, 0.9, 1.0, 0.8, 1.0]], &alone[..5], 256, 0)[0];
        let unbounded = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
        assert_eq!((five.p, five.interval), (0.0625, Some(unbounded)));
    }
}
