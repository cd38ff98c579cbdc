//! Terms to numbers: a hash table with open addressing that can be written to a file and searched there.
//!
//! Opening an index must not cost a pass over its terms, so the table is kept as it is: `slots` is a power of two long
//! and at most half full; a slot holds a term's number plus 1, or 0. A term stands in the first free slot from the one
//! its hash names.

/// Terms numbered in the order in which they were first seen.
#[derive(Default)]
pub(super) struct Vocabulary {
    /// All terms, one after the other.
    text: Vec<u8>,
    /// Where each ends in `text`, and its hash.
    terms: Vec<(u32, u32)>,
    slots: Vec<u32>,
}

impl Vocabulary {
    /// The number of `term`, a new one if it was never seen.
    ///
    /// # Panics
    /// Beyond 4 GiB of distinct terms.
    pub(super) fn number(&mut self, term: &[u8]) -> u32 {
        self.number_hashed(term, hash(term))
    }

    /// [`Self::number`] where the hash is known.
    fn number_hashed(&mut self, term: &[u8], hash: u32) -> u32 {
        if self.slots.len() <= 2 * self.terms.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            match self.slots[slot] {
                0 => break,
                taken if self.terms[taken as usize - 1].1 == hash && self.text(taken as usize - 1) == term => {
                    return taken - 1;
                }
                _ => slot = (slot + 1) & mask,
            }
        }
        self.text.extend_from_slice(term);
        let end = u32::try_from(self.text.len()).expect("distinct terms fit in 4 GiB");
        self.terms.push((end, hash));
        self.slots[slot] = self.terms.len() as u32;
        self.slots[slot] - 1
    }

    fn grow(&mut self) {
        self.slots = vec![0; (4 * self.terms.len()).next_power_of_two().max(64)];
        let mask = self.slots.len() - 1;
        for (number, &(_, hash)) in self.terms.iter().enumerate() {
            let mut slot = hash as usize & mask;
            while self.slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.slots[slot] = number as u32 + 1;
        }
    }

    fn text(&self, number: usize) -> &[u8] {
        let start = number.checked_sub(1).map_or(0, |before| self.terms[before].0);
        &self.text[start as usize..self.terms[number].0 as usize]
    }

    /// Numbers all terms of `other`, in its order.
    pub(super) fn absorb(&mut self, other: &Self) -> Vec<u32> {
        let terms = other.terms.iter().enumerate();
        terms.map(|(number, &(_, hash))| self.number_hashed(other.text(number), hash)).collect()
    }

    pub(super) fn len(&self) -> usize {
        self.terms.len()
    }

    /// Where each term ends in [`Self::all_text`].
    pub(super) fn ends(&self) -> impl Iterator<Item = u32> {
        self.terms.iter().map(|&(end, _)| end)
    }

    pub(super) fn all_text(&self) -> &[u8] {
        &self.text
    }

    /// The table, as [`find`] wants it.
    pub(super) fn slots(&self) -> &[u32] {
        &self.slots
    }
}

/// The number for which `is` holds, among those that `slots` names for the hash of `term`.
pub(super) fn find(slots: &[u32], term: &[u8], is: impl Fn(u32) -> bool) -> Option<u32> {
    let mask = slots.len().checked_sub(1)?;
    let first = hash(term) as usize & mask;
    // Not more steps than slots: a damaged table may have no free one.
    let chain = slots[first..].iter().chain(&slots[..first]).take_while(|&&slot| slot != 0);
    chain.map(|slot| slot - 1).find(|&number| is(number))
}

/// rustc-hash's multiplication and rotation over eight bytes at a time, with its upper half folded in at the end. It is
/// part of the file format: another hash is another [`super::image::VERSION`].
fn hash(term: &[u8]) -> u32 {
    const FACTOR: u64 = 0x517c_c1b7_2722_0a95;
    let mix = |hash: u64, word: [u8; 8]| (hash.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR);
    let (words, rest) = term.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let hash = mix(words.iter().fold(term.len() as u64, |hash, &word| mix(hash, word)), last);
    (hash >> 32) as u32 ^ hash as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_keep_their_numbers_however_many_follow() {
        let mut vocabulary = Vocabulary::default();
        let terms: Vec<String> = (0..5000).map(|n| format!("term-{n}")).collect();
        for round in 0..2 {
            for (number, term) in terms.iter().enumerate() {
                assert_eq!(vocabulary.number(term.as_bytes()), number as u32, "round {round}");
            }
        }
        assert_eq!(vocabulary.len(), 5000);
        for (number, term) in terms.iter().enumerate() {
            let is = |number: u32| vocabulary.text(number as usize) == term.as_bytes();
            assert_eq!(find(vocabulary.slots(), term.as_bytes(), is), Some(number as u32));
        }
        assert_eq!(find(vocabulary.slots(), b"unknown", |number| vocabulary.text(number as usize) == b"unknown"), None);
    }

    #[test]
    fn the_empty_term_and_terms_of_one_prefix_are_told_apart() {
        let mut vocabulary = Vocabulary::default();
        let terms: [&[u8]; 5] = [b"", b"\0", b"12345678", b"123456789", b"12345678\0"];
        assert_eq!(terms.map(|term| vocabulary.number(term)), [0, 1, 2, 3, 4]);
        assert_eq!(terms.map(|term| vocabulary.number(term)), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn a_table_without_a_free_slot_or_without_any_is_searched_to_an_end() {
        assert_eq!(find(&[1, 1, 1, 1], b"a", |_| false), None);
        assert_eq!(find(&[], b"a", |_| true), None);
    }
}
