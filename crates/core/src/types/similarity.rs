//! Vectors: their form and their similarity.

use serde::{Deserialize, Serialize};

use crate::closed_set::closed_set;

closed_set! {
    /// Similarity metric; larger is nearer.
    Similarity {
        /// Cosine of the angle, -1 to 1. Qdrant normalises the vectors that it stores.
        Cosine = "cosine",
        /// Dot product, any number.
        Dot = "dot",
    }
}

/// Squared length up to which 32-bit floats hold the similarity of two vectors, a quarter of the largest: rounding and partial
/// sums stay below it.
const MOST_SQUARED: f64 = f32::MAX as f64 / 4.0;

impl Similarity {
    /// Returns true if 32-bit floats hold the similarity of `row` and any other such row. The dot product of two is at most the
    /// larger squared length (Cauchy and Schwarz). Qdrant does not normalise rows whose squared length is below `f32::EPSILON`, so
    /// that their cosine would be wrong; below the least float the dot product is 0. A row of zeros has no cosine, and its score is 0.
    #[must_use]
    pub fn can_compare(self, row: &[f32]) -> bool {
        let squared: f64 = row.iter().map(|x| f64::from(*x) * f64::from(*x)).sum();
        let least = match self {
            Self::Cosine if squared > 0.0 => f64::from(f32::EPSILON),
            Self::Dot if squared > 0.0 => f64::from(f32::MIN_POSITIVE),
            Self::Cosine | Self::Dot => 0.0,
        };
        (least..=MOST_SQUARED).contains(&squared)
    }
}

/// The form of the vectors that an encoder makes and a collection holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VectorShape {
    /// Numbers of a vector.
    pub dimension: usize,
    /// True if a text has several concatenated vectors (one per token) instead of one.
    pub many: bool,
    /// The similarity of two vectors. Sets of vectors are compared by `MaxSim` over it: for each vector of the question the
    /// similarity of the nearest one of the chunk, summed (Khattab and Zaharia 2020).
    pub similarity: Similarity,
}

/// The HNSW graph of a collection (Malkov and Yashunin 2016), in Qdrant's words and with its defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hnsw {
    /// Edges per node.
    pub m: usize,
    /// Neighbours considered while building.
    pub ef_construct: usize,
    /// Neighbours considered while searching.
    pub ef: usize,
}

impl Default for Hnsw {
    fn default() -> Self {
        Self { m: 16, ef_construct: 100, ef: 100 }
    }
}

impl VectorShape {
    /// Returns true if a text's vector may have this many numbers.
    #[must_use]
    pub fn fits(self, n_numbers: usize) -> bool {
        if self.many {
            n_numbers > 0 && n_numbers.is_multiple_of(self.dimension)
        } else {
            n_numbers == self.dimension
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_compared_where_its_squared_length_fits_32_bits() {
        let compared = |row: &[f32]| Similarity::ALL.map(|similarity| similarity.can_compare(row));
        assert_eq!(compared(&[3.0, 4.0]), [true, true]);
        assert_eq!(compared(&[0.0, 0.0]), [true, true]);
        // The squares are 9e76, and 4 times 6.4e37 = 2.6e38 where a quarter of 3.4e38 is 8.5e37; 8.1e37 is less.
        assert_eq!(compared(&[3e38, 1.0]), [false, false]);
        assert_eq!(compared(&[8e18; 4]), [false, false]);
        assert_eq!(compared(&[4.5e18; 4]), [true, true]);
        // 1e-8 is below 2^-23 = 1.2e-7, 1e-6 is not.
        assert_eq!(compared(&[1e-4, 0.0]), [false, true]);
        assert_eq!(compared(&[1e-3, 0.0]), [true, true]);
        // 1e-40 is below 1.2e-38.
        assert_eq!(compared(&[1e-20, 0.0]), [false, false]);
    }
}
