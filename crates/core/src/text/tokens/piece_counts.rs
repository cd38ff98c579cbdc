//! Cache of token counts by piece, so that a word is not merged at each of its occurrences.
//!
//! A table of fixed size that all threads share: each piece has one slot, and a later piece with the same slot replaces it. Long
//! pieces are not cached.
//!
//! A slot is two numbers that are read and written separately, so a reader may see one of each of two pieces. It notices: the
//! first is stored combined with a hash of the second (Hyatt and Mann 2002, "A lock-less transposition table implementation").

use std::sync::atomic::{AtomicU64, Ordering};

use crate::text::short_key::{hash, short_key};

/// Number of slots: 1,048,576 take 16 MB, of which pages that are never used take none. A miss costs ten times what a slot outside
/// the second-level cache does.
const SLOTS: usize = 1 << 20;

/// The bits of a slot's second number with the count; a short piece has at most 15 tokens.
const COUNT_SHIFT: u32 = 60;

/// Token counts of pieces of one vocabulary.
pub(super) struct PieceCounts {
    slots: Box<[[AtomicU64; 2]]>,
}

impl Default for PieceCounts {
    fn default() -> Self {
        Self { slots: bytemuck::zeroed_slice_box(SLOTS) }
    }
}

impl PieceCounts {
    /// Returns the count of `piece`, calling `count` if it is not cached; `None` for a long piece. A piece of n bytes has at
    /// most n tokens.
    pub(super) fn of_short(&self, piece: &[u8], count: impl FnOnce() -> usize) -> Option<usize> {
        let key = short_key(piece)?;
        let [first, second] = &self.slots[hash(key) as usize % SLOTS];
        let (low, high) = (key as u64, (key >> 64) as u64);
        let found = second.load(Ordering::Relaxed);
        let is_of_piece = first.load(Ordering::Relaxed) ^ mixed(found) == low;
        if is_of_piece && found & !(0xf << COUNT_SHIFT) == high {
            return Some((found >> COUNT_SHIFT) as usize);
        }
        let n_tokens = count();
        let counted = high | (n_tokens as u64) << COUNT_SHIFT;
        first.store(low ^ mixed(counted), Ordering::Relaxed);
        second.store(counted, Ordering::Relaxed);
        Some(n_tokens)
    }
}

fn mixed(second: u64) -> u64 {
    hash(u128::from(second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_counted_once() {
        let counts = PieceCounts::default();
        assert_eq!(counts.of_short(b" word", || 2), Some(2));
        let again = counts.of_short(b" word", || panic!("counted again"));
        assert_eq!(again, Some(2));
        assert_eq!(counts.of_short(b" word\0", || 3), Some(3));
        assert_eq!(counts.of_short(b"fifteen letters", || 15), Some(15));
        let again = counts.of_short(b"fifteen letters", || panic!("counted again"));
        assert_eq!(again, Some(15));
    }

    #[test]
    fn long_pieces_are_not_counted() {
        let counts = PieceCounts::default();
        let long = counts.of_short(b"sixteen letters.", || panic!("counted"));
        assert_eq!(long, None);
    }

    #[test]
    fn pieces_that_share_a_slot_are_not_mixed_up_by_any_thread() {
        let counts = PieceCounts::default();
        let count_all = || {
            for number in 0..2 * SLOTS {
                let piece = format!("p{number}");
                let count = counts.of_short(piece.as_bytes(), || piece.len());
                assert_eq!(count, Some(piece.len()));
            }
        };
        std::thread::scope(|scope| {
            scope.spawn(count_all);
            scope.spawn(count_all);
        });
    }

    #[test]
    fn a_slot_with_halves_of_two_pieces_is_a_miss() {
        let [one, two] = [PieceCounts::default(), PieceCounts::default()];
        // The same second half, three letters and their number, with the first halves of two pieces.
        assert_eq!(one.of_short(b"lettersabc", || 1), Some(1));
        assert_eq!(two.of_short(b"numbersabc", || 2), Some(2));
        let slot = |piece: &[u8]| hash(short_key(piece).expect("short")) as usize % SLOTS;
        let second = &two.slots[slot(b"numbersabc")][1];
        one.slots[slot(b"lettersabc")][1].store(second.load(Ordering::Relaxed), Ordering::Relaxed);
        assert_eq!(one.of_short(b"lettersabc", || 5), Some(5));
    }
}
