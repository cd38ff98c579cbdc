//! A byte range of a text, trimmed and counted.

use std::ops::Range;

use crate::text::quote::trim;
use crate::text::tokens::TokenCounter;
use crate::types::ByteRange;

/// Raised whenever the same input would give another range of the strategy `document`.
pub const VERSION: u32 = 1;

/// A range and the number of tokens of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub range: ByteRange,
    pub n_tokens: usize,
}

impl Piece {
    /// Trims `range` of `text` and counts what is left.
    pub(super) fn counted(text: &str, range: Range<usize>, counter: &dyn TokenCounter) -> Self {
        let range = trim(text, range.into());
        Self { range, n_tokens: counter.count(&text[range.as_range()]) }
    }

    /// Moves the piece `by` bytes towards the end.
    pub(super) fn shifted(self, by: usize) -> Self {
        Self { range: ByteRange::new(by + self.range.start, by + self.range.end), ..self }
    }
}

/// Returns the whole text as one piece of any size; none for a text of white space only.
pub(super) fn whole(text: &str, counter: &dyn TokenCounter) -> Vec<Piece> {
    let piece = Piece::counted(text, 0..text.len(), counter);
    if piece.range.is_empty() { Vec::new() } else { vec![piece] }
}
