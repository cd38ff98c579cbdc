//! Cache of token counts by piece, so that a word is not merged at each of its occurrences.
//!
//! A table of fixed size: each piece has one slot, and a later piece with the same slot replaces it. Long pieces are not
//! cached.

/// Number of slots: 65,536 take 1.1 MB. A miss costs ten times what a slot outside the second-level cache does.
const SLOTS: usize = 1 << 16;

/// Maximum length in bytes of a cached piece: with its length it fills 16 bytes.
const LONGEST: usize = 15;

/// Token counts of pieces of one vocabulary.
pub(super) struct PieceCounts {
    /// The piece in each slot, with its length in the last byte; 0 if the slot is empty, since no piece is.
    pieces: Box<[u128]>,
    counts: Box<[u8]>,
}

impl Default for PieceCounts {
    fn default() -> Self {
        Self {
            pieces: vec![0; SLOTS].into_boxed_slice(),
            counts: vec![0; SLOTS].into_boxed_slice(),
        }
    }
}

impl PieceCounts {
    /// Returns the count of `piece`, calling `count` if it is not cached; `None` for a long piece. A piece of n bytes has at
    /// most n tokens.
    pub(super) fn of_short(
        &mut self,
        piece: &[u8],
        count: impl FnOnce() -> usize,
    ) -> Option<usize> {
        if piece.len() > LONGEST {
            return None;
        }
        let mut bytes = [0; LONGEST + 1];
        bytes[..piece.len()].copy_from_slice(piece);
        bytes[LONGEST] = piece.len() as u8;
        let key = u128::from_le_bytes(bytes);
        let slot = slot(key);
        if self.pieces[slot] != key {
            self.counts[slot] = count() as u8;
            self.pieces[slot] = key;
        }
        Some(usize::from(self.counts[slot]))
    }
}

/// Multiplies the halves together (the step of wyhash) and takes the upper bits.
fn slot(key: u128) -> usize {
    // The fractional digits of pi and of e: odd numbers without a pattern.
    const FACTORS: [u64; 2] = [0x243f_6a88_85a3_08d3, 0xb7e1_5162_8aed_2a6b];
    let (low, high) = (key as u64 ^ FACTORS[0], (key >> 64) as u64 ^ FACTORS[1]);
    let product = u128::from(low) * u128::from(high);
    ((product >> 64) as u64 ^ product as u64) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_piece_is_counted_once() {
        let mut counts = PieceCounts::default();
        assert_eq!(counts.of_short(b" word", || 2), Some(2));
        let again = counts.of_short(b" word", || panic!("counted again"));
        assert_eq!(again, Some(2));
        assert_eq!(counts.of_short(b" word\0", || 3), Some(3));
    }

    #[test]
    fn long_pieces_are_not_counted() {
        let mut counts = PieceCounts::default();
        let long = counts.of_short(b"sixteen letters.", || panic!("counted"));
        assert_eq!(long, None);
    }

    #[test]
    fn pieces_that_share_a_slot_are_not_mixed_up() {
        let mut counts = PieceCounts::default();
        for _ in 0..2 {
            for number in 0..3 * SLOTS {
                let piece = format!("p{number}");
                let count = counts.of_short(piece.as_bytes(), || piece.len());
                assert_eq!(count, Some(piece.len()));
            }
        }
    }
}
