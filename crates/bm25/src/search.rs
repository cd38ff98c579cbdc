//! Searches the index, and explains scores.

use std::cmp::Ordering;
use std::sync::PoisonError;

use pulp::{Arch, Simd, WithSimd};

use super::SparseIndex;
use super::image::{Postings, RANKS, WINDOW, WindowScores};
use super::weighting::inverse_frequency;

/// Score of a document that no term of the query has touched. Adding any share to -0.0, 0.0 included, gives another bit
/// pattern (IEEE 754, 6.3), so a document that matched with a score of 0 is distinguished from one that did not match.
const UNMATCHED: f32 = -0.0;

/// Documents checked together: one comparison rejects all of them if none is good enough.
const LANE: usize = 16;

/// Documents of a window per posting from which it is faster to visit the postings again than the documents.
const SPARSE: usize = 16;

/// Postings that can be added in the time of one lookup.
const LOOK_UP: usize = 32;

/// A term of a question.
struct AskedTerm<'a> {
    /// Index of its first occurrence in the question.
    first: usize,
    number: u32,
    /// Factor of its shares.
    weight: f32,
    /// Maximum score that it can add.
    largest: f32,
    /// Shares that at least [`RANKS`] documents reach, times the weight.
    ranked: [f32; RANKS.len()],
    /// Score that it adds to every document.
    absent: f64,
    postings: Postings<'a>,
}

impl SparseIndex {
    /// Returns the best `limit` documents for the terms of a query, best first, ties by larger id. Only documents that
    /// share at least one term with the query are returned, and of these only those for which `allowed` is true. A term that occurs twice
    /// in the query counts twice; one that is in no document adds nothing. `allowed` does not affect scores.
    #[must_use]
    pub fn search(
        &self,
        query: &[impl AsRef<str>],
        limit: usize,
        allowed: Option<&[bool]>,
    ) -> Vec<(u32, f64)> {
        let mut asked = self.asked(query);
        if limit == 0 || asked.is_empty() {
            return Vec::new();
        }
        // A document's shares are summed in the order of the terms' maximum scores, which determines its score to the
        // last bit: terms that are looked up come last.
        asked
            .sort_unstable_by(|a, b| b.largest.total_cmp(&a.largest).then(a.number.cmp(&b.number)));
        let absent: f64 = asked.iter().map(|term| term.absent).sum();
        let prunes = !self.image.has_negative();
        let bar =
            if prunes && allowed.is_none() { known_bar(&asked, limit) } else { f32::NEG_INFINITY };
        let mut search = WindowSearch {
            asked: &asked,
            prunes,
            allowed,
            best: Best::new(limit, bar, self.image.order()),
            n_documents: self.n_documents(),
        };
        let mut scores = self.at_rest();
        for window in 0..self.n_documents().div_ceil(WINDOW) {
            search.window(window, &mut scores);
        }
        let best = search.best.into_sorted();
        self.put_to_rest(scores);
        // In 64 bits, so that different scores do not become ties.
        best.into_iter().map(|(document, score)| (document, f64::from(score) + absent)).collect()
    }

