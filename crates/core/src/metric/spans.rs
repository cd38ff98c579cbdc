//! Metrics on bytes: the share of the evidence that the passages hold, and the share of other text.
//!
//! As Chroma's chunking study defines them (Smith and Troynikov 2024, `chunking_evaluation`), over bytes where that
//! code counts code points. Overlapping evidence counts once here; there it counts twice in the denominator of recall.
//! A chunk that touches the evidence without sharing a byte does not hold any of it here; there it counts in precision
//! omega.

use std::collections::BTreeMap;

use crate::types::{ByteRange, RangeSet};

/// Document and range of a passage or of evidence.
pub type Span<'a> = (&'a str, ByteRange);

/// Bytes of passages against bytes of evidence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpanCounts {
    /// Evidence bytes that some passage holds, each once.
    pub shared: usize,
    /// Bytes of all passages, overlaps counted as often as they are shown.
    pub shown: usize,
    /// Bytes of all passages and the evidence, each once.
    pub united: usize,
    /// Evidence bytes.
    pub evidence: usize,
}

impl SpanCounts {
    /// Counts `passages` against `evidence`; both may name several documents, in any order.
    #[must_use]
    pub fn new(passages: &[Span<'_>], evidence: &[Span<'_>]) -> Self {
        let mut by_doc: BTreeMap<&str, [Vec<ByteRange>; 2]> = BTreeMap::new();
        for (at, spans) in [passages, evidence].into_iter().enumerate() {
            for (doc, range) in spans {
                by_doc.entry(*doc).or_default()[at].push(*range);
            }
        }
        let mut counts = Self {
            shared: 0,
            shown: passages.iter().map(|(_, range)| range.len()).sum(),
            united: 0,
            evidence: 0,
        };
        for ranges in by_doc.into_values() {
            let [held, wanted] = ranges.map(RangeSet::union);
            let shared = held.intersection(&wanted).len_bytes();
            counts.shared += shared;
            counts.evidence += wanted.len_bytes();
            counts.united += held.len_bytes() + wanted.len_bytes() - shared;
        }
        counts
    }

    /// Returns shared bytes over shown bytes; 0 when nothing was shown. In 0..=1.
    #[must_use]
    pub fn precision(self) -> f64 {
        over(self.shared, self.shown)
    }

    /// Returns shared bytes over evidence bytes; 0 without evidence. In 0..=1.
    #[must_use]
    pub fn recall(self) -> f64 {
        over(self.shared, self.evidence)
    }

    /// Returns shared bytes over shown bytes and evidence bytes missed; 0 when there is neither. In 0..=1.
    #[must_use]
    pub fn iou(self) -> f64 {
        over(self.shared, self.shown + self.evidence - self.shared)
    }

    /// Returns shared bytes over the union of both, if computed for the chunks that hold evidence instead of those
    /// retrieved. In 0..=1.
    #[must_use]
    pub fn precision_omega(self) -> f64 {
        over(self.shared, self.united)
    }
}

fn over(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn span(doc: &str, start: usize, end: usize) -> Span<'_> {
        (doc, ByteRange::new(start, end))
    }

    #[test]
    fn bytes_shown_twice_count_twice_in_precision_and_iou() {
        // Passages 0-100 and 50-150 show 200 bytes, 150 of them different; evidence 80-120 and 200-260 has 100 bytes, 40 held.
        let counts = SpanCounts::new(
            &[span("a", 0, 100), span("a", 50, 150)],
            &[span("a", 80, 120), span("a", 200, 260)],
        );
        assert_eq!(counts, SpanCounts { shared: 40, shown: 200, united: 210, evidence: 100 });
        assert_eq!((counts.precision(), counts.recall()), (40.0 / 200.0, 40.0 / 100.0));
        assert_eq!((counts.iou(), counts.precision_omega()), (40.0 / 260.0, 40.0 / 210.0));
    }

    #[test]
    fn the_same_bytes_of_another_document_are_not_evidence() {
        let counts = SpanCounts::new(&[span("b", 0, 10), span("a", 0, 5)], &[span("a", 0, 10)]);
        assert_eq!(
            (counts.precision(), counts.recall(), counts.iou()),
            (5.0 / 15.0, 0.5, 5.0 / 20.0)
        );
    }

    #[test]
    fn nothing_shown_scores_zero() {
        let counts = SpanCounts::new(&[], &[span("a", 0, 10)]);
        assert_eq!(
            (counts.precision(), counts.recall(), counts.iou(), counts.precision_omega()),
            (0.0, 0.0, 0.0, 0.0)
        );
        assert_eq!(SpanCounts::new(&[], &[]).precision_omega(), 0.0);
    }

    fn spans() -> impl Strategy<Value = Vec<(bool, usize, usize)>> {
        prop::collection::vec((any::<bool>(), 0..60usize, 1..20usize), 0..8)
    }

    fn named(spans: &[(bool, usize, usize)]) -> Vec<Span<'static>> {
        spans
            .iter()
            .map(|&(doc, start, len)| span(if doc { "a" } else { "b" }, start, start + len))
            .collect()
    }

    proptest! {
        #[test]
        fn all_lie_between_zero_and_one_and_order_never_matters(passages in spans(), evidence in spans()) {
            let (passages, evidence) = (named(&passages), named(&evidence));
            let counts = SpanCounts::new(&passages, &evidence);
            for value in [counts.precision(), counts.recall(), counts.iou(), counts.precision_omega()] {
                prop_assert!((0.0..=1.0).contains(&value));
            }
            let backwards: Vec<Span<'_>> = passages.iter().rev().copied().collect();
            prop_assert_eq!(SpanCounts::new(&backwards, &evidence), counts);
        }

        #[test]
        fn one_passage_more_never_lowers_recall(passages in spans(), evidence in spans(), start in 0..60usize) {
            let (mut passages, evidence) = (named(&passages), named(&evidence));
            let before = SpanCounts::new(&passages, &evidence).recall();
            passages.push(span("a", start, start + 7));
            prop_assert!(SpanCounts::new(&passages, &evidence).recall() >= before);
        }
    }
}
