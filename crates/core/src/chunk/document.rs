//! `document`: the whole text as one chunk.
//!
//! Size is unlimited: `size` and `overlap` are ignored, and an encoder may read only the beginning.

use super::piece::{Piece, trim};
use crate::text::tokens::TokenCounter;

/// Raised whenever the same input would give another range.
pub const VERSION: u32 = 1;

/// Returns one piece without outer white space; none for a text of white space only.
pub(super) fn pieces(text: &str, counter: &dyn TokenCounter) -> Vec<Piece> {
    let range = trim(text, 0..text.len());
    if range.is_empty() {
        return Vec::new();
    }
    vec![Piece { range, n_tokens: counter.count(&text[range.as_range()]) }]
}
