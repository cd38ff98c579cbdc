//! Clusters drawn with replacement, and totals over them: the inner loop of the bootstrap.
//!
//! Ten thousand resamples of 7,405 questions are 74 million draws, so a draw has to cost about a nanosecond: one 64-bit
//! word of the generator serves two draws, a cluster's numbers lie side by side, and at most eight of them are added at a
//! time, so that the table stays in the second-level cache and the running sums in registers. Vectors wider than the
//! target's base set were tried and changed nothing: the loop waits for the table.

#![allow(
    clippy::inline_always,
    reason = "a closure left out of line keeps the running sums in memory"
)]

use rayon::iter::{IntoParallelIterator, ParallelIterator};

use super::random::Random;

/// Number of separate running sums, so that an addition does not wait for the previous one. It is equal for every
/// width: a column's totals are bit-identical whatever the neighbouring columns and the number of threads.
const LANES: usize = 4;
/// Columns added at a time.
const WIDEST: usize = 8;

/// Parameters of the draws. Everything computed from one value uses identical draws.
#[derive(Clone, Copy, Debug)]
pub(super) struct Draws {
    /// Number of clusters to draw from, and of draws: below 2^32.
    pub n_clusters: usize,
    pub resamples: usize,
    pub seed: u64,
}

impl Draws {
    /// Returns, for each column, given as its number in each cluster, its total in each resample.
    pub fn totals(self, columns: &[&Vec<f64>]) -> Vec<Vec<f64>> {
        // Metrics often agree on every question, as EM@5 and EM@prompt when five passages are packed, and most are defined for
        // the same questions: such columns are added once.
        let mut distinct: Vec<&Vec<f64>> = Vec::new();
        let mut places = Vec::with_capacity(columns.len());
        for column in columns {
            let known = distinct.iter().position(|known| known == column);
            places.push(known.unwrap_or(distinct.len()));
            if known.is_none() {
                distinct.push(column);
            }
        }
        let totals = distinct.chunks(WIDEST).flat_map(|columns| match columns.len() {
            1 => self.block::<1>(columns),
            2 => self.block::<2>(columns),
            3..=4 => self.block::<4>(columns),
            _ => self.block::<WIDEST>(columns),
        });
        let totals: Vec<Vec<f64>> = totals.collect();
        places.into_iter().map(|place| totals[place].clone()).collect()
    }

    /// Maps every resample's number with `each`.
    pub fn map<T: Send>(self, each: impl Fn(u64) -> T + Sync + Send) -> Vec<T> {
        (0..self.resamples as u64).into_par_iter().map(each).collect()
    }

    /// Hands `each` the clusters of one resample, in turn to one of four lanes: four draws by Lemire's multiplication
    /// from two words, each cluster's chance off by less than 2^-32.
    #[inline(always)]
    pub fn draw(self, resample: u64, mut each: impl FnMut(usize, usize)) {
        let mut random = Random::stream(self.seed, resample);
        let mut four = || {
            let (a, b) = (random.next_u64(), random.next_u64());
            let halves = [a >> 32, a & 0xFFFF_FFFF, b >> 32, b & 0xFFFF_FFFF];
            halves.map(|half| ((half * self.n_clusters as u64) >> 32) as usize)
        };
        for _ in 0..self.n_clusters / LANES {
            let clusters = four();
            for (lane, cluster) in clusters.into_iter().enumerate() {
                each(lane, cluster);
            }
        }
        let clusters = four();
        for (lane, cluster) in clusters.into_iter().enumerate() {
            // Not `take(rest)`: a lane known only at run time would keep all sums in memory.
            if lane < self.n_clusters % LANES {
                each(lane, cluster);
            }
        }
    }

    /// Returns the totals of at most `WIDTH` columns.
    fn block<const WIDTH: usize>(self, columns: &[&Vec<f64>]) -> Vec<Vec<f64>> {
        let table: Vec<[f64; WIDTH]> = (0..self.n_clusters)
            .map(|cluster| {
                std::array::from_fn(|c| columns.get(c).map_or(0.0, |column| column[cluster]))
            })
            .collect();
        let totals: Vec<[f64; WIDTH]> = self.map(|resample| {
            let mut sums = [[0.0; WIDTH]; LANES];
            self.draw(resample, |lane, cluster| {
                for (sum, value) in sums[lane].iter_mut().zip(&table[cluster]) {
                    *sum += value;
                }
            });
            std::array::from_fn(|c| sums.iter().map(|sums| sums[c]).sum())
        });
        (0..columns.len()).map(|c| totals.iter().map(|total| total[c]).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds up a column in the order of the draws, four sums in turn.
    fn plain(draws: Draws, column: &[f64]) -> Vec<f64> {
        draws.map(|resample| {
            let mut sums = [0.0; LANES];
            draws.draw(resample, |lane, cluster| sums[lane] += column[cluster]);
            sums.iter().sum()
        })
    }

    #[test]
    fn totals_do_not_depend_on_the_width_of_a_block() {
        let mut random = Random::new(4);
        // 31 clusters are no multiple of four; the numbers of columns fill blocks of every width.
        let draws = Draws { n_clusters: 31, resamples: 200, seed: 6 };
        for n_columns in [1, 2, 6, 12, 21] {
            let columns: Vec<Vec<f64>> = (0..n_columns)
                .map(|c| {
                    let value = |_| random.below(7) as f64 / f64::from(c + 1) - 1.0;
                    (0..draws.n_clusters).map(value).collect()
                })
                .collect();
            let bits = |totals: &[f64]| totals.iter().map(|total| total.to_bits()).collect();
            let expected = columns.iter().map(|column| bits(&plain(draws, column)));
            let expected: Vec<Vec<u64>> = expected.collect();
            let found = draws.totals(&columns.iter().collect::<Vec<_>>());
            let found: Vec<Vec<u64>> = found.iter().map(|totals| bits(totals)).collect();
            assert_eq!(found, expected, "{n_columns} columns");
        }
    }
}
