//! Sums of cluster sums under random signs, the engine of the randomisation tests.

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::random::Random;

/// Clusters per table of all signed sums: four bits of a random word select the sum of four clusters at once.
const TABLE_BITS: usize = 4;
const TABLE_ROWS: usize = 1 << TABLE_BITS;
const TABLES_A_WORD: usize = u64::BITS as usize / TABLE_BITS;

/// Source of the signs.
#[derive(Clone, Copy, Debug)]
pub(super) enum SignFlips {
    /// Every assignment once: bit c of the assignment's number is cluster c's sign. At most 63 clusters.
    All,
    /// This many random assignments.
    Drawn { permutations: usize, seed: u64 },
}

/// Returns the sum of `values` with random or all signs, for every assignment; lists of the same length get the same
/// assignments.
pub(super) fn sums(values: &[f64], signs: SignFlips) -> Vec<f64> {
    let tables: Vec<[f64; TABLE_ROWS]> = values.chunks(TABLE_BITS).map(table).collect();
    match signs {
        SignFlips::All => (0..1u64 << values.len())
            .into_par_iter()
            .map(|number| signed_sum(&tables, || number))
            .collect(),
        SignFlips::Drawn { permutations, seed } => (0..permutations as u64)
            .into_par_iter()
            .map(|permutation| {
                let mut random = Random::stream(seed, permutation);
                signed_sum(&tables, || random.next_u64())
            })
            .collect(),
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
