//! Searching the index, and saying where a score comes from.

use std::cmp::Ordering;
use std::sync::PoisonError;

use super::Bm25;

/// The score of a document that no term of the query has touched. Adding any share to -0.0, 0.0 included, gives another
/// bit pattern (IEEE 754, 6.3), so a document that matched with a score of 0 is told from one that did not match.
pub(super) const UNMATCHED: f32 = -0.0;

/// Documents looked at together: one comparison decides for all of them that none is good enough.
const LANE: usize = 16;

impl Bm25 {
    /// The best `limit` documents for the terms of a query, best first, ties by larger id; only those that share at
    /// least one term with it. A term that stands in the query twice counts twice; one that is in no document adds
    /// nothing.
    #[must_use]
    pub fn search(&self, query: &[impl AsRef<str>], limit: usize) -> Vec<(u32, f64)> {
        let terms = self.counted(query);
        if limit == 0 || terms.is_empty() {
            return Vec::new();
        }
        let mut scores = self.at_rest();
        for &(term, count) in &terms {
            self.add(term, count as f32, &mut scores);
        }
        let mut best = self.best(&mut scores, limit);
        self.put_to_rest(scores);
        best.sort_unstable_by(|a, b| self.rank(*a, *b));
        // In 64 bits, so that no two different scores become a tie.
        let absent: f64 = terms.iter().map(|&(term, count)| f64::from(count) * f64::from(self.absent(term))).sum();
        best.into_iter().map(|(doc, score)| (doc, f64::from(score) + absent)).collect()
    }

    /// What each term of the query adds to the score of document `doc`, in the order of first occurrence in the query;
    /// terms that add nothing are left out. The shares sum to the score that [`Self::search`] gives, up to rounding.
    #[must_use]
    pub fn explain<'a>(&self, query: &'a [impl AsRef<str>], doc: u32) -> Vec<(&'a str, f64)> {
        let mut shares: Vec<(u32, &'a str, f64)> = Vec::new();
        for text in query.iter().map(AsRef::as_ref) {
            let Some(&term) = self.terms.get(text) else { continue };
            let postings = self.starts[term as usize]..self.starts[term as usize + 1];
            let found = self.docs[postings.clone()].binary_search(&doc).ok();
            let share = found.map_or(0.0, |place| self.shares[postings.start + place]);
            let share = f64::from(share) + f64::from(self.absent(term));
            match shares.iter_mut().find(|(known, ..)| *known == term) {
                Some((_, _, sum)) => *sum += share,
                None => shares.push((term, text, share)),
            }
        }
        shares.into_iter().filter(|&(_, _, share)| share != 0.0).map(|(_, text, share)| (text, share)).collect()
    }

    /// The query's terms that are in the index, each with its count, in the order of first occurrence.
    fn counted(&self, query: &[impl AsRef<str>]) -> Vec<(u32, u32)> {
        let mut counted: Vec<(u32, u32)> = Vec::with_capacity(query.len());
        for &term in query.iter().filter_map(|text| self.terms.get(text.as_ref())) {
            match counted.iter_mut().find(|(known, _)| *known == term) {
                Some((_, count)) => *count += 1,
                None => counted.push((term, 1)),
            }
        }
        counted
    }

    fn add(&self, term: u32, count: f32, scores: &mut [f32]) {
        let postings = self.starts[term as usize]..self.starts[term as usize + 1];
        for (&doc, &share) in self.docs[postings.clone()].iter().zip(&self.shares[postings]) {
            scores[doc as usize] += count * share;
        }
    }

    /// The best `limit` matched documents in no order; `scores` is left at rest.
    ///
    /// Candidates are gathered until there are twice as many as wanted, then halved; from then on the worst one kept is
    /// the bar for the rest.
    fn best(&self, scores: &mut [f32], limit: usize) -> Vec<(u32, f32)> {
        let limit = limit.min(scores.len());
        let mut best: Vec<(u32, f32)> = Vec::with_capacity(2 * limit);
        let mut bar = f32::NEG_INFINITY;
        for (lane, scores) in scores.chunks_mut(LANE).enumerate() {
            if scores.iter().fold(0, |any, &score| any | u32::from(score >= bar)) != 0 {
                for (place, &score) in scores.iter().enumerate() {
                    if score >= bar && score.to_bits() != UNMATCHED.to_bits() {
                        best.push(((lane * LANE + place) as u32, score));
                        if best.len() == 2 * limit {
                            bar = self.halve(&mut best, limit);
                        }
                    }
                }
            }
            scores.fill(UNMATCHED);
        }
        if best.len() > limit {
            self.halve(&mut best, limit);
        }
        best
    }

    /// Keeps the best `limit` and returns the worst score among them.
    fn halve(&self, best: &mut Vec<(u32, f32)>, limit: usize) -> f32 {
        let (_, &mut (_, bar), _) = best.select_nth_unstable_by(limit - 1, |a, b| self.rank(*a, *b));
        best.truncate(limit);
        bar
    }

    /// Score descending, then id descending.
    fn rank(&self, (a, a_score): (u32, f32), (b, b_score): (u32, f32)) -> Ordering {
        b_score.total_cmp(&a_score).then_with(|| self.order[b as usize].cmp(&self.order[a as usize]))
    }

    fn absent(&self, term: u32) -> f32 {
        self.absent.get(term as usize).copied().unwrap_or(0.0)
    }

    fn at_rest(&self) -> Vec<f32> {
        let kept = self.scratch.lock().unwrap_or_else(PoisonError::into_inner).pop();
        kept.unwrap_or_else(|| vec![UNMATCHED; self.order.len()])
    }

    fn put_to_rest(&self, scores: Vec<f32>) {
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner).push(scores);
    }
}

