//! Shingles: the set of a text's word n-grams, and the similarity of two such sets.
//!
//! As in Manning, Raghavan, Schütze, "Introduction to Information Retrieval" (2008), section 19.6, after Broder, "On
//! the resemblance and containment of documents" (1997). Words are separated by white space.

use std::cmp::Ordering;
use std::hash::{DefaultHasher, Hash, Hasher};

/// Returns the hashes of the runs of `width` words of `text`, ascending and distinct; a text of fewer words is one
/// shingle.
#[must_use]
pub fn shingles(text: &str, width: usize) -> Vec<u64> {
    let words: Vec<u64> = text.split_whitespace().map(hash).collect();
    let mut shingles: Vec<u64> = if words.len() < width {
        vec![joined(&words)]
    } else {
        words.windows(width).map(joined).collect()
    };
    shingles.sort_unstable();
    shingles.dedup();
    shingles
}

/// Returns the Jaccard coefficient of two sets of [`shingles`]: those in common over all; 1 for two empty ones.
#[must_use]
pub fn jaccard(a: &[u64], b: &[u64]) -> f64 {
    let (mut i, mut j, mut shared) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        let order = x.cmp(y);
        shared += usize::from(order == Ordering::Equal);
        i += usize::from(order != Ordering::Greater);
        j += usize::from(order != Ordering::Less);
    }
    let all = a.len() + b.len() - shared;
    if all == 0 { 1.0 } else { shared as f64 / all as f64 }
}

/// Hashes a word, for one process.
pub(crate) fn hash(word: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    word.hash(&mut hasher);
    hasher.finish()
}

/// Combines the hashes of a run's words in their order, which costs a fraction of hashing the run: a word is in `width` runs. The
/// factor is that of Knuth's linear congruential generator MMIX.
fn joined(words: &[u64]) -> u64 {
    words.iter().fold(words.len() as u64, |run, word| {
        run.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(*word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(a: &str, b: &str, width: usize) -> f64 {
        jaccard(&shingles(a, width), &shingles(b, width))
    }

    #[test]
    fn the_coefficient_is_shared_over_all() {
        // abc bcd cde against abc bcd cdX: 2 shared of 4. Repeated runs count once.
        assert_eq!(alike("a b c d e", "a b  c d X", 3), 0.5);
        assert_eq!(alike("a b a b a b", "a b a", 2), 1.0);
        assert_eq!(alike("a b", "a b", 4), 1.0);
        assert_eq!(alike("a b", "b a", 4), 0.0);
        assert_eq!(alike("", " ", 4), 1.0);
    }
}
