//! Configuration of a vector collection: graph, quantization, placement.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::schema::{OutOfRange, check_ranges};

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
        /// Minimum number of points for a graph; smaller collections are scanned, which is exact.
        from_points: usize = 100_000,
    }
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
    // Off. 0.99 is the quantile, and 2 the oversampling, of the examples in Qdrant's guide to quantization.
    #[derive(Copy)]
    Quantization {
        /// `none` (the default), `scalar` or `binary`. The other fields apply to compressed vectors only.
        kind: QuantizationKind = QuantizationKind::None,
        /// For `scalar`: share of components within the range of the byte, 0.5 to 1; values outside are clipped.
        #[schemars(range(min = 0.5, max = 1.0))]
        quantile: f64 = 0.99,
        /// Keep the compressed vectors in memory even if the original vectors are on disk.
        always_ram: bool = true,
        /// Score the best hits again with the original vectors.
        rescore: bool = true,
        /// Factor of hits to find with compressed vectors before rescoring, at least 1.
        #[schemars(range(min = 1.0))]
        oversampling: f64 = 2.0,
    }
}

table! {
    /// Distribution of a collection over the machines of a server. Unset values are the server's choice. Has no effect in the
    /// embedded store.
    #[derive(Copy, Eq)]
    Placement {
        /// Shards per collection, at least 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        shards: Option<u32>,
        /// Replicas per shard, at least 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        replicas: Option<u32>,
        /// Replicas that must confirm a write, at least 1.
        #[serde(skip_serializing_if = "Option::is_none")]
        write_consistency: Option<u32>,
    }
}

impl Hnsw {
    /// Refuses a value outside its range.
    pub fn check(self) -> Result<(), OutOfRange> {
        check_ranges("vector_store.hnsw", &self)
    }
}

impl Quantization {
    /// Refuses a value outside its range.
    pub fn check(self) -> Result<(), OutOfRange> {
        check_ranges("vector_store.quantization", &self)
    }
}

impl Placement {
    /// Refuses a value outside its range.
    pub fn check(self) -> Result<(), OutOfRange> {
        check_ranges("vector_store", &self)
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

    #[test]
    fn what_qdrant_would_refuse_is_refused_by_the_name_of_its_setting() {
        let text = |result: Result<(), OutOfRange>| result.expect_err("refused").to_string();
        let hnsw = Hnsw { ef_construct: 3, ..Hnsw::default() };
        assert_eq!(text(hnsw.check()), "`vector_store.hnsw.ef_construct` is 3, must be at least 4");
        for quantile in [0.4, 1.1, f64::NAN] {
            assert!(
                Quantization { quantile, ..Quantization::default() }.check().is_err(),
                "{quantile}"
            );
        }
        for oversampling in [0.5, f64::INFINITY, f64::NAN] {
            assert!(
                Quantization { oversampling, ..Quantization::default() }.check().is_err(),
                "{oversampling}"
            );
        }
        let placement = Placement { replicas: Some(0), ..Placement::default() };
        assert_eq!(text(placement.check()), "`vector_store.replicas` is 0, must be 1 to 1024");
    }
}