    /// Returns the score that each term of the query adds to `document`, in the order of first occurrence in the query;
    /// terms that add nothing are left out. The shares sum to the score that [`Self::search`] gives, up to rounding.
    #[must_use]
    pub fn explain<'a>(&self, query: &'a [impl AsRef<str>], document: u32) -> Vec<(&'a str, f64)> {
        let share = |term: AskedTerm<'_>| {
            let share = f64::from(term.postings.share(document).unwrap_or(0.0));
            (query[term.first].as_ref(), f64::from(term.weight) * share + term.absent)
        };
        self.asked(query).into_iter().map(share).filter(|&(_, share)| share != 0.0).collect()
    }

    /// Returns the query's terms that are in the index and have a weight, in the order of first occurrence.
    fn asked(&self, query: &[impl AsRef<str>]) -> Vec<AskedTerm<'_>> {
        let mut counted: Vec<(usize, u32, u32)> = Vec::with_capacity(query.len());
        for (first, text) in query.iter().enumerate() {
            let Some(number) = self.image.find(text.as_ref()) else {
                continue;
            };
            match counted.iter_mut().find(|(_, known, _)| *known == number) {
                Some((.., count)) => *count += 1,
                None => counted.push((first, number, 1)),
            }
        }
        let is_tfidf = self.image.is_tfidf();
        let weighed = counted.into_iter().filter_map(|(first, number, count)| {
            let (term, postings) = self.image.term(number)?;
            let rarity =
                if is_tfidf { inverse_frequency(postings.len(), self.n_documents()) } else { 1.0 };
            let weight = f64::from(count) * rarity;
            (weight > 0.0).then_some((weight, first, number, f64::from(count), term, postings))
        });
        let weighed: Vec<_> = weighed.collect();
        let squares = weighed.iter().map(|(weight, ..)| weight * weight);
        let norm = if is_tfidf { squares.sum::<f64>().sqrt() } else { 1.0 };
        let asked = weighed.into_iter().map(|(weight, first, number, count, term, postings)| {
            let weight = (weight / norm) as f32;
            let ranked = term.ranked.map(|share| weight * share);
            let (largest, absent) = (weight * term.largest, count * f64::from(term.absent));
            AskedTerm { first, number, weight, largest, ranked, absent, postings }
        });
        asked.collect()
    }

    fn at_rest(&self) -> Box<WindowScores> {
        let kept = self.scratch.lock().unwrap_or_else(PoisonError::into_inner).pop();
        kept.unwrap_or_else(|| vec![UNMATCHED; WINDOW].try_into().expect("as long as a window"))
    }

    fn put_to_rest(&self, scores: Box<WindowScores>) {
        self.scratch.lock().unwrap_or_else(PoisonError::into_inner).push(scores);
    }
}

/// Returns a score that at least `limit` documents reach: one term's share of that rank, since the other terms subtract
/// nothing.
fn known_bar(asked: &[AskedTerm<'_>], limit: usize) -> f32 {
    match RANKS.iter().position(|&rank| rank >= limit) {
        Some(rank) => asked
            .iter()
            .map(|term| term.ranked[rank])
            .filter(|&bar| bar > 0.0)
            .fold(f32::NEG_INFINITY, f32::max),
        None => f32::NEG_INFINITY,
    }
}

/// State of a search over the windows.
struct WindowSearch<'a> {
    /// Terms with the largest maximum score first.
    asked: &'a [AskedTerm<'a>],
    prunes: bool,
    allowed: Option<&'a [bool]>,
    best: Best<'a>,
    n_documents: usize,
}

