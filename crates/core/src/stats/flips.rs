//! Sums of cluster sums under random signs, the engine of the randomisation tests.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::random::Random;

/// Clusters per table of all signed sums: four bits of a random word select the sum of four clusters at once.
const TABLE_BITS: usize = 4;
const TABLE_ROWS: usize = 1 << TABLE_BITS;
const TABLES_A_WORD: usize = u64::BITS as usize / TABLE_BITS;

/// A list of sign vectors. The first clusters take every assignment of signs equally often, the others random signs. The
/// observed assignment, all signs positive, is in the list: a test that counts it is valid (Phipson and Smyth 2010).
#[derive(Clone, Copy, Debug)]
pub(super) struct SignVectors {
    /// Clusters whose assignments are all listed, below 64.
    enumerated: usize,
    n: usize,
    seed: u64,
}

impl SignVectors {
    /// Lists every assignment of `n_clusters` clusters.
    pub fn all(n_clusters: usize) -> Self {
        Self { enumerated: n_clusters, n: 1 << n_clusters, seed: 0 }
    }

    /// Lists every assignment of the first `enumerated` clusters as often as it takes for at least `permutations`
    /// vectors, with random signs for the others.
    pub fn stratified(enumerated: usize, permutations: usize, seed: u64) -> Self {
        let assignments = 1 << enumerated;
        Self { enumerated, n: permutations.div_ceil(assignments).max(1) * assignments, seed }
    }

    /// Draws `permutations` assignments, and adds the observed one.
    pub fn drawn(permutations: usize, seed: u64) -> Self {
        Self { enumerated: 0, n: permutations + 1, seed }
    }

    /// Returns the number of vectors.
    pub fn len(self) -> usize {
        self.n
    }

    /// Returns the sum of `values` under each vector; lists of the same length get the same vectors.
    pub fn sums(self, values: &[f64]) -> Vec<f64> {
        let tables: Vec<[f64; TABLE_ROWS]> = values.chunks(TABLE_BITS).map(table).collect();
        let listed = (1_u64 << self.enumerated) - 1;
        (0..self.n as u64)
            .into_par_iter()
            .map(|number| {
                if number == listed {
                    return signed_sum(&tables, || u64::MAX);
                }
                if self.enumerated >= values.len() {
                    return signed_sum(&tables, || number);
                }
                let mut random = Random::stream(self.seed, number);
                let mut listed_here = listed;
                signed_sum(&tables, || {
                    let word = (random.next_u64() & !listed_here) | (number & listed_here);
                    listed_here = 0;
                    word
                })
            })
            .collect()
    }
}

fn signed_sum(tables: &[[f64; TABLE_ROWS]], mut signs: impl FnMut() -> u64) -> f64 {
    let mut sum = 0.0;
    for tables in tables.chunks(TABLES_A_WORD) {
        let mut word = signs();
        for table in tables {
            sum += table[word as usize % TABLE_ROWS];
            word >>= TABLE_BITS;
        }
    }
    sum
}

/// Returns the sums of up to four values under all their signs; if bit i is set, value i has a positive sign.
fn table(values: &[f64]) -> [f64; TABLE_ROWS] {
    std::array::from_fn(|signs| {
        values
            .iter()
            .enumerate()
            .map(|(i, value)| if signs >> i & 1 == 1 { *value } else { -value })
            .sum()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_clusters_take_every_assignment_equally_often_and_the_observed_one_is_listed() {
        // 1 and 2 have sums -3, -1, 1, 3; 10 and 20 more are drawn. Eight vectors are two of each assignment.
        let vectors = SignVectors::stratified(2, 7, 5);
        assert_eq!(vectors.len(), 8);
        let mut listed = vectors.sums(&[1.0, 2.0]);
        listed.sort_unstable_by(f64::total_cmp);
        assert_eq!(listed, [-3.0, -3.0, -1.0, -1.0, 1.0, 1.0, 3.0, 3.0]);
        let all = vectors.sums(&[1.0, 2.0, 10.0, 20.0]);
        assert_eq!(all[3], 33.0);
        assert!(all.iter().any(|sum| *sum != 33.0 && *sum > 0.0));
    }
}
