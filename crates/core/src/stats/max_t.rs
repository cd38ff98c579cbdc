//! Single-step max-T over many correlated configurations (Westfall and Young 1993, section 2.5), by joint sign flips.

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::cluster;
use super::flips::{self, SignFlips};
use super::randomisation::EQUAL;

/// Returns the p-value of each configuration, adjusted for all configurations having been tried: the chance that, if no
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
#[must_use]
pub fn max_t(
    differences: &[Vec<f64>],
    cluster_of: &[usize],
    permutations: usize,
    seed: u64,
) -> Vec<f64> {
    let settings: Vec<Vec<f64>> = differences
        .iter()
        .map(|setting| scaled_sums(setting, cluster_of))
        .collect();
    let n_clusters = settings.first().map_or(0, Vec::len);
    let all = 1_usize
        .checked_shl(n_clusters as u32)
        .is_some_and(|assignments| assignments <= permutations);
    let signs = if all {
        SignFlips::All
    } else {
        SignFlips::Drawn { permutations, seed }
    };
    let mut largest = settings
        .par_iter()
        .map(|sums| flips::sums(sums, signs).into_iter().map(f64::abs).collect())
        .reduce_with(|a: Vec<f64>, b| a.iter().zip(&b).map(|(a, b)| a.max(*b)).collect())
        .unwrap_or_default();
    largest.sort_unstable_by(f64::total_cmp);
    // With drawn assignments, the observed one is counted in addition.
    let observed = usize::from(!all);
    settings
        .iter()
        .map(|sums: &Vec<f64>| {
            let absolute: f64 = sums.iter().map(|sum| sum.abs()).sum();
            let least = sums.iter().sum::<f64>().abs() - absolute * EQUAL;
            let reached = largest.len() - largest.partition_point(|statistic| *statistic < least);
            (reached + observed) as f64 / (largest.len() + observed) as f64
        })
        .collect()
}

/// Returns the configuration's cluster sums over the root of their squares' sum; all 0 where it differs nowhere.
fn scaled_sums(differences: &[f64], cluster_of: &[usize]) -> Vec<f64> {
    let mut sums = cluster::sums(differences, cluster_of);
    // Rounding residue of differences that cancel does not count as a difference.
    let absolute: f64 = differences.iter().map(|difference| difference.abs()).sum();
    sums.iter_mut()
        .filter(|sum| sum.abs() <= absolute * EQUAL)
        .for_each(|sum| *sum = 0.0);
    let scale = sums.iter().map(|sum| sum * sum).sum::<f64>().sqrt();
    if scale > 0.0 {
        for sum in &mut sums {
            *sum /= scale;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_settings_are_worked_by_hand() {
        // Scaled by sqrt(9) = 3: configuration a (2, 2, 1) has statistic 5/3; b (2, -2, 1), 1/3. Under the 8 joint flips
        // |S_a| is 5 3 1 1 1 1 3 5 where |S_b| is 1 1 5 3 3 5 1 1, thirds: the larger is 5 3 5 3 3 5 3 5. So p_a = 4/8, p_b = 1.
        let settings = [vec![2.0, 2.0, 1.0], vec![2.0, -2.0, 1.0]];
        assert_eq!(max_t(&settings, &[0, 1, 2], 8, 0), [0.5, 1.0]);
    }

    #[test]
    fn one_setting_alone_has_the_randomisation_test_s_p() {
        let differences = vec![0.3, -0.1, 0.4, 0.2, 0.0, 0.6, -0.2];
        let clusters = [0, 1, 2, 3, 4, 5, 5];
        let alone = super::super::randomisation::randomisation(&differences, &clusters, 0, 0)
            .expect("differences");
        assert_eq!(max_t(&[differences], &clusters, 64, 0), [alone.p]);
    }

    #[test]
    fn nothing_tried_and_nothing_different_are_no_finding() {
        assert_eq!(max_t(&[], &[], 10, 0), [0.0; 0]);
        assert_eq!(max_t(&[vec![], vec![]], &[], 10, 0), [1.0, 1.0]);
        assert_eq!(
            max_t(
                &[vec![0.0; 40], vec![0.0; 40]],
                &(0..40).collect::<Vec<_>>(),
                10,
                0
            ),
            [1.0, 1.0]
        );
        let p = max_t(
            &[vec![0.0; 40], vec![1.0; 40]],
            &(0..40).collect::<Vec<_>>(),
            999,
            0,
        );
        assert_eq!(p, [1.0, 0.001]);
    }
}
