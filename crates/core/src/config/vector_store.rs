//! How a collection trades exactness, speed, memory and machines: graph, quantization, placement.
//!
//! These are settings types too: every field has a default, unknown ones are refused.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The HNSW graph (Malkov and Yashunin 2016) that approximate search follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Hnsw {
    /// Edges per node, at least 1. More find more and take more memory.
    #[schemars(range(min = 1))]
    pub m: usize,
    /// Neighbours looked at while building, at least 4.
    #[schemars(range(min = 4))]
    pub ef_construct: usize,
    /// Neighbours looked at while searching, at least 1; never fewer than the hits asked for.
    #[schemars(range(min = 1))]
    pub ef: usize,
    /// The graph is built for collections of at least so many points; smaller ones are scanned, which is exact.
    pub from_points: usize,
}

impl Default for Hnsw {
    /// `m`, `ef_construct` and `ef` as in Qdrant. Below 100,000 vectors a scan is fast enough: measured on
    /// 100,000 x 384, 7.5 ms a query, while the graph (then 1.2 ms a query) takes 70 s to build.
    fn default() -> Self {
        Self {
            m: 16,
            ef_construct: 100,
            ef: 100,
            from_points: 100_000,
        }
    }
}

/// Whether approximate search reads a compressed copy of the vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum QuantizationKind {
    /// The vectors themselves.
    #[default]
    None,
    /// A byte for each component: a quarter of the memory.
    Scalar,
}

/// Quantization of dense vectors and multivectors. Exact search ignores it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Quantization {
    /// `none` (the default) or `scalar`. The other fields matter to `scalar` alone.
    pub kind: QuantizationKind,
    /// The share of components that the byte's range covers, 0.5 to 1; what lies outside is cut off.
    #[schemars(range(min = 0.5, max = 1.0))]
    pub quantile: f64,
    /// Whether the compressed copy stays in memory when the vectors themselves do not.
    pub always_ram: bool,
    /// Whether the best hits are scored again with the vectors themselves.
    pub rescore: bool,
    /// How many times the hits asked for are found by the compressed copy before they are scored again, at least 1.
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

/// How a server spreads a collection over its machines. What is not given is the server's choice. Passed through as it
/// stands; the embedded store, which is one machine, has no use for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Placement {
    /// Into how many parts the points are divided, at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shards: Option<u32>,
    /// On how many machines each part lies, at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub replicas: Option<u32>,
    /// How many of them have to confirm a write, at least 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write_consistency: Option<u32>,
}
