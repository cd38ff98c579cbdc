//! The best documents seen so far.

use std::cmp::Ordering;

/// The best `limit` of all documents offered, and the score that further ones have to reach.
///
/// Holds up to twice as many documents as wanted. When full, it drops the worse half, and the worst remaining score
/// becomes the bar. That takes fewer moves than a heap.
pub(super) struct Best<'a> {
    limit: usize,
    bar: f32,
    kept: Vec<(u32, f32)>,
    /// Per document, the rank of its id among all ids in ascending order.
    order: &'a [u32],
}

impl<'a> Best<'a> {
    /// Creates an empty set; `bar` is a score that at least `limit` documents, all of which will be offered, are known
    /// to reach.
    pub(super) fn new(limit: usize, bar: f32, order: &'a [u32]) -> Self {
        let limit = limit.min(order.len());
        Self { limit, bar, kept: Vec::with_capacity(2 * limit), order }
    }

    /// Returns the score below which a document is not among the best.
    pub(super) fn bar(&self) -> f32 {
        self.bar
    }

    pub(super) fn offer(&mut self, document: u32, score: f32) {
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
    pub(super) fn into_sorted(mut self) -> Vec<(u32, f32)> {
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
