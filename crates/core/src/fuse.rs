//! Floor 2, fusion: several rankings made one.
//!
//! Every rule adds, over the rankings, a weight times what the ranking says of a chunk; they differ in that second
//! factor. Left out: rules that learn, and Qdrant's own fusion, whose constants differ (ARCHITECTURE.md).

use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::types::{ChunkId, Hit, Ranking};

/// What a fused hit's score is made of: each ranking's share, by its name.
pub type Parts = HashMap<ChunkId, BTreeMap<String, f64>>;

/// One ranking to be fused.
#[derive(Clone, Copy, Debug)]
pub struct Voice<'a> {
    /// Its name in the parts.
    pub name: &'a str,
    /// Its weight, finite and not negative; 1 where nobody set one.
    pub weight: f64,
    /// Its hits.
    pub ranking: &'a Ranking,
}

/// How rankings become one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fusion {
    /// Reciprocal rank fusion (Cormack, Clarke, Büttcher 2009): 1 / (k + rank), ranks from 1; `k` > 0, in the paper 60. A chunk
    /// that a ranking lacks gets nothing from it.
    ReciprocalRank {
        /// The constant.
        k: f64,
    },
    /// The sum of normalised scores (`CombSUM` of Fox and Shaw 1994 with weights; "convex combination" in Bruch et al. 2023).
    Weighted(Normalization),
}

/// How the scores of a ranking are made comparable with those of another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Normalization {
    /// (score - lowest) / (highest - lowest), in 0..=1; 1 for all where they are equal, as in `OpenSearch`. A chunk that the
    /// ranking lacks counts as its lowest: 0.
    #[default]
    MinMax,
    /// (score - mean) / standard deviation, of the population of its hits, as `zmuv` in ranx; 0 for all where they are equal.
    /// A chunk that the ranking lacks counts as its lowest (ranx: as its mean, so that not to be found is better than to be
    /// found late).
    ZScore,
}

impl Normalization {
    /// Its name in settings.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::MinMax => "min_max",
            Self::ZScore => "z_score",
        }
    }
}

