//! The paired randomisation test (Fisher 1935, Pitman 1937; for retrieval: Smucker, Allan and Carterette 2007).

use serde::{Deserialize, Serialize};

use super::cluster;
use super::flips::{self, SignFlips};

/// Number of differing clusters up to which all sign assignments are counted.
const EXACT_CLUSTERS: usize = 30;

/// Sums that differ by less than this share of the sum of absolute cluster differences are equal: rounding moves a sum
/// of n terms by at most n * 1e-16 of it, and the same difference of other scores (0.3 - 0.2, 0.2 - 0.1) by about as
/// much. Without the tolerance an assignment that reproduces the observed statistic, first of all the identity, could
/// be missed. Treating two sums as equal that differ by less than this is conservative.
pub(super) const EQUAL: f64 = 1e-10;

/// A p-value, with the number of assignments behind it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PValue {
    /// The two-sided p-value, above 0 and at most 1.
    pub p: f64,
    /// True if all sign assignments were counted.
    pub exact: bool,
    /// Sign assignments counted: 2^clusters, or those drawn.
    pub n_permutations: usize,
}

/// Computes the two-sided randomisation test of paired `differences`; `cluster_of[i]` is question i's cluster.
///
/// If the two runs were alike, each cluster's differences could equally have had the opposite sign. The statistic is
/// the absolute mean difference; p is the share of sign assignments whose statistic is at least the observed one. A
/// cluster's differences flip together; clusters whose differences add up to zero have no effect and are left out. With
/// at most 30 others p is exact; else `permutations` assignments are drawn and p = (r + 1) / (B + 1), the observed one
/// counted too, which keeps the test valid (Phipson and Smyth 2010). p = 1, exact, where nothing differs. `None` for no
/// differences.
#[must_use]
pub fn randomisation(
    differences: &[f64],
    cluster_of: &[usize],
    permutations: usize,
    seed: u64,
) -> Option<PValue> {
    if differences.is_empty() {
        return None;
    }
    let absolute: f64 = differences.iter().map(|difference| difference.abs()).sum();
    let mut sums = cluster::sums(differences, cluster_of);
    sums.retain(|sum| sum.abs() > absolute * EQUAL);
    let least = sums.iter().sum::<f64>().abs() - absolute * EQUAL;
    if sums.len() <= EXACT_CLUSTERS {
        return Some(PValue {
            p: exact(&sums, least),
            exact: true,
            n_permutations: 1 << sums.len(),
        });
    }
    let flipped = flips::sums(&sums, SignFlips::Drawn { permutations, seed });
    let reached = flipped.iter().filter(|sum| sum.abs() >= least).count();
    Some(PValue {
        p: (reached + 1) as f64 / (permutations + 1) as f64,
        exact: false,
        n_permutations: permutations,
    })
}

/// Returns the share of all sign assignments whose absolute sum is at least `least`. Every sum is one of the first
/// half's plus one of the second half's, so both are listed and sorted, and for each of the first a falling bound in
/// the second is counted: 2^15 steps for 30 clusters instead of 2^30.
fn exact(sums: &[f64], least: f64) -> f64 {
    if least <= 0.0 {
        return 1.0;
    }
    let (first, second) = sums.split_at(sums.len() / 2);
    let (mut first, mut second) = (
        flips::sums(first, SignFlips::All),
        flips::sums(second, SignFlips::All),
    );
    first.sort_unstable_by(f64::total_cmp);
    second.sort_unstable_by(f64::total_cmp);
    let mut border = second.len();
    let mut reached = 0;
    for sum in &first {
        while border > 0 && sum + second[border - 1] >= least {
            border -= 1;
        }
        reached += second.len() - border;
    }
    // Flipping every sign maps the sums above onto those below.
    2.0 * reached as f64 / (first.len() * second.len()) as f64
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::super::expected::expected;
    use super::*;

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
            let found =
                randomisation(&case.differences, &case.cluster_of, 100, 0).expect("differences");
            assert_eq!(
                found,
                PValue {
                    p: case.p,
                    exact: true,
                    n_permutations: 2_usize.pow(case.n_clusters)
                }
            );
        }
    }

    #[test]
    fn a_small_case_is_worked_by_hand() {
        // Of the 8 signed sums of 1, 2, 3 (+-6, +-4, +-2, 0, 0) two reach 6; of 1, 2, -3 all reach 0.
        let p = |differences: &[f64]| {
            randomisation(differences, &[0, 1, 2], 10, 0)
                .expect("differences")
                .p
        };
        assert_eq!(p(&[1.0, 2.0, 3.0]), 0.25);
        assert_eq!(p(&[1.0, 2.0, -3.0]), 1.0);
        // In one cluster the first two flip together: sums of 3, 3: +-6, 0, 0.
        assert_eq!(
            randomisation(&[1.0, 2.0, 3.0], &[0, 0, 1], 10, 0)
                .expect("differences")
                .p,
            0.5
        );
    }

    #[test]
    fn rounding_does_not_part_equal_statistics() {
        // .3 - .2, .2 - .1 and .1 are three doubles; each of the six assignments of |sum| .1 must count.
        let differences = [0.3 - 0.2, 0.2 - 0.1, -0.1];
        assert_eq!(
            randomisation(&differences, &[0, 1, 2], 10, 0)
                .expect("differences")
                .p,
            1.0
        );
    }

    #[test]
    fn no_difference_is_certain_and_no_question_is_none() {
        assert_eq!(randomisation(&[], &[], 10, 0), None);
        let nothing = Some(PValue {
            p: 1.0,
            exact: true,
            n_permutations: 1,
        });
        assert_eq!(randomisation(&[0.0, 0.0], &[0, 1], 10, 0), nothing);
        // A cluster whose differences cancel never changes the mean.
        assert_eq!(randomisation(&[0.1 + 0.2, -0.3], &[0, 0], 10, 0), nothing);
    }
}
