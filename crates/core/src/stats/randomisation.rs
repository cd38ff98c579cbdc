//! The paired randomisation test (Fisher 1935, Pitman 1937; for retrieval: Smucker, Allan and Carterette 2007) and the
//! interval of all differences that it does not reject (Tritchler 1984).

use super::cluster;
use super::detectable::ALPHA;
use super::flips::SignVectors;
use crate::types::Interval;

/// Number of differing clusters up to which all their sign assignments are listed.
const EXACT_CLUSTERS: usize = 16;

/// Sums that differ by less than this share of the sum of absolute cluster differences are equal: rounding moves a sum
/// of n terms by at most n * 1e-16 of it, and the same difference of other scores (0.3 - 0.2, 0.2 - 0.1) by about as
/// much. Without the tolerance an assignment that reproduces the observed statistic, first of all the identity, could
/// be missed. Treating two sums as equal that differ by less than this is conservative.
const EQUAL: f64 = 1e-10;

/// Options of the test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RandomisationPlan {
    /// Sign assignments drawn where they are too many to list.
    pub permutations: usize,
    /// Their seed.
    pub seed: u64,
    /// Number of tests that share the level of 5% (Bonferroni), at least 1: the interval is at 1 - 5% / tests.
    pub tests: usize,
}

/// A p-value with the interval of the same test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Randomised {
    /// The two-sided p-value, above 0 and at most 1; not multiplied by the number of tests.
    pub p: f64,
    /// True if all sign assignments of the clusters that differ were counted.
    pub exact: bool,
    /// Sign assignments counted: 2^clusters that differ, or those drawn.
    pub n_permutations: usize,
    /// All mean differences that the test does not reject; zero is among them if and only if it does not reject zero. A
    /// bound is infinite where no difference is rejected, as with five clusters or fewer. `None` under two clusters.
    pub interval: Option<Interval>,
}

/// Computes the two-sided randomisation test of paired `differences`; `cluster_of[i]` is question i's cluster.
///
/// If the two runs were alike, each cluster's differences could equally have had the opposite sign. The statistic is
/// the absolute mean difference; p is the share of sign assignments whose statistic is at least the observed one. A
/// cluster's differences flip together; clusters whose differences add up to zero do not change p. With at most 16
/// others p is exact; else `permutations` assignments are drawn and p = (r + 1) / (B + 1), the observed one counted too,
/// which keeps the test valid (Phipson and Smyth 2010). p = 1, exact, where nothing differs. `None` for no differences.
///
/// The interval inverts the test: it holds each d for which p(d), the p-value of the differences less d, is at least 5%.
#[must_use]
pub fn randomisation(
    differences: &[f64],
    cluster_of: &[usize],
    plan: RandomisationPlan,
) -> Option<Randomised> {
    if differences.is_empty() {
        return None;
    }
    let clusters = Clusters::new(differences, cluster_of);
    let vectors = clusters.vectors(plan);
    let flipped = vectors.sums(&clusters.sums);
    let least = clusters.total().abs() - clusters.equal;
    let reached = flipped.iter().filter(|sum| sum.abs() >= least).count();
    let exact = clusters.n_differing <= EXACT_CLUSTERS;
    let p = reached as f64 / vectors.len() as f64;
    Some(Randomised {
        p,
        exact,
        n_permutations: if exact { 1 << clusters.n_differing } else { plan.permutations },
        interval: (clusters.sums.len() > 1).then(|| clusters.interval(&flipped, vectors, p, plan)),
    })
}

/// A cluster's sum of differences, and its questions.
type SizedSum = (f64, f64);

/// The clusters, those that differ first.
struct Clusters {
    sums: Vec<f64>,
    /// Questions of each.
    sizes: Vec<f64>,
    n_differing: usize,
    /// Sums closer than this are equal.
    equal: f64,
}

impl Clusters {
    fn new(differences: &[f64], cluster_of: &[usize]) -> Self {
        let (cluster_of, _) = cluster::renumbered(cluster_of.to_vec());
        let absolute: f64 = differences.iter().map(|difference| difference.abs()).sum();
        let equal = absolute * EQUAL;
        let sums = cluster::sums(differences, &cluster_of);
        let sizes = cluster::sums(&vec![1.0; differences.len()], &cluster_of);
        let (differing, others): (Vec<SizedSum>, Vec<SizedSum>) =
            sums.into_iter().zip(sizes).partition(|(sum, _)| sum.abs() > equal);
        let n_differing = differing.len();
        let others = others.into_iter().map(|(_, size)| (0.0, size));
        let (sums, sizes) = differing.into_iter().chain(others).unzip();
        Self { sums, sizes, n_differing, equal }
    }

