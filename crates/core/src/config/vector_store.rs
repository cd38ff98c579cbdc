//! How a collection trades exactness, speed, memory and machines: graph, quantization, placement.
//!
//! These are settings types too: every field has a default, unknown ones are refused.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{OutOfRange, check_ranges};

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

impl Hnsw {
    /// Refuses a value outside its range.
    pub fn check(self) -> Result<(), OutOfRange> {
        check_ranges("vector_store.hnsw", &self)
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

impl Quantization {
    /// Refuses a value outside its range.
    pub fn check(self) -> Result<(), OutOfRange> {
        check_ranges("vector_store.quantization", &self)
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
        assert_eq!(
            hnsw,
            Hnsw {
                ef: 200,
                ..Hnsw::default()
            }
        );
        let scalar: Quantization =
            toml::from_str("kind = \"scalar\"").expect("the rest by default");
        assert_eq!(
            scalar,
            Quantization {
                kind: QuantizationKind::Scalar,
                ..Quantization::default()
            }
        );
        assert!(toml::from_str::<Hnsw>("efs = 200").is_err());
        assert!(toml::from_str::<Quantization>("kind = \"binary\"").is_err());
    }

    #[test]
    fn what_qdrant_would_refuse_is_refused_by_the_name_of_its_setting() {
        let text = |result: Result<(), OutOfRange>| result.expect_err("refused").to_string();
        let hnsw = Hnsw {
            ef_construct: 3,
            ..Hnsw::default()
        };
        assert_eq!(
            text(hnsw.check()),
            "`vector_store.hnsw.ef_construct` is 3, must be at least 4"
        );
        for quantile in [0.4, 1.1, f64::NAN] {
            assert!(
                Quantization {
                    quantile,
                    ..Quantization::default()
                }
                .check()
                .is_err(),
                "{quantile}"
            );
        }
        for oversampling in [0.5, f64::INFINITY, f64::NAN] {
            assert!(
                Quantization {
                    oversampling,
                    ..Quantization::default()
                }
                .check()
                .is_err(),
                "{oversampling}"
            );
        }
        let placement = Placement {
            replicas: Some(0),
            ..Placement::default()
        };
        assert_eq!(
            text(placement.check()),
            "`vector_store.replicas` is 0, must be 1 to 1024"
        );
    }
}
