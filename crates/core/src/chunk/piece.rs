//! A byte range of a text, trimmed and counted.

use std::ops::Range;

use crate::text::tokens::TokenCounter;
use crate::types::ByteRange;

/// A range and the number of tokens of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub range: ByteRange,
    pub n_tokens: usize,
}

impl Piece {
    /// Trims `range` of `text` and counts what is left.
    pub(super) fn counted(text: &str, range: Range<usize>, counter: &dyn TokenCounter) -> Self {
        let range = trim(text, range);
        Self { range, n_tokens: counter.count(&text[range.as_range()]) }
    }

    /// Moves the piece `by` bytes towards the end.
    pub(super) fn shifted(self, by: usize) -> Self {
        Self { range: ByteRange::new(by + self.range.start, by + self.range.end), ..self }
    }
}

/// Cuts outer white space from `range` of `text`; empty where there is nothing else.
pub(super) fn trim(text: &str, range: Range<usize>) -> ByteRange {
    let slice = &text[range.start..range.end];
    let start = range.start + (slice.len() - slice.trim_start().len());
    ByteRange::new(start, start + slice.trim().len())
}