impl WindowSearch<'_> {
    /// Scores the documents of a window, and resets `scores`.
    fn window(&mut self, window: usize, scores: &mut WindowScores) {
        let first = window * WINDOW;
        let n_documents = WINDOW.min(self.n_documents - first);
        let n_postings = |terms: &[AskedTerm<'_>]| {
            terms.iter().map(|term| term.postings.of_window(window).0.len()).sum()
        };
        let (mut added, mut looked_up) = self.asked.split_at(self.n_added());
        let mut n_added: usize = n_postings(added);
        if n_added == 0 {
            return;
        }
        let n_spared: usize = n_postings(looked_up);
        add(added, window, scores);
        if n_spared > 0 {
            let threshold = self.threshold(looked_up);
            let most = n_spared / (LOOK_UP * looked_up.len());
            if most == 0
                || n_added > most
                    && Arch::new().dispatch(Count { scores: &scores[..n_documents], threshold })
                        > most
            {
                add(looked_up, window, scores);
                n_added += n_spared;
                (added, looked_up) = (self.asked, &[]);
            }
        }
        if n_added * SPARSE < n_documents {
            for term in added {
                for &doc in term.postings.of_window(window).0 {
                    let score = std::mem::replace(&mut scores[usize::from(doc)], UNMATCHED);
                    if score.to_bits() != UNMATCHED.to_bits() && usize::from(doc) < n_documents {
                        self.offer(looked_up, (first + usize::from(doc)) as u32, score);
                    }
                }
            }
        } else {
            let visit =
                Visit { search: self, looked_up, first, scores: &mut scores[..n_documents] };
            Arch::new().dispatch(visit);
        }
    }

    /// Returns the number of terms that have to be added: a document with none of them is below the bar.
    fn n_added(&self) -> usize {
        let n_added = self.asked.len();
        if !self.prunes {
            return n_added;
        }
        (0..n_added)
            .find(|&n_added| at_most(0.0, &self.asked[n_added..]) < self.best.bar())
            .unwrap_or(n_added)
    }

    /// Returns the score that a document needs, without the terms that are looked up, to be worth looking them up.
    fn threshold(&self, looked_up: &[AskedTerm<'_>]) -> f32 {
        let bar = self.best.bar();
        if looked_up.is_empty() {
            return bar;
        }
        // Differences are rounded: a slightly lower value is safe, since each candidate is compared with the bar
        // itself.
        bar - at_most(0.0, looked_up)
            - bar * (1e-5_f32).max(looked_up.len() as f32 * 2.0 * f32::EPSILON)
    }

    /// Looks up the terms that are not yet in `score`, as long as the document can reach the bar.
    fn offer(&mut self, looked_up: &[AskedTerm<'_>], document: u32, mut score: f32) {
        if self.allowed.is_some_and(|allowed| allowed.get(document as usize) != Some(&true)) {
            return;
        }
        for (n, term) in looked_up.iter().enumerate() {
            if at_most(score, &looked_up[n..]) < self.best.bar() {
                return;
            }
            if let Some(share) = term.postings.share(document) {
                score += term.weight * share;
            }
        }
        self.best.offer(document, score);
    }
}

fn add(terms: &[AskedTerm<'_>], window: usize, scores: &mut WindowScores) {
    for term in terms {
        let (docs, shares) = term.postings.of_window(window);
        for (&doc, &share) in docs.iter().zip(shares) {
            scores[usize::from(doc)] += term.weight * share;
        }
    }
}

/// Returns the maximum that `score` can become. Rounded sums are monotone: adding to a number that is not smaller gives
/// one that is not smaller. A document's sum, in the same order and of shares not above these, is therefore not above
/// this one, to the last bit.
fn at_most(score: f32, terms: &[AskedTerm<'_>]) -> f32 {
    terms.iter().fold(score, |sum, term| sum + term.largest)
}

/// Visits a window's scores in the widest vectors of the machine, and resets them.
struct Visit<'a, 'b> {
    search: &'a mut WindowSearch<'b>,
    looked_up: &'a [AskedTerm<'b>],
    first: usize,
    scores: &'a mut [f32],
}

impl WithSimd for Visit<'_, '_> {
    type Output = ();

    #[allow(clippy::inline_always, reason = "pulp compiles it once for each kind of vector")]
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { search, looked_up, first, scores } = self;
        let mut threshold = search.threshold(looked_up);
        for (lane, scores) in scores.chunks_mut(LANE).enumerate() {
            if scores.iter().fold(0, |any, &score| any | u32::from(score >= threshold)) != 0 {
                for (place, &score) in scores.iter().enumerate() {
                    if score >= threshold && score.to_bits() != UNMATCHED.to_bits() {
                        search.offer(looked_up, (first + lane * LANE + place) as u32, score);
                        threshold = search.threshold(looked_up);
                    }
                }
            }
            scores.fill(UNMATCHED);
        }
    }
}

/// Counts the scores that reach a threshold.
struct Count<'a> {
    scores: &'a [f32],
    threshold: f32,
}

impl WithSimd for Count<'_> {
    type Output = usize;

    #[allow(clippy::inline_always, reason = "pulp compiles it once for each kind of vector")]
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        let reached: u32 =
            self.scores.iter().map(|&score| u32::from(score >= self.threshold)).sum();
        reached as usize
    }
}

