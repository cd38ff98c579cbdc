//! Intervals of differences by brute force (`tests/data/stats/inverted.py`), and simulations of the intervals of differences, on independent questions, in equal clusters, and where a chain of shared
//! evidence puts most questions in one cluster; and the agreement of interval and p.

use serde::Deserialize;

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::random::Random;
use super::randomisation::{RandomisationPlan, Randomised, randomisation};
use super::tests::{null_differences, simulated_ranks};
use crate::types::Interval;

#[derive(Deserialize)]
struct Inverted {
    cluster_of: Vec<usize>,
    differences: Vec<f64>,
    alone: (f64, Option<f64>, Option<f64>),
    of_three_tests: (f64, Option<f64>, Option<f64>),
}

#[track_caller]
fn assert_inverted((p, found): (f64, Option<Interval>), wanted: (f64, Option<f64>, Option<f64>)) {
    let found = found.expect("clusters");
    let bounds = [
        (found.low, wanted.1.unwrap_or(f64::NEG_INFINITY)),
        (found.high, wanted.2.unwrap_or(f64::INFINITY)),
    ];
    assert_eq!(p, wanted.0);
    for (found, wanted) in bounds {
        assert!(found == wanted || (found - wanted).abs() < 1e-9, "{found}, {wanted}");
    }
}

#[test]
fn intervals_are_those_of_the_definition() {
    let text = include_str!("../../../../tests/data/stats/inverted.json");
    let cases: Vec<Inverted> = serde_json::from_str(text).expect("the file is JSON");
    for case in cases {
        for (tests, wanted) in [(1, case.alone), (3, case.of_three_tests)] {
            let found = tested(&case.differences, &case.cluster_of, 0, tests);
            assert_inverted((found.p, found.interval), wanted);
        }
    }
}

const EVALUATIONS: u64 = 1000;

/// Returns the clusters of 100 questions: each alone, 25 of four, and a chain of 65 with ten of three or four.
fn shapes() -> [Vec<usize>; 3] {
    [independent(), equal(), chained()]
}

fn independent() -> Vec<usize> {
    (0..100).collect()
}

/// 25 clusters of four.
fn equal() -> Vec<usize> {
    (0..100).map(|question| question / 4).collect()
}

/// One cluster of 65, ten of three or four: the shape that chains of shared documents gave.
fn chained() -> Vec<usize> {
    (0..100_usize)
        .map(|question| question.checked_sub(65).map_or(0, |rest| 1 + rest % 10))
        .collect()
}

/// Returns a question's difference between two runs that agree on most: 70% are 0, 20% a gain of 1, 1/2 or 1/4, 10%
/// such a loss.
fn sparse_difference(rank: f64) -> f64 {
    let size = |share: f64| [1.0, 0.5, 0.25][(share * 3.0) as usize];
    match rank {
        rank if rank < 0.7 => 0.0,
        rank if rank < 0.9 => size((rank - 0.7) / 0.2),
        rank => -size((rank - 0.9) / 0.1),
    }
}

/// The mean of [`sparse_difference`]: (.2 - .1) * (1 + .5 + .25) / 3.
const SPARSE: f64 = 0.1 * 1.75 / 3.0;

fn sparse(cluster_of: &[usize], random: &mut Random) -> Vec<f64> {
    simulated_ranks(cluster_of, random).into_iter().map(sparse_difference).collect()
}

fn tested(differences: &[f64], cluster_of: &[usize], seed: u64, tests: usize) -> Randomised {
    let plan = RandomisationPlan { permutations: 999, seed, tests };
    randomisation(differences, cluster_of, plan).expect("questions")
}

fn holds(interval: Option<Interval>, mean: f64) -> bool {
    // Sums of tenths and the like miss the true mean by a rounding error.
    interval.is_some_and(|found| found.low <= mean + 1e-9 && mean - 1e-9 <= found.high)
}

/// Returns the share of simulated evaluations for which `covers` is true.
fn share(seed: u64, covers: impl Fn(&mut Random, u64) -> bool + Sync) -> f64 {
    let held = (0..EVALUATIONS)
        .into_par_iter()
        .filter(|evaluation| covers(&mut Random::stream(seed, *evaluation), *evaluation));
    held.count() as f64 / EVALUATIONS as f64
}

#[test]
fn the_interval_covers_also_where_one_cluster_holds_most_questions() {
    for cluster_of in shapes() {
        let of_sparse = share(71, |random, seed| {
            let differences = sparse(&cluster_of, random);
            holds(tested(&differences, &cluster_of, seed, 1).interval, SPARSE)
        });
        let of_null = share(72, |random, seed| {
            let differences = null_differences(&cluster_of, random);
            holds(tested(&differences, &cluster_of, seed, 1).interval, 0.0)
        });
        assert!(of_sparse >= 0.93 && of_null >= 0.93, "{of_sparse}, {of_null}");
    }
}

/// Returns questions in up to `most` clusters of very different sizes, and their differences in tenths.
fn unbalanced(most: usize, random: &mut Random) -> (Vec<f64>, Vec<usize>) {
    let n_clusters = 2 + random.below(most);
    let mut cluster_of = Vec::new();
    for cluster in 0..n_clusters {
        let size = if cluster == 0 { 1 + random.below(40) } else { 1 + random.below(4) };
        cluster_of.extend(std::iter::repeat_n(cluster, size));
    }
    let lean = random.unit() - 0.5;
    let differences = cluster_of.iter().map(|_| {
        let tenths = (20.0 * (random.unit() - 0.5 + 0.6 * lean)).round() / 10.0;
        if random.below(3) == 0 { tenths } else { 0.0 }
    });
    let differences = differences.collect();
    (differences, cluster_of)
}

#[test]
fn zero_lies_outside_the_interval_exactly_where_p_is_below_5_percent() {
    let (mut n_rejected, mut n_drawn) = (0, 0);
    for case in 0..600 {
        let mut random = Random::stream(73, case);
        let (differences, cluster_of) =
            unbalanced(if case % 2 == 0 { 14 } else { 60 }, &mut random);
        for tests in [1, 3] {
            let found = tested(&differences, &cluster_of, case, tests);
            let interval = found.interval.expect("clusters");
            let rejected = found.p * (tests as f64) < 0.05;
            assert_eq!(!interval.holds_zero(), rejected, "case {case}: {found:?}");
            n_rejected += usize::from(rejected);
            n_drawn += usize::from(!found.exact);
        }
    }
    assert!(n_rejected > 300 && n_drawn > 100, "{n_rejected}, {n_drawn}");
}
