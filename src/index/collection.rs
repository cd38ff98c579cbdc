//! What a vector collection is, before any engine makes it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::error::IndexError;

/// What similarity is; larger is nearer in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Distance {
    /// The cosine of the angle, -1 to 1. Qdrant normalises the vectors that it stores.
    Cosine,
    /// The dot product, any number.
    Dot,
}

impl Distance {
    /// Every member, in the order of the documentation.
    pub const ALL: [Self; 2] = [Self::Cosine, Self::Dot];

    /// Its name in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Cosine => "cosine",
            Self::Dot => "dot",
        }
    }
}

/// The settings of the HNSW graph (Malkov and Yashunin 2016) that `SearchMode::Approximate` follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Hnsw {
    /// Edges per node.
    pub m: usize,
    /// Neighbours looked at while building.
    pub ef_construct: usize,
    /// The graph is built for collections of at least so many points; smaller ones are scanned.
    pub from_points: usize,
}

impl Default for Hnsw {
    /// `m` and `ef_construct` as in Qdrant. Below 100,000 vectors a scan is fast enough: measured on 100,000 x 384,
    /// 7.5 ms a query, while the graph (then 1.2 ms a query) takes 70 s to build.
    fn default() -> Self {
        Self { m: 16, ef_construct: 100, from_points: 100_000 }
    }
}

/// What is asked of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectionSpec {
    /// The hash of everything that decides its points, in lower-case hex.
    pub name: String,
    /// Components per vector.
    pub dimension: usize,
    /// What similarity is.
    pub distance: Distance,
    /// How many points it holds when whole.
    pub expected_points: usize,
    /// `None`: never build a graph, whatever the size.
    pub hnsw: Option<Hnsw>,
}

impl CollectionSpec {
    /// The graph's settings where one has to be built.
    pub(super) fn graph(&self) -> Option<Hnsw> {
        self.hnsw.filter(|hnsw| self.expected_points >= hnsw.from_points.max(1))
    }

    /// `384 dimensions, cosine`.
    pub(super) fn shape(&self) -> String {
        shape(self.dimension, self.distance.name())
    }

    /// Refuses what no engine could make, or what could leave the cache's folder.
    pub(super) fn check(&self) -> Result<(), IndexError> {
        let refuse = |name, value: String, wanted| Err(IndexError::Parameter { name, value, wanted });
        let is_hex = self.name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if self.name.is_empty() || self.name.len() > 128 || !is_hex {
            return refuse("collection name", self.name.clone(), "a hash in lower-case hex, 1 to 128 digits");
        }
        // 65,536 is Qdrant's own limit for dense vectors.
        if !(1..=65_536).contains(&self.dimension) {
            return refuse("dimension", self.dimension.to_string(), "1 to 65,536");
        }
        match self.hnsw {
            Some(hnsw) if hnsw.m == 0 => refuse("vector_store.hnsw.m", "0".to_owned(), "at least 1"),
            // 4 is the least that Qdrant accepts.
            Some(hnsw) if hnsw.ef_construct < 4 => {
                refuse("vector_store.hnsw.ef_construct", hnsw.ef_construct.to_string(), "at least 4")
            }
            _ => Ok(()),
        }
    }

    /// Refuses a vector that does not belong in the collection. `of` says whose it is.
    pub(super) fn check_vector(&self, vector: &[f32], of: &str) -> Result<(), IndexError> {
        if vector.len() != self.dimension {
            return Err(IndexError::Dimension {
                of: of.to_owned(),
                found: vector.len(),
                collection: self.name.clone(),
                wanted: self.dimension,
            });
        }
        if vector.iter().all(|component| component.is_finite()) {
            Ok(())
        } else {
            Err(IndexError::NotFinite { of: of.to_owned() })
        }
    }
}

/// Dimension and distance in words, for errors.
pub(super) fn shape(dimension: usize, distance: &str) -> String {
    format!("{dimension} dimensions, {distance}")
}

/// Whose vector a search's is, in errors.
pub(super) const QUESTION: &str = "the question";

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> CollectionSpec {
        CollectionSpec {
            name: "00ff".to_owned(),
            dimension: 3,
            distance: Distance::Cosine,
            expected_points: 10,
            hnsw: Some(Hnsw::default()),
        }
    }

    #[test]
    fn a_name_that_is_no_hash_cannot_leave_the_cache_folder() {
        for name in ["", "../x", "FF", "a/b"] {
            let error = CollectionSpec { name: name.to_owned(), ..spec() }.check().expect_err("refused");
            assert!(error.to_string().starts_with(&format!("`collection name` is `{name}`")), "{error}");
        }
        spec().check().expect("hex is accepted");
    }

    #[test]
    fn a_small_collection_gets_no_graph() {
        assert_eq!(spec().graph(), None);
        assert_eq!(CollectionSpec { expected_points: 100_000, ..spec() }.graph(), Some(Hnsw::default()));
        assert_eq!(CollectionSpec { expected_points: 100_000, hnsw: None, ..spec() }.graph(), None);
    }

    #[test]
    fn a_vector_that_does_not_belong_is_refused_by_name() {
        let short = spec().check_vector(&[1.0, 2.0], "a#0").expect_err("too short");
        assert_eq!(short.to_string(), "the vector of `a#0` has 2 dimensions, but collection `00ff` has 3");
        let nan = spec().check_vector(&[1.0, f32::NAN, 0.0], "a#1").expect_err("not a number");
        assert_eq!(nan.to_string(), "the vector of `a#1` has a component that is not finite");
    }

    #[test]
    fn a_distance_is_written_in_settings_by_its_name() {
        for distance in Distance::ALL {
            assert_eq!(serde_json::to_value(distance).expect("serialises"), distance.name());
        }
    }
}
