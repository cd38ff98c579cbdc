//! Rankings, and the one definition of their order.
//!
//! Hits are ordered by score descending; equal scores by id **descending**, as `trec_eval` sorts its input (Buckley's
//! `trec_eval`, `form_res_rels.c`: ties are broken by docno, larger first).

use std::cmp::Ordering;
use std::collections::HashSet;

use super::{ChunkId, DocId};

/// One ranked item.
#[derive(Clone, Debug, PartialEq)]
pub struct Hit<I = ChunkId> {
    /// Id of the item found.
    pub id: I,
    /// Score of the match; larger is better; never NaN inside a [`Ranking`].
    pub score: f64,
}

impl<I: Ord> Hit<I> {
    /// Returns the order of a ranking: score descending, then id descending.
    #[must_use]
    pub fn order(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then_with(|| other.id.cmp(&self.id))
    }
}

/// Hits in [`Hit::order`], each id once.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranking<I = ChunkId>(Vec<Hit<I>>);

impl<I> Default for Ranking<I> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<I: Ord + Clone + std::hash::Hash> Ranking<I> {
    /// Sorts `hits`, selects the best of each id and drops those whose score is NaN.
    #[must_use]
    pub fn new(mut hits: Vec<Hit<I>>) -> Self {
        hits.retain(|hit| !hit.score.is_nan());
        for hit in &mut hits {
            hit.score += 0.0; // -0.0 becomes 0.0: the two are equal and must tie
        }
        hits.sort_unstable_by(Hit::order);
        let mut seen = HashSet::with_capacity(hits.len());
        hits.retain(|hit| seen.insert(hit.id.clone()));
        Self(hits)
    }

    /// Truncates the ranking to its best `depth` hits.
    #[must_use]
    pub fn cut(mut self, depth: usize) -> Self {
        self.0.truncate(depth);
        self
    }
}

impl<I> Ranking<I> {
    /// Returns the hits, best first.
    #[must_use]
    pub fn hits(&self) -> &[Hit<I>] {
        &self.0
    }

    /// Returns the number of hits.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the ids, best first.
    pub fn ids(&self) -> impl Iterator<Item = &I> {
        self.0.iter().map(|hit| &hit.id)
    }
}

/// Returns the documents of chunks ranked best first, each by its first occurrence: collapse the whole ranking, apply
/// the cutoff afterwards.
pub fn collapse<'a>(chunks: impl IntoIterator<Item = &'a ChunkId>) -> Vec<DocId> {
    let mut seen = HashSet::new();
    chunks.into_iter().filter(|id| seen.insert(id.doc())).map(|id| DocId::from(id.doc())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hit(id: &str, score: f64) -> Hit<DocId> {
        Hit { id: id.into(), score }
    }

    fn names(ranking: &Ranking<DocId>) -> Vec<&str> {
        ranking.ids().map(DocId::as_str).collect()
    }

    #[test]
    fn ties_go_to_the_larger_id_as_in_trec_eval() {
        let ranking = Ranking::new(vec![
            hit("a", 1.0),
            hit("c", 1.0),
            hit("b", 2.0),
            hit("d", -0.0),
            hit("e", 0.0),
        ]);
        assert_eq!(names(&ranking), ["b", "c", "a", "e", "d"]);
    }

    #[test]
    fn an_id_counts_once_with_its_best_score_and_nan_is_dropped() {
        let ranking =
            Ranking::new(vec![hit("a", 1.0), hit("a", 3.0), hit("b", f64::NAN), hit("c", 2.0)]);
        assert_eq!(names(&ranking), ["a", "c"]);
    }

    #[test]
    fn chunks_collapse_to_documents_by_first_occurrence() {
        let chunks: Vec<ChunkId> = ["b#2", "a#0", "b#0", "c#1"].map(ChunkId::from).to_vec();
        assert_eq!(collapse(&chunks), ["b", "a", "c"].map(DocId::from));
    }
}
