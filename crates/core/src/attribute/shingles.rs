//! Near duplicates among ranked passages.
//!
//! Two passages are near duplicates when the Jaccard coefficient of their word 4-shingles is at least .8, or when they are
//! pieces of one document that share at least half of the shorter one's bytes.

use super::PassageView;
use crate::text::shingles::{jaccard, shingles};

/// Words of a shingle: the textbook's typical value.
const WORDS: usize = 4;
/// Minimum Jaccard coefficient of near duplicates: of 80 words two may differ (72 of 88 shingles in common are .82).
const ALIKE: f64 = 0.8;
/// Minimum share of the shorter range's bytes that two overlapping pieces of a document have in common. Configured
/// chunk overlap is about a fifth.
const OVERLAPPING: f64 = 0.5;

/// A passage prepared for comparison.
pub(super) struct Shingled<'a> {
    doc: &'a str,
    view: PassageView<'a>,
    shingles: Vec<u64>,
}

impl<'a> Shingled<'a> {
    pub fn new(doc: &'a str, view: PassageView<'a>) -> Self {
        Self { doc, view, shingles: shingles(view.text, WORDS) }
    }

    pub fn is_near_duplicate_of(&self, other: &Self) -> bool {
        self.overlaps(other) || self.is_like(other)
    }

    fn overlaps(&self, other: &Self) -> bool {
        let (a, b) = (self.view.range, other.view.range);
        let shared = a.end.min(b.end).saturating_sub(a.start.max(b.start));
        self.doc == other.doc
            && shared > 0
            && shared as f64 >= OVERLAPPING * a.len().min(b.len()) as f64
    }

    fn is_like(&self, other: &Self) -> bool {
        let (a, b) = (&self.shingles, &other.shingles);
        let (shorter, longer) = (a.len().min(b.len()), a.len().max(b.len()));
        // The coefficient is at most the ratio of the sizes.
        shorter as f64 >= ALIKE * longer as f64 && jaccard(a, b) >= ALIKE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(a: (&str, &str), b: (&str, &str)) -> bool {
        placed((a.0, a.1, (0, 0)), (b.0, b.1, (0, 0)))
    }

    fn placed(a: (&str, &str, (usize, usize)), b: (&str, &str, (usize, usize))) -> bool {
        let passage =
            |text, range: (usize, usize)| PassageView { range: range.into(), text, title: "" };
        let (first, second) =
            (Shingled::new(a.0, passage(a.1, a.2)), Shingled::new(b.0, passage(b.1, b.2)));
        assert_eq!(first.is_near_duplicate_of(&second), second.is_near_duplicate_of(&first));
        first.is_near_duplicate_of(&second)
    }

    #[test]
    fn four_fifths_of_the_shingles_in_common_are_alike() {
        // 12 words are 9 shingles; the same with the last word changed shares 8: 8 / 10 = .8. The last but one: 7 / 11.
        let words = "a b c d e f g h i j k l";
        assert!(alike(("d", words), ("e", "a b c d e f g h i j k X")));
        assert!(!alike(("d", words), ("e", "a b c d e f g h i j X l")));
        assert!(
            alike(("d", "one  two"), ("e", "one two"))
                && !alike(("d", "one two"), ("e", "one three"))
        );
    }

    #[test]
    fn pieces_of_a_document_that_share_half_of_the_shorter_are_alike() {
        assert!(placed(("d", "a", (0, 100)), ("d", "b", (60, 140))), "40 of 80 bytes");
        assert!(!placed(("d", "a", (0, 100)), ("d", "b", (61, 141))), "39 of 80 bytes");
        assert!(!placed(("d", "a", (0, 100)), ("e", "b", (0, 100))), "two documents");
    }
}
