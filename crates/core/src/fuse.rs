//! Fusion of several rankings into one.
//!
//! Every method adds, over the rankings, a weight times a function of the chunk's rank or score; they differ in that
//! function. Left out: learned methods, and Qdrant's fusion, whose constants differ (ARCHITECTURE.md).

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::closed_set::closed_set;
use crate::types::{ChunkId, Hit, Ranking, RetrieverName};

/// The parts of a fused hit's score: each retriever's share, by its name.
pub type Parts = HashMap<ChunkId, BTreeMap<String, f64>>;

closed_set! {
    /// A fusion method.
    #[derive(Default)]
    FusionMethod {
        /// Reciprocal rank fusion (Cormack, Clarke, Büttcher 2009): 1 / (k + rank), ranks from 1. A chunk that a ranking
        /// lacks gets nothing from it.
        #[default]
        Rrf = "rrf",
        /// The weighted sum of normalised scores (`CombSUM` of Fox and Shaw 1994 with weights; "convex combination" in Bruch
        /// et al. 2023): (score - lowest) / (highest - lowest), in 0..=1; 1 for all where they are equal, as in `OpenSearch`. A chunk
        /// that a ranking lacks gets nothing from it.
        Weighted = "weighted",
    }
}

/// Fusion of the retrievers' rankings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Fusion {
    /// The fusion method.
    pub method: FusionMethod,
    /// The constant k of `rrf`, above 0; 60 in the paper. Ranks start at 1.
    #[schemars(range(min = 1e-9, max = 1e9))]
    pub k: f64,
    /// The weight of each retriever, at least 0: `{ bm25 = 0.3, dense = 0.7 }`. Default: 1 each.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    #[schemars(extend("additionalProperties" = serde_json::json!({"type": "number", "minimum": 0, "maximum": 1e9})))]
    pub weights: BTreeMap<RetrieverName, f64>,
}

impl Default for Fusion {
    fn default() -> Self {
        Self { method: FusionMethod::Rrf, k: 60.0, weights: BTreeMap::new() }
    }
}

impl Fusion {
    /// Returns all chunks of all rankings by the sum of their shares, with the shares by retriever. No rankings give an
    /// empty one.
    #[must_use]
    pub fn fuse(&self, rankings: &[(RetrieverName, Ranking)]) -> (Ranking, Parts) {
        let mut parts = Parts::new();
        for id in rankings.iter().flat_map(|(_, ranking)| ranking.ids()) {
            parts.entry(id.clone()).or_default();
        }
        for (name, ranking) in rankings {
            self.add(*name, ranking, &mut parts);
        }
        let hits = parts
            .iter()
            .map(|(id, shares)| Hit { id: id.clone(), score: shares.values().sum() })
            .collect();
        (Ranking::new(hits), parts)
    }

    /// Adds one ranking's shares to the chunks of all.
    fn add(&self, name: RetrieverName, ranking: &Ranking, parts: &mut Parts) {
        let weight = self.weights.get(&name).copied().unwrap_or(1.0);
        let values: Vec<f64> = match self.method {
            FusionMethod::Rrf => {
                (1..=ranking.len()).map(|rank| 1.0 / (self.k + rank as f64)).collect()
            }
            FusionMethod::Weighted => min_max(ranking),
        };
        for (id, value) in ranking.ids().zip(values) {
            let shares = parts.get_mut(id).expect("every chunk of every ranking has its entry");
            shares.insert(name.to_string(), weight * value);
        }
    }
}