impl Fusion {
    /// All chunks of all rankings by the sum of their shares, with the shares by name. No rankings give an empty one.
    #[must_use]
    pub fn fuse(self, voices: &[Voice<'_>]) -> (Ranking, Parts) {
        let mut parts = Parts::new();
        for id in voices.iter().flat_map(|voice| voice.ranking.ids()) {
            parts.entry(id.clone()).or_default();
        }
        for voice in voices {
            self.add(voice, &mut parts);
        }
        let hits = parts
            .iter()
            .map(|(id, shares)| Hit {
                id: id.clone(),
                score: shares.values().sum(),
            })
            .collect();
        (Ranking::new(hits), parts)
    }

    /// Adds one ranking's shares to the chunks of all.
    fn add(self, voice: &Voice<'_>, parts: &mut Parts) {
        let (values, missing) = match self {
            Self::ReciprocalRank { k } => (
                (1..=voice.ranking.len())
                    .map(|rank| 1.0 / (k + rank as f64))
                    .collect(),
                None,
            ),
            Self::Weighted(normalization) => normalization.of(voice.ranking),
        };
        if let Some(missing) = missing.filter(|missing| *missing != 0.0) {
            for shares in parts.values_mut() {
                shares.insert(voice.name.to_owned(), voice.weight * missing);
            }
        }
        for (id, value) in voice.ranking.ids().zip(values) {
            let shares = parts
                .get_mut(id)
                .expect("every chunk of every ranking has its entry");
            shares.insert(voice.name.to_owned(), voice.weight * value);
        }
    }
}

impl Normalization {
    /// The normalised scores of a ranking's hits, in order, and what a chunk gets that it lacks.
    fn of(self, ranking: &Ranking) -> (Vec<f64>, Option<f64>) {
        let scores: Vec<f64> = ranking.hits().iter().map(|hit| hit.score).collect();
        let (Some(&highest), Some(&lowest)) = (scores.first(), scores.last()) else {
            return (Vec::new(), None);
        };
        let values: Vec<f64> = match self {
            Self::MinMax if highest == lowest => vec![1.0; scores.len()],
            Self::MinMax => scores
                .iter()
                .map(|score| (score - lowest) / (highest - lowest))
                .collect(),
            Self::ZScore => {
                let n = scores.len() as f64;
                let mean = scores.iter().sum::<f64>() / n;
                let deviation = (scores
                    .iter()
                    .map(|score| (score - mean).powi(2))
                    .sum::<f64>()
                    / n)
                    .sqrt();
                let scale = if highest == lowest {
                    0.0
                } else {
                    1.0 / deviation
                };
                scores.iter().map(|score| (score - mean) * scale).collect()
            }
        };
        let missing = match self {
            Self::MinMax => 0.0,
            Self::ZScore => *values.last().expect("there is a lowest score"),
        };
        (values, Some(missing))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RRF: Fusion = Fusion::ReciprocalRank { k: 60.0 };

    fn scored(hits: &[(&str, f64)]) -> Ranking {
        Ranking::new(
            hits.iter()
                .map(|(id, score)| Hit {
                    id: (*id).into(),
                    score: *score,
                })
                .collect(),
        )
    }

    fn voice<'a>(name: &'a str, weight: f64, ranking: &'a Ranking) -> Voice<'a> {
        Voice {
            name,
            weight,
            ranking,
        }
    }

    fn assert_fused(fusion: Fusion, voices: &[Voice<'_>], expected: &[(&str, f64)]) {
        let fused = fusion.fuse(voices).0;
        assert_eq!(
            fused.ids().map(ChunkId::as_str).collect::<Vec<_>>(),
            expected.iter().map(|e| e.0).collect::<Vec<_>>()
        );
        for (hit, (id, score)) in fused.hits().iter().zip(expected) {
            assert!(
                (hit.score - score).abs() < 1e-12,
                "{id}: {} is not {score}",
                hit.score
            );
        }
    }

    #[test]
    fn shares_are_one_over_k_plus_rank_from_one() {
        let (bm25, dense) = (
            scored(&[("a", 9.0), ("b", 8.0)]),
            scored(&[("b", 0.9), ("c", 0.8)]),
        );
        let voices = [voice("bm25", 1.0, &bm25), voice("dense", 1.0, &dense)];
        assert_fused(
            RRF,
            &voices,
            &[
                ("b", 1.0 / 62.0 + 1.0 / 61.0),
                ("a", 1.0 / 61.0),
                ("c", 1.0 / 62.0),
            ],
        );
        let parts = RRF.fuse(&voices).1;
        assert!((parts[&ChunkId::from("a")]["bm25"] - 1.0 / 61.0).abs() < 1e-15);
        assert_eq!(parts[&ChunkId::from("a")].len(), 1);
    }

    #[test]
    fn a_weight_multiplies_a_rankings_share() {
        let (bm25, dense) = (scored(&[("a", 9.0)]), scored(&[("b", 0.9)]));
        let voices = [voice("bm25", 0.3, &bm25), voice("dense", 0.7, &dense)];
        assert_fused(RRF, &voices, &[("b", 0.7 / 61.0), ("a", 0.3 / 61.0)]);
    }

    #[test]
    fn min_max_runs_from_the_lowest_to_the_highest_score() {
        // bm25: (10 - 4)/8 = .75 for b, 12 is 1, 4 is 0. dense: .5 -> 1, .3 -> 0. c is missing there: 0.
        let (bm25, dense) = (
            scored(&[("a", 12.0), ("b", 10.0), ("c", 4.0)]),
            scored(&[("b", 0.5), ("a", 0.3)]),
        );
        let voices = [voice("bm25", 0.4, &bm25), voice("dense", 0.6, &dense)];
        assert_fused(
            Fusion::Weighted(Normalization::MinMax),
            &voices,
            &[("b", 0.4 * 0.75 + 0.6), ("a", 0.4), ("c", 0.0)],
        );
    }

    #[test]
    fn equal_scores_are_all_the_highest_by_min_max_and_the_mean_by_z_score() {
        let one = scored(&[("a", 3.0), ("b", 3.0)]);
        assert_fused(
            Fusion::Weighted(Normalization::MinMax),
            &[voice("x", 1.0, &one)],
            &[("b", 1.0), ("a", 1.0)],
        );
        assert_fused(
            Fusion::Weighted(Normalization::ZScore),
            &[voice("x", 1.0, &one)],
            &[("b", 0.0), ("a", 0.0)],
        );
    }

    #[test]
    fn z_scores_count_what_is_missing_as_the_lowest() {
        // Scores 1, 3: mean 2, population deviation 1, so +1 and -1. `c` is only in the other ranking and counts -1 here;
        // there scores 5, 5, 2 have mean 4 and deviation sqrt((1 + 1 + 4)/3) = sqrt 2: +1/sqrt 2 twice and -2/sqrt 2.
        let (x, y) = (
            scored(&[("a", 3.0), ("b", 1.0)]),
            scored(&[("a", 5.0), ("c", 5.0), ("b", 2.0)]),
        );
        let (r, voices) = (2f64.sqrt(), [voice("x", 1.0, &x), voice("y", 1.0, &y)]);
        let expected = [
            ("a", 1.0 + 1.0 / r),
            ("c", -1.0 + 1.0 / r),
            ("b", -1.0 - 2.0 / r),
        ];
        assert_fused(Fusion::Weighted(Normalization::ZScore), &voices, &expected);
    }

    #[test]
    fn equal_sums_tie_by_id_descending() {
        let (a, b) = (scored(&[("a", 1.0)]), scored(&[("b", 1.0)]));
        assert_fused(
            RRF,
            &[voice("bm25", 1.0, &a), voice("dense", 1.0, &b)],
            &[("b", 1.0 / 61.0), ("a", 1.0 / 61.0)],
        );
    }

    #[test]
    fn nothing_fuses_to_nothing() {
        for fusion in [
            RRF,
            Fusion::Weighted(Normalization::MinMax),
            Fusion::Weighted(Normalization::ZScore),
        ] {
            assert!(fusion.fuse(&[]).0.is_empty());
            assert!(
                fusion
                    .fuse(&[voice("bm25", 1.0, &Ranking::default())])
                    .0
                    .is_empty()
            );
        }
    }
}