    fn total(&self) -> f64 {
        self.sums.iter().sum()
    }

    /// Lists the signs. Those of clusters without a difference change p(d) though not p(0): they are drawn where they are
    /// too many, while all assignments of the others keep p(0) exact.
    fn vectors(&self, plan: RandomisationPlan) -> SignVectors {
        if self.sums.len() <= EXACT_CLUSTERS {
            SignVectors::all(self.sums.len())
        } else if self.n_differing <= EXACT_CLUSTERS {
            SignVectors::stratified(self.n_differing, plan.permutations, plan.seed)
        } else {
            SignVectors::drawn(plan.permutations, plan.seed)
        }
    }

    /// Returns all d whose p(d), times the tests, reaches the level. With S the sum of all N differences, m their mean, and
    /// A, B the sums of the clusters' differences and sizes under one sign vector, the vector counts for d = m + x if
    /// |A - d B| >= |S - d N|, that is |R - x B| >= N |x| with R = A - m B. Since |B| <= N, this holds for x > 0 exactly up
    /// to R / (N + B), or -R / (N - B) where R is negative; for x < 0 the same with -B. So p(d) falls on either side
    /// of m, and each bound is an order statistic of these reaches. The observed vector (R = 0, B = N) counts for all d.
    fn interval(
        &self,
        flipped: &[f64],
        vectors: SignVectors,
        p: f64,
        plan: RandomisationPlan,
    ) -> Interval {
        let n: f64 = self.sizes.iter().sum();
        let mean = self.total() / n;
        let sizes = vectors.sums(&self.sizes);
        let count = least_count(vectors.len(), plan.tests);
        let [below, above] = [-1.0, 1.0].map(|side: f64| {
            let reaches = flipped
                .iter()
                .zip(&sizes)
                .map(|(sum, size)| reach(sum - mean * size, side * size, n, self.equal));
            largest(reaches.collect(), count)
        });
        let interval = Interval { low: mean - below, high: mean + above };
        // The tolerance of p decides, where zero is a bound.
        if is_rejected(p, plan.tests) { interval } else { interval.with_zero() }
    }
}

/// Returns the largest x > 0 with `|residual - x size| >= n x`, where `|size| <= n`; a residual of at most `equal` is 0.
fn reach(residual: f64, size: f64, n: f64, equal: f64) -> f64 {
    // Sizes are whole numbers: only the observed signs and their opposites add up to N.
    if n - size.abs() < 0.5 {
        f64::INFINITY
    } else if residual.abs() <= equal {
        0.0
    } else if residual > 0.0 {
        residual / (n + size)
    } else {
        -residual / (n - size)
    }
}

/// Returns true if a test with this p-value, one of `tests`, rejects at 5%.
fn is_rejected(p: f64, tests: usize) -> bool {
    p * (tests as f64) < ALPHA
}

/// Returns the smallest number of `n` vectors whose share is not rejected.
fn least_count(n: usize, tests: usize) -> usize {
    let about = (ALPHA * n as f64 / tests as f64) as usize;
    (about.saturating_sub(1)..=n)
        .find(|count| *count > 0 && !is_rejected(*count as f64 / n as f64, tests))
        .unwrap_or(n)
}

