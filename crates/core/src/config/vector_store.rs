//! Configuration of a vector collection: graph, quantization, placement.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The HNSW graph (Malkov and Yashunin 2016) that approximate search follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Hnsw {
    /// Edges per node, at least 1. More edges find more and take more memory.
    #[schemars(range(min = 1))]
    pub m: usize,
    /// Neighbours considered while building, at least 4.
    #[schemars(range(min = 4))]
    pub ef_construct: usize,
    /// Neighbours considered while searching, at least 1; never fewer than the requested hits.
    #[schemars(range(min = 1))]
    pub ef: usize,
    /// Minimum number of points for a graph; smaller collections are scanned, which is exact.
    pub from_points: usize,
}

impl Default for Hnsw {
    /// `m`, `ef_construct` and `ef` as in Qdrant. Below 100,000 vectors a scan is fast enough: measured on
    /// 100,000 x 384, 7.5 ms a query, while the graph (then 1.2 ms a query) takes 70 s to build.
    fn default() -> Self {
        Self { m: 16, ef_construct: 100, ef: 100, from_points: 100_000 }
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

/// Quantization of dense vectors and multivectors. Exact search ignores it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Quantization {
    /// `none` (the default), `scalar` or `binary`. The other fields apply to compressed vectors only.
    pub kind: QuantizationKind,
    /// For `scalar`: share of components within the range of the byte, 0.5 to 1; values outside are clipped.
    #[schemars(range(min = 0.5, max = 1.0))]
    pub quantile: f64,
    /// Keep the compressed vectors in memory even if the original vectors are on disk.
    pub always_ram: bool,
    /// Score the best hits again with the original vectors.
    pub rescore: bool,
    /// Factor of hits to find with compressed vectors before rescoring, at least 1.
    #[schemars(range(min = 1.0))]
    pub oversampling: f64,
}

impl Default for Quantization {
    /// Off. 0.99 is the quantile, and 2 the oversampling, of the examples in Qdrant's guide to quantization.
    fn default() -> Self {
        Self {
            kind: QuantizationKind::None,
            quantile: 0.99,
            always_ram: true,
            rescore: true,
            oversampling: 2.0,
        }
    }
}

/// Distribution of a collection over the machines of a server. Unset values are the server's choice. Has no effect in the
/// embedded store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Placement {
    /// Shards per collection, at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shards: Option<u32>,
    /// Replicas per shard, at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<u32>,
    /// Replicas that must confirm a write, at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_consistency: Option<u32>,
}
