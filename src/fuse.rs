//! Floor 2, fusion: several rankings made one.

use std::collections::{BTreeMap, HashMap};

use crate::types::{ChunkId, Hit, Ranking};

/// What a fused hit's score is made of: each retriever's share, by its name.
pub type Parts = HashMap<ChunkId, BTreeMap<String, f64>>;

/// Reciprocal rank fusion (Cormack, Clarke, Büttcher 2009): the sum over rankings of 1 / (k + rank), ranks from 1.
///
/// `k` > 0 (the paper's and our default: 60). A chunk that a ranking lacks gets nothing from it. Returns all chunks of all
/// rankings with the shares by name.
#[must_use]
pub fn reciprocal_rank(rankings: &[(&str, &Ranking)], k: f64) -> (Ranking, Parts) {
    let mut parts = Parts::new();
    for (name, ranking) in rankings {
        for (at, hit) in ranking.hits().iter().enumerate() {
            let share = 1.0 / (k + (at + 1) as f64);
            parts.entry(hit.id.clone()).or_default().insert((*name).to_owned(), share);
        }
    }
    let hits = parts.iter().map(|(id, shares)| Hit { id: id.clone(), score: shares.values().sum() }).collect();
    (Ranking::new(hits), parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranking(ids: &[&str]) -> Ranking {
        Ranking::new(ids.iter().enumerate().map(|(at, id)| Hit { id: (*id).into(), score: -(at as f64) }).collect())
    }

    #[test]
    fn shares_are_one_over_k_plus_rank_from_one() {
        let (fused, parts) =
            reciprocal_rank(&[("bm25", &ranking(&["a", "b"])), ("dense", &ranking(&["b", "c"]))], 60.0);
        // b: 1/62 + 1/61; a: 1/61; c: 1/62.
        let ids: Vec<&str> = fused.ids().map(ChunkId::as_str).collect();
        assert_eq!(ids, ["b", "a", "c"]);
        assert!((fused.hits()[0].score - (1.0 / 62.0 + 1.0 / 61.0)).abs() < 1e-15);
        assert!((parts[&ChunkId::from("a")]["bm25"] - 1.0 / 61.0).abs() < 1e-15);
    }

    #[test]
    fn equal_sums_tie_by_id_descending() {
        let (fused, _) = reciprocal_rank(&[("bm25", &ranking(&["a"])), ("dense", &ranking(&["b"]))], 60.0);
        assert_eq!(fused.hits()[0].id.as_str(), "b");
    }

    #[test]
    fn nothing_fuses_to_nothing() {
        assert!(reciprocal_rank(&[], 60.0).0.is_empty());
    }
}