#[cfg(test)]
mod tests {
    use crate::index::bm25::{Parameters, Variant};
    use crate::types::{ChunkId, Hit, Ranking};

    use super::*;

    /// Texts under ids of their own.
    fn index(variant: Variant, texts: &[(&str, &str)]) -> Bm25 {
        let parameters = Parameters::new(variant, 1.2, 0.75, None).expect("in range");
        let ids: Vec<ChunkId> = texts.iter().map(|&(id, _)| ChunkId::from(id)).collect();
        Bm25::build(&parameters, &ids, |doc, each| texts[doc].1.split_whitespace().for_each(each))
    }

    fn docs(found: &[(u32, f64)]) -> Vec<u32> {
        found.iter().map(|&(doc, _)| doc).collect()
    }

    #[test]
    fn ties_and_the_cut_go_to_the_larger_id() {
        let index = index(Variant::Lucene, &[("b#0", "x y"), ("c#0", "x y"), ("a#0", "x y"), ("d#0", "y")]);
        assert_eq!(docs(&index.search(&["x"], 3)), [1, 0, 2]);
        assert_eq!(docs(&index.search(&["x"], 1)), [1]);
    }

    #[test]
    fn a_cut_search_is_the_head_of_the_whole_ranking() {
        // 500 documents of few different scores, so that cuts fall inside ties, on both sides of a lane.
        let ids: Vec<ChunkId> = (0..500).map(|n| ChunkId::from(format!("d{}", (n * 7919) % 500))).collect();
        for variant in Variant::ALL {
            let parameters = Parameters::new(variant, 1.2, 0.75, None).expect("in range");
            let index = Bm25::build(&parameters, &ids, |doc, each| {
                (0..=doc % 5).for_each(|_| each("x"));
                if doc % 3 == 0 {
                    each("y");
                }
                if doc % 7 == 0 {
                    each("z");
                }
            });
            let query = ["z", "y", "z"];
            let all = index.search(&query, 500);
            let hits = all.iter().map(|&(doc, score)| Hit { id: ids[doc as usize].clone(), score });
            let ranking = Ranking::new(hits.collect());
            assert_eq!(
                all.iter().map(|&(doc, _)| &ids[doc as usize]).collect::<Vec<_>>(),
                ranking.ids().collect::<Vec<_>>()
            );
            for limit in [1, 2, 15, 16, 17, 100, 213, 214, 215] {
                assert_eq!(index.search(&query, limit), all[..limit.min(all.len())], "{variant} {limit}");
            }
        }
    }

    #[test]
    fn only_documents_that_share_a_term_are_found() {
        let index = index(Variant::Bm25plus, &[("a", "x"), ("b", "y"), ("c", "x y"), ("d", "")]);
        assert_eq!(docs(&index.search(&["x", "unknown"], 10)), [0, 2]);
        assert_eq!(index.search(&["unknown"], 10), []);
        assert_eq!(index.search(&[] as &[&str], 10), []);
        assert_eq!(index.search(&["x"], 0), []);
    }

    #[test]
    fn a_search_leaves_nothing_behind_for_the_next() {
        let index = index(Variant::Okapi, &[("a", "x x y"), ("b", "y z"), ("c", "x")]);
        let first = index.search(&["y", "z"], 10);
        let _ = index.search(&["x"], 1);
        assert_eq!(index.search(&["y", "z"], 10), first);
    }
}
