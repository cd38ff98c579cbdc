//! Definition of a vector collection, independent of the engine: its content, its layout, and the name derived from
//! both.
//!
//! Every store checks vectors with these functions before it writes or searches, so that a bad one gets the same error from
//! the embedded engine and from a server, and is never partly written.

use sha2::{Digest, Sha256};

use super::{Error, Point, VectorSearch, error};
use ragtriage_core::text::hex::hex;
use ragtriage_core::types::VectorShape;

/// Incremented whenever stored points change in meaning; older collections are then ignored and new ones created.
const FORMAT: u32 = 3;

/// Qdrant's limit for dense vectors (`lib/api`, `validate(range(min = 1, max = 65536))`).
const MAX_DIMENSION: usize = 65_536;

/// Qdrant's limit for the components of a multivector (`MAX_MULTIVECTOR_FLATTENED_LEN`).
const MAX_COMPONENTS: usize = 1 << 20;

/// Parameters of a collection.
#[derive(Clone, Debug, PartialEq)]
pub struct CollectionSpec {
    /// Hash of everything that decides its points, in lower-case hex: texts and encoder.
    pub content: String,
    /// Name of the one vector that each point has: `dense`, `late_interaction`.
    pub vector_name: String,
    /// Form of that vector; 1 to 65,536 components a row.
    pub vector: VectorShape,
    /// Number of points when complete; they are numbered from 0.
    pub expected_points: usize,
}

impl CollectionSpec {
    /// Creates a specification.
    #[must_use]
    pub fn new(
        content: String,
        vector_name: &str,
        vector: VectorShape,
        expected_points: usize,
    ) -> Self {
        Self { content, vector_name: vector_name.to_owned(), vector, expected_points }
    }

    /// Returns its name: the content's hash, then that of its layout.
    #[must_use]
    pub fn name(&self) -> String {
        let hash = Sha256::digest(self.layout());
        format!("{}-{}", self.content, hex(&hash[..8]))
    }

    /// Describes everything apart from the content that points depend on. It is hashed into the name, stored
    /// with the points, and shown when a collection of another layout has the name.
    pub(super) fn layout(&self) -> String {
        let VectorShape { dimension, many, similarity } = self.vector;
        let mut parts = vec![
            format!("format {FORMAT}"),
            format!("{} points", self.expected_points),
            format!("vector `{}` of {dimension} dimensions, {similarity}", self.vector_name),
        ];
        if many {
            parts.push("several a point, by MaxSim".to_owned());
        }
        parts.join(", ")
    }

    /// Rejects collections that no engine could create, or whose name could leave the cache's folder.
    pub(super) fn check(&self) -> Result<(), Error> {
        let Self { content, vector_name, vector, expected_points } = self;
        let is_name = |text: &str| {
            !text.is_empty()
                && text.bytes().all(|byte| matches!(byte, b'a'..=b'z' | b'_' | b'0'..=b'9'))
        };
        let problem = if !is_name(content) || !is_name(vector_name) {
            "its names must be made of a-z, 0-9 and _".to_owned()
        } else if !(1..=MAX_DIMENSION).contains(&vector.dimension) {
            format!("its vectors have {} dimensions, not 1 to 65,536", vector.dimension)
        } else if u32::try_from(*expected_points).is_err() {
            format!("it has {expected_points} points, not below 4,294,967,296")
        } else {
            return Ok(());
        };
        Err(error::permanent(format!("collection `{content}` cannot be made: {problem}")))
    }

    /// Rejects points that do not belong in the collection, before any is written.
    pub(super) fn check_points(&self, points: &[Point]) -> Result<(), Error> {
        points.iter().try_for_each(|Point { number, vector }| {
            if *number as usize >= self.expected_points {
                return Err(error::permanent(format!(
                    "chunk {number} is beyond the {} points of collection `{}`",
                    self.expected_points,
                    self.name()
                )));
            }
            self.check_vector(vector, &format!("chunk {number}"))
        })
    }

    /// Rejects a question's vector that does not belong in the collection.
    pub(super) fn check_search(&self, search: &VectorSearch<'_>) -> Result<(), Error> {
        self.check_vector(search.vector, "the question")
    }

    /// `of` names the vector's owner.
    fn check_vector(&self, vector: &[f32], of: &str) -> Result<(), Error> {
        let VectorShape { dimension, similarity, .. } = self.vector;
        let problem = if !self.vector.fits(vector.len()) {
            format!(
                "has {} components, but collection `{}` has {dimension} dimensions",
                vector.len(),
                self.name()
            )
        } else if vector.len() > MAX_COMPONENTS {
            "has more than 1,048,576 components, Qdrant's limit".to_owned()
        } else if !vector.iter().all(|value| value.is_finite()) {
            "has a component that is not finite".to_owned()
        } else if !vector.chunks(dimension).all(|row| similarity.can_compare(row)) {
            "is too long or too short for scores of 32-bit floats".to_owned()
        } else {
            return Ok(());
        };
        Err(error::permanent(format!("the vector of {of} {problem}")).with_hint(
            "check `retrieval.dense.model`, and `retrieval.dense.query_model` if it is set: both must give vectors of one kind and dimension",
        ))
    }
}

#[cfg(test)]
mod tests;
