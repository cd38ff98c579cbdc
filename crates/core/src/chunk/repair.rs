//! Repairs a chunker's ranges, so that they meet the guarantees of [`super`].
//!
//! Ranges are trimmed, those over size are split again, missing text is added, and ranges inside another range are
//! dropped. Ranges that already meet the guarantees pass unchanged.

use std::ops::Range;

use super::ChunkSpec;
use super::Piece;
use super::fixed;
use super::semantic::shifted;
use crate::text::quote::trim;
use crate::text::tokens::TokenCounter;
use crate::types::ByteRange;

/// A text is only tried as a whole up to this many bytes per token of the size: English has about 4.5 of `cl100k_base`,
/// and counting a longer text would be wasted.
const PLAUSIBLE_BYTES_PER_TOKEN: usize = 16;

/// Returns the whole text if it fits: every strategy then gives just that, at the price of one count up to the size.
pub(super) fn whole(text: &str, spec: &ChunkSpec, counter: &dyn TokenCounter) -> Option<Piece> {
    let range = trim(text, (0..text.len()).into());
    if range.is_empty() || range.len() / PLAUSIBLE_BYTES_PER_TOKEN > spec.size() {
        return None;
    }
    let n_tokens = counter.count_up_to(&text[range.as_range()], spec.size());
    (n_tokens <= spec.size()).then_some(Piece { range, n_tokens })
}

/// Turns `ranges`, in any order, into pieces of at most `size` tokens.
pub(super) fn repair(
    text: &str,
    ranges: Vec<ByteRange>,
    size: usize,
    counter: &dyn TokenCounter,
) -> Vec<Piece> {
    let mut pieces = Vec::with_capacity(ranges.len());
    let mut covered = 0;
    for range in ascending(ranges) {
        if range.start > covered {
            push_fitting(text, covered..range.start, size, counter, &mut pieces);
        }
        push_fitting(text, range.as_range(), size, counter, &mut pieces);
        covered = covered.max(range.end);
    }
    push_fitting(text, covered..text.len(), size, counter, &mut pieces);
    without_contained(pieces)
}

fn ascending(mut ranges: Vec<ByteRange>) -> Vec<ByteRange> {
    ranges.sort_unstable_by_key(|range| (range.start, std::cmp::Reverse(range.end)));
    ranges
}

/// Adds `range` of `text`, trimmed, if it fits, its fixed windows if it does not, and nothing if it is white space.
fn push_fitting(
    text: &str,
    range: Range<usize>,
    size: usize,
    counter: &dyn TokenCounter,
    pieces: &mut Vec<Piece>,
) {
    let range = trim(text, range.into());
    if range.is_empty() {
        return;
    }
    let own = &text[range.as_range()];
    let n_tokens = counter.count(own);
    if n_tokens <= size {
        pieces.push(Piece { range, n_tokens });
        return;
    }
    let windows = fixed::pieces(own, size, 0, counter).into_iter();
    pieces.extend(
        windows.map(|window| Piece { range: shifted(window.range, range.start), ..window }),
    );
}

fn without_contained(mut pieces: Vec<Piece>) -> Vec<Piece> {
    pieces.sort_unstable_by_key(|piece| (piece.range.start, std::cmp::Reverse(piece.range.end)));
    let mut covered = 0;
    // In this order, a range ends no later than a previous one exactly when that one contains it.
    pieces.retain(|piece| {
        let reaches_further = piece.range.end > covered;
        covered = covered.max(piece.range.end);
        reaches_further
    });
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::tokens::{Tokenizer, counter};

    fn repaired(text: &str, ranges: &[(usize, usize)], size: usize) -> Vec<(usize, usize)> {
        let chars = counter(Tokenizer::Chars, None).expect("chars need no model");
        let ranges = ranges.iter().map(|&range| range.into()).collect();
        repair(text, ranges, size, chars.as_ref())
            .into_iter()
            .map(|piece| piece.range.into())
            .collect()
    }

    #[test]
    fn ranges_that_keep_the_promises_pass_unchanged() {
        assert_eq!(repaired("ab cd ef", &[(0, 5), (3, 8)], 5), [(0, 5), (3, 8)]);
    }

    #[test]
    fn outer_white_space_and_what_lies_inside_another_go() {
        // " cd" becomes 3-5, which 0-5 holds; the duplicate of 0-5 goes too.
        assert_eq!(repaired("ab cd ef", &[(2, 5), (0, 5), (0, 6), (5, 8)], 5), [(0, 5), (6, 8)]);
    }

    #[test]
    fn a_range_over_size_is_cut_and_a_gap_is_filled() {
        // 0-5 is cut into 0-2, 2-4, 4-5; the gap 5-8 holds "f g", three chars: "f" and "g".
        assert_eq!(
            repaired("abcdef gh", &[(0, 5), (8, 9)], 2),
            [(0, 2), (2, 4), (4, 5), (5, 6), (7, 8), (8, 9)]
        );
    }
}