/// Returns the `count`-th largest of `values`; infinity if there are fewer.
fn largest(mut values: Vec<f64>, count: usize) -> f64 {
    match values.len().checked_sub(count) {
        Some(at) => *values.select_nth_unstable_by(at, f64::total_cmp).1,
        None => f64::INFINITY,
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::super::expected::expected;
    use super::*;

    const PLAN: RandomisationPlan = RandomisationPlan { permutations: 100, seed: 0, tests: 1 };

    fn test_of(differences: &[f64], cluster_of: &[usize]) -> Randomised {
        randomisation(differences, cluster_of, PLAN).expect("differences")
    }

    #[derive(Deserialize)]
    struct Case {
        differences: Vec<f64>,
        cluster_of: Vec<usize>,
        n_clusters: u32,
        p: f64,
    }

    #[test]
    fn exact_p_values_are_those_of_integer_arithmetic() {
        for case in expected::<Vec<Case>>("exact") {
            let found = test_of(&case.differences, &case.cluster_of);
            assert_eq!(
                (found.p, found.exact, found.n_permutations),
                (case.p, true, 2_usize.pow(case.n_clusters))
            );
        }
    }

    #[test]
    fn a_small_case_is_worked_by_hand() {
        // Of the 8 signed sums of 1, 2, 3 (+-6, +-4, +-2, 0, 0) two reach 6; of 1, 2, -3 all reach 0.
        assert_eq!(test_of(&[1.0, 2.0, 3.0], &[0, 1, 2]).p, 0.25);
        assert_eq!(test_of(&[1.0, 2.0, -3.0], &[0, 1, 2]).p, 1.0);
        // In one cluster the first two flip together: sums of 3, 3: +-6, 0, 0.
        assert_eq!(test_of(&[1.0, 2.0, 3.0], &[0, 0, 1]).p, 0.5);
    }

    #[test]
    fn rounding_does_not_part_equal_statistics() {
        // .3 - .2, .2 - .1 and .1 are three doubles; each of the six assignments of |sum| .1 must count.
        let differences = [0.3 - 0.2, 0.2 - 0.1, -0.1];
        assert_eq!(test_of(&differences, &[0, 1, 2]).p, 1.0);
    }

    #[test]
    fn no_difference_is_certain_and_no_question_is_none() {
        assert_eq!(randomisation(&[], &[], PLAN), None);
        // A cluster whose differences cancel never changes the mean.
        let cancelled: (&[f64], &[usize]) = (&[0.1 + 0.2, -0.3], &[0, 0]);
        for (differences, cluster_of) in [(&[0.0, 0.0][..], &[0, 1][..]), cancelled] {
            let found = test_of(differences, cluster_of);
            assert_eq!((found.p, found.exact, found.n_permutations), (1.0, true, 1));
        }
    }

    #[test]
    fn the_interval_holds_what_the_test_does_not_reject_worked_by_hand() {
        // Six questions, each its own cluster: 64 assignments, of which four are the fewest that reach 5%. All signs and
        // none count for every d. Less d, the differences are 0 - d once and 1 - d five times: flipping the one 0 changes
        // 5 - 6d by d * 2, so with both opposites it counts where |5 - 4d| >= |5 - 6d|: 0 <= d <= 1, as five signs against one
        // of the 1s do where |3 - 4d| >= |5 - 6d|: .8 <= d <= 1. Mean .8333: [0, 1].
        let alone = [0, 1, 2, 3, 4, 5];
        let found = test_of(&[0.0, 1.0, 1.0, 1.0, 1.0, 1.0], &alone);
        assert_eq!(found.p, 4.0 / 64.0);
        let interval = found.interval.expect("six clusters");
        assert!(interval.low.abs() < 1e-12 && (interval.high - 1.0).abs() < 1e-12);
        assert!(interval.holds_zero());
        // Equal differences have no spread: any other d is rejected at 2 / 64.
        let equal = test_of(&[0.1 + 0.2; 6], &alone).interval.expect("six clusters");
        assert!((equal.low - 0.3).abs() < 1e-12 && (equal.high - 0.3).abs() < 1e-12);
        // Two tests share the level: 3 of 64 would be below 5%, and is not below 2.5%.
        let two = RandomisationPlan { tests: 2, ..PLAN };
        let differences = [0.4, 1.0, 1.0, 1.0, 1.0, 1.0];
        let at = |plan| {
            let interval = randomisation(&differences, &alone, plan).and_then(|test| test.interval);
            interval.expect("six clusters").low
        };
        assert!(at(PLAN) > 0.0 && at(two) == f64::NEG_INFINITY);
    }

    #[test]
    fn five_clusters_exclude_nothing_and_one_has_no_interval() {
        let five = test_of(&[1.0, 0.9, 1.0, 0.8, 1.0], &[0, 1, 2, 3, 4]);
        let unbounded = Interval { low: f64::NEG_INFINITY, high: f64::INFINITY };
        assert_eq!((five.p, five.interval), (0.0625, Some(unbounded)));
        assert_eq!(test_of(&[1.0, 0.5], &[3, 3]).interval, None);
    }
}
