//! A vector of a chunk or a question, its specification, and the check that both fit.
//!
//! Every store checks with these functions before it writes or searches, so that a bad vector gets the same error from
//! the embedded engine and from a server, and is never partly written.

use ragtriage_core::types::Similarity;

use super::error::IndexError;
use ragtriage_core::config::OutOfRange;

/// Qdrant's limit for dense vectors (`lib/api`, `validate(range(min = 1, max = 65536))`).
const MAX_DIMENSION: usize = 65_536;

/// Qdrant's limit for the components of a multivector (`MAX_MULTIVECTOR_FLATTENED_LEN`).
const MAX_COMPONENTS: usize = 1 << 20;

/// Kind of a collection's vectors, and their similarity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VectorSpec {
    /// One row of `dimension` components.
    Dense {
        /// Components of the row, 1 to 65,536.
        dimension: usize,
        /// Similarity of two rows.
        similarity: Similarity,
    },
    /// Several rows (one per token), compared by `MaxSim`: for each row of the question the similarity of the nearest
    /// row of the chunk, summed over the question's rows (Khattab and Zaharia 2020).
    Multi {
        /// Components of a row, 1 to 65,536.
        dimension: usize,
        /// Similarity of two rows.
        similarity: Similarity,
    },
}

/// A chunk's or a question's vector.
#[derive(Clone, Debug, PartialEq)]
pub enum Vector {
    /// One row.
    Dense(Vec<f32>),
    /// Rows one after another, at least one.
    Multi(Vec<f32>),
}

impl Vector {
    /// Returns its approximate size on the wire.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Dense(values) | Self::Multi(values) => size_of_val(values.as_slice()),
        }
    }

    fn kind(&self) -> &'static str {
        match self {
            Self::Dense(_) => "dense",
            Self::Multi(_) => "multi",
        }
    }
}

impl VectorSpec {
    /// Describes it for errors: `384 dimensions, cosine`.
    pub(super) fn describe(self) -> String {
        match self {
            Self::Dense { dimension, similarity } => {
                format!("{dimension} dimensions, {similarity}")
            }
            Self::Multi { dimension, similarity } => {
                format!("rows of {dimension} dimensions, {similarity}, MaxSim")
            }
        }
    }

    /// Rejects specifications that no engine could create.
    pub(super) fn check(self) -> Result<(), IndexError> {
        match self {
            Self::Dense { dimension, .. } | Self::Multi { dimension, .. }
                if !(1..=MAX_DIMENSION).contains(&dimension) =>
            {
                Err(OutOfRange {
                    name: "dimension".into(),
                    value: dimension.to_string(),
                    problem: "must be 1 to 65,536".into(),
                }
                .into())
            }
            Self::Dense { .. } | Self::Multi { .. } => Ok(()),
        }
    }

    /// Rejects a vector that does not belong in collection `collection`. `of` names its owner.
    pub(super) fn check_vector(
        self,
        vector: &Vector,
        of: &str,
        collection: &str,
    ) -> Result<(), IndexError> {
        let malformed = |what| Err(IndexError::Malformed { of: of.to_owned(), what });
        let (values, width, similarity) = match (self, vector) {
            (Self::Dense { dimension, similarity }, Vector::Dense(row)) => {
                if row.len() != dimension {
                    return Err(IndexError::Dimension {
                        of: of.to_owned(),
                        found: row.len(),
                        collection: collection.to_owned(),
                        wanted: dimension,
                    });
                }
                (row, dimension, similarity)
            }
            (Self::Multi { dimension, similarity }, Vector::Multi(rows)) => {
                if rows.is_empty() {
                    return malformed("has no row");
                }
                if rows.len() % dimension != 0 {
                    return malformed("is not a whole number of rows");
                }
                if rows.len() > MAX_COMPONENTS {
                    return malformed("has more than 1,048,576 components, Qdrant's limit");
                }
                (rows, dimension, similarity)
            }
            (wanted, found) => {
                return Err(IndexError::Kind {
                    of: of.to_owned(),
                    found: found.kind(),
                    collection: collection.to_owned(),
                    wanted: wanted.describe(),
                });
            }
        };
        if !values.iter().all(|value| value.is_finite()) {
            return malformed("has a component that is not finite");
        }
        if !values.chunks(width).all(|row| similarity.can_compare(row)) {
            return malformed("is too long or too short for scores of 32-bit floats");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DENSE: VectorSpec = VectorSpec::Dense { dimension: 3, similarity: Similarity::Cosine };
    const MULTI: VectorSpec = VectorSpec::Multi { dimension: 2, similarity: Similarity::Dot };

    fn refused(spec: VectorSpec, vector: &Vector) -> String {
        spec.check_vector(vector, "a#0", "00ff").expect_err("refused").to_string()
    }

    #[test]
    fn a_dense_vector_has_the_dimension_and_is_finite() {
        DENSE.check_vector(&Vector::Dense(vec![1.0, 2.0, 3.0]), "a#0", "00ff").expect("accepted");
        let short = refused(DENSE, &Vector::Dense(vec![1.0, 2.0]));
        assert_eq!(short, "the vector of `a#0` has 2 dimensions, but collection `00ff` has 3");
        for value in [3e38, 1e-20] {
            let extreme = refused(DENSE, &Vector::Dense(vec![value; 3]));
            assert!(
                extreme.ends_with("`a#0` is too long or too short for scores of 32-bit floats")
            );
        }
        let nan = refused(DENSE, &Vector::Dense(vec![1.0, f32::NAN, 0.0]));
        assert_eq!(nan, "the vector of `a#0` has a component that is not finite");
    }

    #[test]
    fn a_multivector_has_whole_rows_and_at_least_one() {
        MULTI.check_vector(&Vector::Multi(vec![0.0; 6]), "a#0", "00ff").expect("three rows");
        assert_eq!(refused(MULTI, &Vector::Multi(vec![])), "the vector of `a#0` has no row");
        assert_eq!(
            refused(MULTI, &Vector::Multi(vec![1.0; 3])),
            "the vector of `a#0` is not a whole number of rows"
        );
        let long = refused(MULTI, &Vector::Multi(vec![0.0; MAX_COMPONENTS + 2]));
        assert!(long.ends_with("has more than 1,048,576 components, Qdrant's limit"), "{long}");
    }

    #[test]
    fn a_vector_of_another_kind_is_refused_by_both_names() {
        let error = refused(DENSE, &Vector::Multi(vec![1.0; 3]));
        assert_eq!(
            error,
            "the vector of `a#0` is multi, but collection `00ff` holds 3 dimensions, cosine"
        );
    }
}
