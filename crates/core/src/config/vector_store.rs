//! Configuration of a vector collection: graph and quantization.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

table! {
    /// The HNSW graph (Malkov and Yashunin 2016) that approximate search follows.
    // `m`, `ef_construct` and `ef` as in Qdrant. Below 100,000 vectors a scan is fast enough: measured on
    // 100,000 x 384, 7.5 ms a query, while the graph (then 1.2 ms a query) takes 70 s to build.
    #[derive(Copy, Eq)]
    Hnsw {
        /// Edges per node, at least 1. More edges find more and take more memory.
        #[schemars(range(min = 1))]
        m: usize = 16,
        /// Neighbours considered while building, at least 4.
        #[schemars(range(min = 4))]
        ef_construct: usize = 100,
        /// Neighbours considered while searching, at least 1; never fewer than the requested hits.
        #[schemars(range(min = 1))]
        ef: usize = 100,
    }
}

impl Hnsw {
    /// Minimum number of points for a graph; smaller collections are scanned, which is exact.
    pub const FROM_POINTS: usize = 100_000;
}

/// The compression of vectors for approximate search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuantizationKind {
    /// Uncompressed vectors.
    #[default]
    None,
    /// One byte per component: a quarter of the memory.
    Scalar,
    /// One bit per component, its sign: 1/32 of the memory. It needs rescoring, and loses more the smaller the dimension.
    Binary,
}

impl QuantizationKind {
    /// Returns the name of the compressed components; `None` if nothing is compressed.
    #[must_use]
    pub const fn components(self) -> Option<&'static str> {
        match self {
            Self::None => None,
            Self::Scalar => Some("int8"),
            Self::Binary => Some("binary"),
        }
    }
}

table! {
    /// Quantization of dense vectors and multivectors. Exact search ignores it.
    // Off. 2 is the oversampling of the examples in Qdrant's guide to quantization.
    #[derive(Copy)]
    Quantization {
        /// `none` (the default), `scalar` or `binary`.
        kind: QuantizationKind = QuantizationKind::None,
        /// Factor of hits to find with compressed vectors, which the original vectors then score again; at least 1.
        #[schemars(range(min = 1.0))]
        oversampling: f64 = 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_defaults_and_refuse_what_they_do_not_know() {
        let hnsw: Hnsw = toml::from_str("ef = 200").expect("the rest by default");
        assert_eq!(hnsw, Hnsw { ef: 200, ..Hnsw::default() });
        let scalar: Quantization =
            toml::from_str("kind = \"scalar\"").expect("the rest by default");
        assert_eq!(
            scalar,
            Quantization { kind: QuantizationKind::Scalar, ..Quantization::default() }
        );
        assert!(toml::from_str::<Hnsw>("efs = 200").is_err());
        assert!(toml::from_str::<Quantization>("kind = \"ternary\"").is_err());
    }
}