/// Returns the normalised scores of a ranking's hits, in order.
fn min_max(ranking: &Ranking) -> Vec<f64> {
    let scores = || ranking.hits().iter().map(|hit| hit.score);
    let (Some(highest), Some(lowest)) = (scores().next(), scores().next_back()) else {
        return Vec::new();
    };
    if highest == lowest {
        return vec![1.0; ranking.len()];
    }
    scores().map(|score| (score - lowest) / (highest - lowest)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    use RetrieverName::{Bm25, Dense};

    fn rrf(weights: &[(RetrieverName, f64)]) -> Fusion {
        Fusion { weights: weights.iter().copied().collect(), ..Fusion::default() }
    }

    fn weighted(weights: &[(RetrieverName, f64)]) -> Fusion {
        Fusion { method: FusionMethod::Weighted, ..rrf(weights) }
    }

    fn scored(hits: &[(&str, f64)]) -> Ranking {
        Ranking::new(
            hits.iter().map(|(id, score)| Hit { id: (*id).into(), score: *score }).collect(),
        )
    }

    fn assert_fused(
        fusion: &Fusion,
        rankings: &[(RetrieverName, Ranking)],
        expected: &[(&str, f64)],
    ) {
        let fused = fusion.fuse(rankings).0;
        assert_eq!(
            fused.ids().map(ChunkId::as_str).collect::<Vec<_>>(),
            expected.iter().map(|e| e.0).collect::<Vec<_>>()
        );
        for (hit, (id, score)) in fused.hits().iter().zip(expected) {
            assert!((hit.score - score).abs() < 1e-12, "{id}: {} is not {score}", hit.score);
        }
    }

    #[test]
    fn shares_are_one_over_k_plus_rank_from_one() {
        let (bm25, dense) = (scored(&[("a", 9.0), ("b", 8.0)]), scored(&[("b", 0.9), ("c", 0.8)]));
        let rankings = [(Bm25, bm25), (Dense, dense)];
        assert_fused(
            &rrf(&[]),
            &rankings,
            &[("b", 1.0 / 62.0 + 1.0 / 61.0), ("a", 1.0 / 61.0), ("c", 1.0 / 62.0)],
        );
        let parts = rrf(&[]).fuse(&rankings).1;
        assert!((parts[&ChunkId::from("a")]["bm25"] - 1.0 / 61.0).abs() < 1e-15);
        assert_eq!(parts[&ChunkId::from("a")].len(), 1);
    }

    #[test]
    fn a_weight_multiplies_a_rankings_share() {
        let (bm25, dense) = (scored(&[("a", 9.0)]), scored(&[("b", 0.9)]));
        assert_fused(
            &rrf(&[(Bm25, 0.3), (Dense, 0.7)]),
            &[(Bm25, bm25), (Dense, dense)],
            &[("b", 0.7 / 61.0), ("a", 0.3 / 61.0)],
        );
    }

    #[test]
    fn min_max_runs_from_the_lowest_to_the_highest_score() {
        // bm25: (10 - 4)/8 = .75 for b, 12 is 1, 4 is 0. dense: .5 -> 1, .3 -> 0. c is missing there: 0.
        let (bm25, dense) =
            (scored(&[("a", 12.0), ("b", 10.0), ("c", 4.0)]), scored(&[("b", 0.5), ("a", 0.3)]));
        assert_fused(
            &weighted(&[(Bm25, 0.4), (Dense, 0.6)]),
            &[(Bm25, bm25), (Dense, dense)],
            &[("b", 0.4 * 0.75 + 0.6), ("a", 0.4), ("c", 0.0)],
        );
    }

    #[test]
    fn equal_scores_are_all_the_highest() {
        let one = [(Bm25, scored(&[("a", 3.0), ("b", 3.0)]))];
        assert_fused(&weighted(&[]), &one, &[("b", 1.0), ("a", 1.0)]);
    }

    #[test]
    fn equal_sums_tie_by_id_descending() {
        let (a, b) = (scored(&[("a", 1.0)]), scored(&[("b", 1.0)]));
        assert_fused(&rrf(&[]), &[(Bm25, a), (Dense, b)], &[("b", 1.0 / 61.0), ("a", 1.0 / 61.0)]);
    }

    #[test]
    fn nothing_fuses_to_nothing() {
        for fusion in [rrf(&[]), weighted(&[])] {
            assert!(fusion.fuse(&[]).0.is_empty());
            assert!(fusion.fuse(&[(Bm25, Ranking::default())]).0.is_empty());
        }
    }
}
