//! Cohen's kappa: agreement beyond chance (Cohen 1960).

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::t::mean_error;
use crate::types::Interval;

/// Agreement beyond chance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Kappa {
    /// 1 for full agreement, 0 for agreement by chance, below 0 for less.
    pub value: f64,
    /// The share of equal grades.
    pub observed: f64,
    /// Agreement expected by chance from the annotators' marginals.
    pub expected: f64,
    /// `None` under two clusters, and where the clusters do not differ (such as full agreement): the spread is then
    /// unknown.
    pub ci95: Option<Interval>,
}

/// Computes kappa of `pairs`, each holding both annotators' grades of one item:
///
/// `kappa = 1 - D_o / D_e`, `D_o = share of pairs with a != b`, `D_e = share of all a and all b' with a != b'`
///
/// `None` without pairs, and where `D_e` is 0: both annotators gave the same single grade throughout, so agreement is undefined.
///
/// The interval is `kappa -+ t(.975, G - 1) se`, clamped to -1..=1. `se` is the cluster-robust standard error of the
/// mean of kappa's linear terms
///
/// `u = ((1 - kappa) (v(a, .) + v(., b)) - v(a, b)) / D_e`, `v(a, b)` 1 for different grades, `v(a, .)` its mean over all b'
///
/// whose variance is that of Fleiss, Cohen and Everitt (1969, formulas 9 and 13) times G / (G - 1) when every pair is
/// its own cluster. `cluster_of[i]` is pair i's cluster; numbers may have gaps.
#[must_use]
pub fn kappa(pairs: &[(i32, i32)], cluster_of: &[usize]) -> Option<Kappa> {
    let n = pairs.len() as f64;
    let [mut firsts, mut seconds] = [BTreeMap::new(), BTreeMap::new()];
    for (a, b) in pairs {
        *firsts.entry(*a).or_insert(0.0) += 1.0;
        *seconds.entry(*b).or_insert(0.0) += 1.0;
    }
    let against = |counts: &BTreeMap<i32, f64>, grade: i32| {
        (n - counts.get(&grade).copied().unwrap_or(0.0)) / n
    };
    let own = |(a, b): &(i32, i32)| f64::from(u8::from(a != b));
    let observed = pairs.iter().map(own).sum::<f64>() / n;
    let expected = firsts.iter().map(|(a, count)| against(&seconds, *a) * count).sum::<f64>() / n;
    if pairs.is_empty() || expected == 0.0 {
        return None;
    }
    let value = 1.0 - observed / expected;
    let term = |pair: &(i32, i32)| {
        let chance = against(&seconds, pair.0) + against(&firsts, pair.1);
        ((1.0 - value) * chance - own(pair)) / expected
    };
    let terms: Vec<f64> = pairs.iter().map(term).collect();
    let error = mean_error(&terms, cluster_of).filter(|error| error.error > 0.0);
    let ci95 = error.map(|error| {
        let around = error.interval();
        let shift = value - error.mean;
        Interval { low: around.low + shift, high: around.high + shift }.within(1.0)
    });
    Some(Kappa { value, observed: 1.0 - observed, expected: 1.0 - expected, ci95 })
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::super::expected::{assert_close, expected};
    use super::super::student;
    use super::*;

    /// Expands a table of counts, the first annotator's grades as rows, to pairs; each pair is its own cluster.
    fn pairs(table: &[Vec<usize>]) -> (Vec<(i32, i32)>, Vec<usize>) {
        let mut pairs = Vec::new();
        for (a, row) in table.iter().enumerate() {
            for (b, count) in row.iter().enumerate() {
                pairs.extend(vec![(a as i32, b as i32); *count]);
            }
        }
        let clusters = (0..pairs.len()).collect();
        (pairs, clusters)
    }

    #[test]
    fn cohens_own_example_gives_his_kappa() {
        // Cohen 1960, table 1, times 200: 120, 60 and 20 by the first, 100, 60 and 40 by the second. Equal: (88 + 40 + 12) / 200
        // = .70; by chance .6 * .5 + .3 * .3 + .1 * .2 = .41; kappa = .29 / .59.
        let (pairs, clusters) = pairs(&[vec![88, 14, 18], vec![10, 40, 10], vec![2, 6, 12]]);
        let found = kappa(&pairs, &clusters).expect("defined");
        assert_close(found.observed, 0.70, 1e-12);
        assert_close(found.expected, 0.41, 1e-12);
        assert_close(found.value, 0.29 / 0.59, 1e-12);
    }

    #[derive(Deserialize)]
    struct Case {
        table: Vec<Vec<usize>>,
        observed: f64,
        expected: f64,
        kappa: f64,
        error: f64,
    }

    #[test]
    fn values_and_errors_are_those_of_scikit_learn_and_statsmodels() {
        for case in expected::<Vec<Case>>("kappa") {
            let (pairs, clusters) = pairs(&case.table);
            let n = pairs.len() as f64;
            let any = kappa(&pairs, &clusters).expect("defined");
            assert_close(any.observed, case.observed, 1e-12);
            assert_close(any.expected, case.expected, 1e-12);
            assert_close(any.value, case.kappa, 1e-11);
            let reach = student::quantile(0.975, n - 1.0) * case.error * (n / (n - 1.0)).sqrt();
            let ci95 = any.ci95.expect("a spread");
            assert_close(ci95.low, case.kappa - reach, 1e-9);
            assert_close(ci95.high, case.kappa + reach, 1e-9);
        }
    }

    #[test]
    fn pairs_that_come_by_the_dozen_widen_the_interval() {
        let (pairs, alone) = pairs(&[vec![20, 5], vec![3, 12]]);
        let width = |pairs: &[(i32, i32)], clusters: &[usize]| {
            let ci95 = kappa(pairs, clusters).and_then(|kappa| kappa.ci95).expect("a spread");
            ci95.high - ci95.low
        };
        // Every pair three times, as one cluster: 40 things as before, so the same interval.
        let thrice: Vec<(i32, i32)> = pairs.iter().flat_map(|pair| [*pair; 3]).collect();
        let clusters: Vec<usize> = alone.iter().flat_map(|cluster| [*cluster; 3]).collect();
        assert_close(width(&thrice, &clusters), width(&pairs, &alone), 1e-12);
        assert!(
            width(&thrice, &(0..thrice.len()).collect::<Vec<_>>()) < 0.7 * width(&pairs, &alone)
        );
    }

    #[test]
    fn where_kappa_is_not_defined_it_is_no_number() {
        assert_eq!(kappa(&[], &[]), None);
        assert_eq!(kappa(&[(2, 2), (2, 2)], &[0, 1]), None, "one grade only");
        let full = kappa(&[(0, 0), (3, 3), (0, 0)], &[0, 1, 2]).expect("defined");
        assert_eq!((full.value, full.ci95), (1.0, None), "no disagreement seen is no certainty");
        let one = kappa(&[(0, 1), (1, 1)], &[7, 7]).expect("defined");
        assert_eq!((one.value, one.ci95), (0.0, None), "one question");
        // One annotator always gives 0, the other always 3: as much agreement as by chance.
        assert_eq!(kappa(&[(0, 3), (0, 3)], &[0, 1]).expect("defined").value, 0.0);
    }
}
