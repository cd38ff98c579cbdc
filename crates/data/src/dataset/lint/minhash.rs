//! Finds similar sets without comparing all pairs: `MinHash` with banding.
//!
//! A set's signature is, for each of 128 seeded hash functions, the minimum hash of its members; two sets agree in a position
//! with a probability equal to their Jaccard coefficient s (Broder, "On the resemblance and containment of documents", 1997).
//! Signatures are split into 32 bands of 4 positions; sets that agree in all positions of some band are candidates (Leskovec,
//! Rajaraman, Ullman, "Mining of Massive Datasets", section 3.4): a pair is found with probability 1 - (1 - s^4)^32. At s =
//! .8 that is 1 - .5904^32 = 1 - 4.7e-8 = .99999995, at .6 it is 1 - .8704^32 = .99, at .3 1 - .9919^32 = .23. The caller
//! compares candidates exactly.

use std::array;

use rayon::iter::{IntoParallelIterator, IntoParallelRefIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;

use ragtriage_core::stats::random::Random;

const BANDS: usize = 32;
const ROWS: usize = 4;
const SEED: u64 = 0;

/// Maximum number of preceding sets of the same band that a set is compared with. Where thousands are alike (repeated forms)
/// comparing each pair would be quadratic, and a few partners suffice.
const MOST_COMPARED: usize = 8;

/// Returns candidate pairs of indexes of `sets`, the lower first, ascending. Members are hashes already.
#[must_use]
pub fn candidates(sets: &[Vec<u64>]) -> Vec<(usize, usize)> {
    let functions = Functions::new();
    let signatures: Vec<Signature> = sets.par_iter().map(|set| functions.signature(set)).collect();
    let bands = (0..BANDS).into_par_iter();
    let mut found: Vec<(usize, usize)> =
        bands.flat_map_iter(|band| agreeing(&signatures, band)).collect();
    found.par_sort_unstable();
    found.dedup();
    found
}

/// Returns the pairs that agree in all positions of a band.
fn agreeing(signatures: &[Signature], band: usize) -> Vec<(usize, usize)> {
    let numbered = signatures.iter().enumerate();
    let mut rows: Vec<([u32; ROWS], usize)> =
        numbered.map(|(number, signature)| (signature[band], number)).collect();
    rows.sort_unstable();
    let alike = rows.chunk_by(|(a, _), (b, _)| a == b);
    alike.flat_map(pairs).collect()
}

/// Pairs each member of a bucket with the nearest preceding ones.
fn pairs(bucket: &[([u32; ROWS], usize)]) -> impl Iterator<Item = (usize, usize)> {
    bucket.iter().enumerate().flat_map(move |(at, (_, later))| {
        bucket[at.saturating_sub(MOST_COMPARED)..at].iter().map(|(_, earlier)| (*earlier, *later))
    })
}

type Signature = [[u32; ROWS]; BANDS];

/// x -> the upper half of a x + b modulo 2^64, a odd (Dietzfelbinger 1996): nearly min-wise on hashed members.
struct Functions([[(u64, u64); ROWS]; BANDS]);

impl Functions {
    fn new() -> Self {
        let mut random = Random::new(SEED);
        Self(array::from_fn(|_| array::from_fn(|_| (random.next_u64() | 1, random.next_u64()))))
    }

    fn signature(&self, set: &[u64]) -> Signature {
        self.0.map(|band| band.map(|function| least(set, function)))
    }
}

fn least(set: &[u64], (a, b): (u64, u64)) -> u32 {
    set.iter().map(|x| (x.wrapping_mul(a).wrapping_add(b) >> 32) as u32).min().unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_core::text::shingles::jaccard;

    /// Returns `n` random members, ascending.
    fn drawn(random: &mut Random, n: usize) -> Vec<u64> {
        let mut set: Vec<u64> = (0..n).map(|_| random.next_u64()).collect();
        set.sort_unstable();
        set
    }

    #[test]
    fn the_share_of_equal_places_is_the_coefficient() {
        let (functions, mut random) = (Functions::new(), Random::new(1));
        // 60 shared of 100 in all: .6. The mean of 20 x 128 places has a standard error of sqrt(.24 / 2560) = .0097.
        let mut agreeing = 0;
        for _ in 0..20 {
            let all = drawn(&mut random, 100);
            let (a, b) = (functions.signature(&all[..80]), functions.signature(&all[20..]));
            agreeing +=
                a.as_flattened().iter().zip(b.as_flattened()).filter(|(x, y)| x == y).count();
        }
        assert!((agreeing as f64 / 2560.0 - 0.6).abs() < 0.04, "{agreeing}");
    }

    #[test]
    fn alike_sets_are_candidates_and_strangers_are_not() {
        let mut random = Random::new(2);
        let mut sets: Vec<Vec<u64>> = (0..1000).map(|_| drawn(&mut random, 100)).collect();
        // Set 1000 + i shares 90 of 110 members with set i: .82.
        for i in 0..50 {
            let mut near = sets[i][..90].to_vec();
            near.extend(drawn(&mut random, 10));
            near.sort_unstable();
            sets.push(near);
        }
        let found = candidates(&sets);
        assert!((0..50).all(|i| found.contains(&(i, 1000 + i))));
        let strangers = found.iter().filter(|(a, b)| jaccard(&sets[*a], &sets[*b]) < 0.1).count();
        assert_eq!(strangers, 0, "1 - (1 - .1^4)^32 is .003, and these share nothing");
    }

    #[test]
    fn a_thousand_alike_are_not_half_a_million_pairs() {
        let mut random = Random::new(3);
        let form = drawn(&mut random, 100);
        let filled = |_| [form[..95].to_vec(), drawn(&mut random, 5)].concat();
        let sets: Vec<Vec<u64>> = (0..1000).map(filled).collect();
        let found = candidates(&sets);
        assert!(found.len() <= 1000 * BANDS * MOST_COMPARED, "{}", found.len());
        assert!(
            (1..1000).all(|later| found.iter().any(|pair| pair.1 == later)),
            "each has a partner before it"
        );
    }

    #[test]
    fn empty_sets_are_candidates_of_one_another_only() {
        assert_eq!(candidates(&[vec![1, 2, 3], vec![], vec![]]), [(1, 2)]);
        assert_eq!(candidates(&[]), []);
    }
}
