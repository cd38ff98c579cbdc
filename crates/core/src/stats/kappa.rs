//! Cohen's kappa: annotator agreement beyond chance.

use schemars::JsonSchema;
use serde::Serialize;

use super::t::mean_error;
use crate::types::Interval;

/// Weight of a pair of grades as disagreement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Disagreement {
    /// 1 for any two different grades (Cohen 1960).
    Any,
    /// Squared distance of the grades over the square of the largest distance (Cohen 1968).
    Squared,
}

impl Disagreement {
    fn between(self, a: i32, b: i32, widest: f64) -> f64 {
        match self {
            Self::Any => f64::from(u8::from(a != b)),
            Self::Squared => ((f64::from(a) - f64::from(b)) / widest.max(1.0)).powi(2),
        }
    }
}

/// Agreement beyond chance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Kappa {
    /// 1 for full agreement, 0 for agreement by chance, below 0 for less.
    pub value: f64,
    /// 1 - the mean disagreement: if unweighted the share of equal grades.
    pub observed: f64,
    /// Agreement expected by chance from the annotators' marginals.
    pub expected: f64,
    /// `None` under two clusters, and where the clusters do not differ (such as full agreement): the spread is then
    /// unknown.
    pub ci95: Option<Interval>,
}

/// Computes kappa of `pairs`, each holding both annotators' grades of one item:
///
/// `kappa = 1 - D_o / D_e`, `D_o = mean of v(a, b)`, `D_e = mean of v(a, b') over all a and all b'`
///
/// with `v` the [`Disagreement`]. `None` without pairs, and where `D_e` is 0: both annotators gave the same single
/// grade throughout, so agreement is undefined.
///
/// The interval is `kappa -+ t(.975, G - 1) se`, clamped to -1..=1. `se` is the cluster-robust standard error of the
/// mean of kappa's linear terms
///
/// `u = ((1 - kappa) (v(a, .) + v(., b)) - v(a, b)) / D_e`, `v(a, .)` the mean of `v(a, b')` over all b'
///
/// whose variance is that of Fleiss, Cohen and Everitt (1969, formulas 9 and 13) times G / (G - 1) when every pair is
/// its own cluster. Grades of one question's documents are not independent: pass the question as their cluster.
/// `cluster_of[i]` is pair i's cluster; numbers may have gaps.
#[must_use]
pub fn kappa(
    pairs: &[(i32, i32)],
    cluster_of: &[usize],
    disagreement: Disagreement,
) -> Option<Kappa> {
    let n = pairs.len() as f64;
    let all = pairs.iter().flat_map(|(a, b)| [*a, *b]);
    let (least, most) = (all.clone().min()?, all.max()?);
    let widest = f64::from(most) - f64::from(least);
    let (firsts, seconds) = (
        GradeCounts::new(pairs.iter().map(|pair| pair.0)),
        GradeCounts::new(pairs.iter().map(|pair| pair.1)),
    );
    let observed = pairs.iter().map(|(a, b)| disagreement.between(*a, *b, widest)).sum::<f64>() / n;
    let expected = firsts.mean(|a| seconds.mean(|b| disagreement.between(a, b, widest)));
    if expected == 0.0 {
        return None;
    }
    let value = 1.0 - observed / expected;
    let terms: Vec<f64> = pairs
        .iter()
        .map(|(a, b)| {
            let against_seconds = seconds.mean(|other| disagreement.between(*a, other, widest));
            let against_firsts = firsts.mean(|other| disagreement.between(other, *b, widest));
            let own = disagreement.between(*a, *b, widest);
            ((1.0 - value) * (against_seconds + against_firsts) - own) / expected
        })
        .collect();
    let error = mean_error(&terms, cluster_of).filter(|error| error.error > 0.0);
    let ci95 = error.map(|error| {
        let around = error.interval();
        let shift = value - error.mean;
        Interval { low: around.low + shift, high: around.high + shift }.within(1.0)
    });
    Some(Kappa { value, observed: 1.0 - observed, expected: 1.0 - expected, ci95 })
}

/// The grades of one annotator.
struct GradeCounts {
    n: usize,
    /// Ascending by grade.
    grades: Vec<GradeCount>,
}

struct GradeCount {
    grade: i32,
    count: usize,
}