/// The best `limit` of all documents offered, and the score that further ones have to reach.
///
/// Holds up to twice as many documents as wanted. When full, it drops the worse half, and the worst remaining score
/// becomes the bar. That takes fewer moves than a heap.
struct Best<'a> {
    limit: usize,
    bar: f32,
    kept: Vec<(u32, f32)>,
    /// Per document, the rank of its id among all ids in ascending order.
    order: &'a [u32],
}

impl<'a> Best<'a> {
    /// Creates an empty set; `bar` is a score that at least `limit` documents, all of which will be offered, are known
    /// to reach.
    fn new(limit: usize, bar: f32, order: &'a [u32]) -> Self {
        let limit = limit.min(order.len());
        Self { limit, bar, kept: Vec::with_capacity(2 * limit), order }
    }

    /// Returns the score below which a document is not among the best.
    fn bar(&self) -> f32 {
        self.bar
    }

    fn offer(&mut self, document: u32, score: f32) {
        if score >= self.bar {
            self.kept.push((document, score));
            if self.kept.len() >= 2 * self.limit {
                self.halve();
            }
        }
    }

    fn halve(&mut self) {
        let order = self.order;
        let (_, &mut (_, bar), _) =
            self.kept.select_nth_unstable_by(self.limit - 1, |a, b| rank(order, *a, *b));
        self.kept.truncate(self.limit);
        self.bar = self.bar.max(bar);
    }

    /// Returns the best documents, best first.
    fn into_sorted(mut self) -> Vec<(u32, f32)> {
        let order = self.order;
        self.kept.sort_unstable_by(|a, b| rank(order, *a, *b));
        self.kept.truncate(self.limit);
        self.kept
    }
}

/// Orders by score descending, then id descending.
fn rank(order: &[u32], (a, a_score): (u32, f32), (b, b_score): (u32, f32)) -> Ordering {
    let place = |document: u32| order.get(document as usize);
    b_score.total_cmp(&a_score).then_with(|| place(b).cmp(&place(a)))
}

#[cfg(test)]
mod tests {
    use crate::{Bm25Parameters, Weighting};
    use ragtriage_core::config::{Bm25Settings, Bm25Variant as Variant};
    use ragtriage_core::types::ChunkId;

    use super::super::words::split;
    use super::*;

    /// Indexes texts under the given ids.
    fn index(variant: Variant, texts: &[(&str, &str)]) -> SparseIndex {
        let weighting = Weighting::Bm25(Bm25Parameters::new(&Bm25Settings {
            variant,
            ..Bm25Settings::default()
        }));
        let (ids, texts): (Vec<ChunkId>, Vec<&str>) =
            texts.iter().map(|&(id, text)| (id.into(), text)).unzip();
        SparseIndex::build(&weighting, ids.into_iter(), &split(&texts))
    }

    fn docs(found: &[(u32, f64)]) -> Vec<u32> {
        found.iter().map(|&(doc, _)| doc).collect()
    }

    #[test]
    fn ties_and_the_cut_go_to_the_larger_id() {
        let index =
            index(Variant::Lucene, &[("b#0", "x y"), ("c#0", "x y"), ("a#0", "x y"), ("d#0", "y")]);
        assert_eq!(docs(&index.search(&["x"], 3, None)), [1, 0, 2]);
        assert_eq!(docs(&index.search(&["x"], 1, None)), [1]);
    }

    #[test]
    fn only_documents_that_share_a_term_are_found() {
        let index = index(Variant::Bm25plus, &[("a", "x"), ("b", "y"), ("c", "x y"), ("d", "")]);
        assert_eq!(docs(&index.search(&["x", "unknown"], 10, None)), [0, 2]);
        assert_eq!(index.search(&["unknown"], 10, None), []);
        assert_eq!(index.search(&[] as &[&str], 10, None), []);
        assert_eq!(index.search(&["x"], 0, None), []);
    }

    #[test]
    fn a_search_leaves_nothing_behind_for_the_next() {
        let index = index(Variant::Okapi, &[("a", "x x y"), ("b", "y z"), ("c", "x")]);
        let first = index.search(&["y", "z"], 10, None);
        let _ = index.search(&["x"], 1, None);
        assert_eq!(index.search(&["y", "z"], 10, None), first);
    }
}
