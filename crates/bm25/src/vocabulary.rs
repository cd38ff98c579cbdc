//! Maps terms to numbers: a hash table with open addressing that can be written to a file and searched there.
//!
//! Opening an index must not cost a pass over its terms, so the table is stored as it is. The length of `slots` is a
//! power of two, and at most half of them are used; a slot holds a term's number plus 1, or 0. A term is in the first
//! free slot from the one given by its hash.

/// Terms by their number.
#[derive(Default)]
pub(super) struct TermTexts {
    /// All terms, one after another.
    text: Vec<u8>,
    /// End of each term in `text`.
    ends: Vec<u32>,
}

impl TermTexts {
    /// Adds a term and returns its number.
    ///
    /// # Panics
    /// Beyond 4 GiB.
    pub(super) fn push(&mut self, term: &[u8]) -> u32 {
        self.text.extend_from_slice(term);
        let end = u32::try_from(self.text.len()).expect("distinct terms fit in 4 GiB");
        self.ends.push(end);
        self.ends.len() as u32 - 1
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|number| self.get(number))
    }

    fn get(&self, number: usize) -> &[u8] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start as usize..self.ends[number] as usize]
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the end of each term in [`Self::text`].
    pub(super) fn ends(&self) -> &[u32] {
        &self.ends
    }

    pub(super) fn text(&self) -> &[u8] {
        &self.text
    }
}

/// Terms numbered in order of first occurrence.
#[derive(Default)]
pub(super) struct TermNumbers {
    terms: TermTexts,
    /// Each slot holds a term's number plus 1, or 0, and the term's hash in the upper half, so that most other terms
    /// are skipped without reading their text.
    slots: Vec<u64>,
}

impl TermNumbers {
    /// Returns the number of `term`, a new one if it is unknown.
    ///
    /// # Panics
    /// Beyond 4 GiB of distinct terms.
    pub(super) fn number(&mut self, term: &[u8]) -> u32 {
        if self.slots.len() <= 2 * self.terms.len() {
            self.grow();
        }
        let (hash, mask) = (hash(term), self.slots.len() - 1);
        let mut slot = hash as usize & mask;
        while self.slots[slot] != 0 {
            let number = self.slots[slot] as u32 - 1;
            if (self.slots[slot] >> 32) as u32 == hash && self.terms.get(number as usize) == term {
                return number;
            }
            slot = (slot + 1) & mask;
        }
        let number = self.terms.push(term);
        self.slots[slot] = u64::from(hash) << 32 | u64::from(number + 1);
        number
    }

    fn grow(&mut self) {
        let mut slots = vec![0; (4 * self.terms.len()).next_power_of_two().max(64)];
        let mask = slots.len() - 1;
        for &taken in self.slots.iter().filter(|&&taken| taken != 0) {
            let mut slot = (taken >> 32) as usize & mask;
            while slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = taken;
        }
        self.slots = slots;
    }

    pub(super) fn terms(&self) -> &TermTexts {
        &self.terms
    }

    /// Returns the number of slots of the table.
    pub(super) fn n_slots(&self) -> usize {
        self.slots.len()
    }

    /// Returns the table in the form that [`find`] reads.
    pub(super) fn slots(&self) -> impl Iterator<Item = u32> {
        self.slots.iter().map(|&taken| taken as u32)
    }
}

/// Returns the number for which `is` holds, among those in the `slots` for the hash of `term`.
pub(super) fn find(slots: &[u32], term: &[u8], is: impl Fn(u32) -> bool) -> Option<u32> {
    let mask = slots.len().checked_sub(1)?;
    let first = hash(term) as usize & mask;
    // At most as many steps as slots: a damaged table may have no free one.
    let chain = slots[first..]
        .iter()
        .chain(&slots[..first])
        .take_while(|&&slot| slot != 0);
    chain.map(|slot| slot - 1).find(|&number| is(number))
}

/// Hashes eight bytes at a time, each multiplied to 128 bits whose halves are folded together (the step of wyhash).
/// Part of the file format: another hash needs a new [`super::image::VERSION`].
fn hash(term: &[u8]) -> u32 {
    // 2^64 over the golden ratio: an odd number without a pattern.
    const FACTOR: u128 = 0x9e37_79b9_7f4a_7c15;
    let mix = |hash: u64, word: [u8; 8]| {
        let product = u128::from(hash ^ u64::from_le_bytes(word)) * FACTOR;
        (product >> 64) as u64 ^ product as u64
    };
    let (words, rest) = term.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let hash = mix(
        words
            .iter()
            .fold(term.len() as u64, |hash, &word| mix(hash, word)),
        last,
    );
    (hash >> 32) as u32 ^ hash as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_keep_their_numbers_however_many_follow() {
        let mut vocabulary = TermNumbers::default();
        let terms: Vec<String> = (0..5000).map(|n| format!("term-{n}")).collect();
        for round in 0..2 {
            for (number, term) in terms.iter().enumerate() {
                assert_eq!(
                    vocabulary.number(term.as_bytes()),
                    number as u32,
                    "round {round}"
                );
            }
        }
        assert_eq!(vocabulary.terms().len(), 5000);
        let slots: Vec<u32> = vocabulary.slots().collect();
        for (number, term) in terms.iter().enumerate() {
            let is = |number: u32| vocabulary.terms.get(number as usize) == term.as_bytes();
            assert_eq!(find(&slots, term.as_bytes(), is), Some(number as u32));
        }
        assert_eq!(
            find(&slots, b"unknown", |number| vocabulary
                .terms
                .get(number as usize)
                == b"unknown"),
            None
        );
    }

    #[test]
    fn the_empty_term_and_terms_of_one_prefix_are_told_apart() {
        let mut vocabulary = TermNumbers::default();
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