impl GradeCounts {
    fn new(grades: impl Iterator<Item = i32>) -> Self {
        let mut grades: Vec<i32> = grades.collect();
        grades.sort_unstable();
        Self {
            n: grades.len(),
            grades: grades
                .chunk_by(|a, b| a == b)
                .map(|equal| GradeCount { grade: equal[0], count: equal.len() })
                .collect(),
        }
    }

    fn mean(&self, value_of: impl Fn(i32) -> f64) -> f64 {
        let terms =
            self.grades.iter().map(|GradeCount { grade, count }| value_of(*grade) * *count as f64);
        terms.sum::<f64>() / self.n as f64
    }
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
        let found = kappa(&pairs, &clusters, Disagreement::Any).expect("defined");
        assert_close(found.observed, 0.70, 1e-12);
        assert_close(found.expected, 0.41, 1e-12);
        assert_close(found.value, 0.29 / 0.59, 1e-12);
        // Squared distances over 4. Observed: 40 pairs at 1/4 (14 + 10 + 10 + 6) and 20 at 1: (10 + 20) / 200 = .15. By chance, shares
        // one apart .6 * .3 + .3 * .5 + .3 * .2 + .1 * .3 = .42, two apart .6 * .2 + .1 * .5 = .17: .42 / 4 + .17 = .275.
        let found = kappa(&pairs, &clusters, Disagreement::Squared).expect("defined");
        assert_close(found.value, 1.0 - 0.15 / 0.275, 1e-12);
    }

    #[derive(Deserialize)]
    struct Case {
        table: Vec<Vec<usize>>,
        observed: f64,
        expected: f64,
        kappa: f64,
        error: f64,
        squared: f64,
        squared_error: f64,
    }

    #[test]
    fn values_and_errors_are_those_of_scikit_learn_and_statsmodels() {
        for case in expected::<Vec<Case>>("kappa") {
            let (pairs, clusters) = pairs(&case.table);
            let n = pairs.len() as f64;
            let any = kappa(&pairs, &clusters, Disagreement::Any).expect("defined");
            assert_close(any.observed, case.observed, 1e-12);
            assert_close(any.expected, case.expected, 1e-12);
            let squared = kappa(&pairs, &clusters, Disagreement::Squared).expect("defined");
            for (found, value, error) in
                [(any, case.kappa, case.error), (squared, case.squared, case.squared_error)]
            {
                assert_close(found.value, value, 1e-11);
                let reach = student::quantile(0.975, n - 1.0) * error * (n / (n - 1.0)).sqrt();
                let ci95 = found.ci95.expect("a spread");
                assert_close(ci95.low, value - reach, 1e-9);
                assert_close(ci95.high, value + reach, 1e-9);
            }
        }
    }

    #[test]
    fn pairs_that_come_by_the_dozen_widen_the_interval() {
        let (pairs, alone) = pairs(&[vec![20, 5], vec![3, 12]]);
        let width = |pairs: &[(i32, i32)], clusters: &[usize]| {
            let ci95 = kappa(pairs, clusters, Disagreement::Any)
                .and_then(|kappa| kappa.ci95)
                .expect("a spread");
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
        for disagreement in [Disagreement::Any, Disagreement::Squared] {
            assert_eq!(kappa(&[], &[], disagreement), None);
            assert_eq!(kappa(&[(2, 2), (2, 2)], &[0, 1], disagreement), None, "one grade only");
            let full = kappa(&[(0, 0), (3, 3), (0, 0)], &[0, 1, 2], disagreement).expect("defined");
            assert_eq!(
                (full.value, full.ci95),
                (1.0, None),
                "no disagreement was seen, which is no certainty"
            );
            let one = kappa(&[(0, 1), (1, 1)], &[7, 7], disagreement).expect("defined");
            assert_eq!((one.value, one.ci95), (0.0, None), "one question");
            // One annotator always gives 0, the other always 3: as much agreement as by chance.
            assert_eq!(
                kappa(&[(0, 3), (0, 3)], &[0, 1], disagreement).expect("defined").value,
                0.0
            );
        }
        let extremes = [(i32::MIN, i32::MAX), (0, 0), (i32::MAX, i32::MAX)];
        assert!(
            kappa(&extremes, &[0, 1, 2], Disagreement::Squared).expect("defined").value.is_finite()
        );
    }
}
