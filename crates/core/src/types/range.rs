//! Half-open byte ranges of a document's text, and sets of them.
//!
//! Gold evidence and chunks are both ranges, so that a label survives every re-chunking. All offsets are
//! **bytes** on char boundaries, never code points.

use std::fmt;
use std::ops::Range;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A half-open range `start..end` in bytes, written `[start, end]` in JSON.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(from = "(usize, usize)", into = "(usize, usize)")]
pub struct ByteRange {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl ByteRange {
    /// Creates the range `start..end`; empty when `end <= start`.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    /// Returns its length in bytes.
    #[must_use]
    pub fn len(self) -> usize {
        self.end - self.start
    }

    /// Returns true if it holds no byte.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Returns true if the two share at least one byte.
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// Returns true if every byte of `other` is in `self`.
    #[must_use]
    pub fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns it as the standard library's range, for slicing.
    #[must_use]
    pub fn as_range(self) -> Range<usize> {
        self.start..self.end
    }
}

impl From<(usize, usize)> for ByteRange {
    fn from((start, end): (usize, usize)) -> Self {
        Self::new(start, end)
    }
}

impl From<ByteRange> for (usize, usize) {
    fn from(range: ByteRange) -> Self {
        (range.start, range.end)
    }
}

impl From<Range<usize>> for ByteRange {
    fn from(range: Range<usize>) -> Self {
        Self::new(range.start, range.end)
    }
}

impl fmt::Display for ByteRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.start, self.end)
    }
}

/// A union of byte ranges of one document: sorted, disjoint, not touching, none empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RangeSet(Vec<ByteRange>);

impl RangeSet {
    /// Creates the union of `ranges`, in any order, overlapping or not.
    #[must_use]
    pub fn union(ranges: impl IntoIterator<Item = ByteRange>) -> Self {
        let mut sorted: Vec<ByteRange> =
            ranges.into_iter().filter(|range| !range.is_empty()).collect();
        sorted.sort_unstable();
        let mut merged: Vec<ByteRange> = Vec::with_capacity(sorted.len());
        for range in sorted {
            match merged.last_mut() {
                Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
                _ => merged.push(range),
            }
        }
        Self(merged)
    }

    /// Returns the ranges, ascending.
    #[must_use]
    pub fn ranges(&self) -> &[ByteRange] {
        &self.0
    }

    /// Returns the number of bytes it holds.
    #[must_use]
    pub fn len_bytes(&self) -> usize {
        self.0.iter().map(|range| range.len()).sum()
    }

    /// Returns the bytes in both `self` and `other`.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let (mut i, mut j, mut shared) = (0, 0, Vec::new());
        while let (Some(a), Some(b)) = (self.0.get(i), other.0.get(j)) {
            let range = ByteRange::new(a.start.max(b.start), a.end.min(b.end));
            if !range.is_empty() {
                shared.push(range);
            }
            if a.end <= b.end { i += 1 } else { j += 1 }
        }
        Self(shared)
    }

    /// Returns true if every byte of `other` is in `self`. The empty set is covered by any.
    #[must_use]
    pub fn covers(&self, other: &Self) -> bool {
        self.intersection(other).len_bytes() == other.len_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(ranges: &[(usize, usize)]) -> RangeSet {
        RangeSet::union(ranges.iter().map(|&range| range.into()))
    }

    #[test]
    fn a_union_merges_what_overlaps_or_touches() {
        assert_eq!(set(&[(5, 9), (0, 3), (3, 5), (12, 12)]), set(&[(0, 9)]));
    }

    #[test]
    fn an_intersection_keeps_only_shared_bytes() {
        // 0..10 and 20..30 against 5..25: 5..10 and 20..25, ten bytes in all.
        let shared = set(&[(0, 10), (20, 30)]).intersection(&set(&[(5, 25)]));
        assert_eq!(shared, set(&[(5, 10), (20, 25)]));
        assert_eq!(shared.len_bytes(), 10);
    }

    #[test]
    fn a_gap_of_one_byte_is_not_covered() {
        assert!(set(&[(0, 4), (4, 9)]).covers(&set(&[(2, 8)])));
        assert!(!set(&[(0, 4), (5, 9)]).covers(&set(&[(2, 8)])));
    }
}
