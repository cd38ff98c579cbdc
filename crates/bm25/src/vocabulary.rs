//! Words and terms with their numbers: a hash table with open addressing, in memory while an index is built, and in its file.
//!
//! Opening an index must not cost a pass over its terms, so the table is stored as it is. The length of `slots` is a
//! power of two, and at most half of them are used; a slot holds a term's number plus 1, or 0. A term is in the first
//! free slot from the one given by its hash.

/// Terms numbered in order of first occurrence.
#[derive(Default)]
pub(super) struct Vocabulary {
    /// All terms, one after another.
    pub(super) text: Vec<u8>,
    /// End of each term in `text`.
    pub(super) ends: Vec<u32>,
    /// The table, which [`find`] searches.
    pub(super) slots: Vec<u32>,
}

impl Vocabulary {
    /// Returns the number of `term`, a new one if it is unknown.
    ///
    /// # Panics
    /// Beyond 4 GiB of distinct terms.
    pub(super) fn number(&mut self, term: &[u8]) -> u32 {
        if self.slots.len() < 2 * (self.len() + 1) {
            self.grow();
        }
        let mut slot = hash(term) as usize & (self.slots.len() - 1);
        while let Some(number) = self.slots[slot].checked_sub(1) {
            if self.get(number as usize) == term {
                return number;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.text.extend_from_slice(term);
        let end = u32::try_from(self.text.len()).expect("distinct terms fit in 4 GiB");
        self.ends.push(end);
        self.slots[slot] = self.len() as u32;
        self.len() as u32 - 1
    }

    fn grow(&mut self) {
        let mut slots = vec![0; (2 * self.slots.len()).max(64)];
        let mask = slots.len() - 1;
        for (taken, term) in (1..).zip(self.iter()) {
            let mut slot = hash(term) as usize & mask;
            while slots[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            slots[slot] = taken;
        }
        self.slots = slots;
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
}

/// Returns the number for which `is` holds, among those in the `slots` for the hash of `term`.
pub(super) fn find(slots: &[u32], term: &[u8], is: impl Fn(u32) -> bool) -> Option<u32> {
    let mask = slots.len().checked_sub(1)?;
    let first = hash(term) as usize & mask;
    // At most as many steps as slots: a damaged table may have no free one.
    let chain = slots[first..].iter().chain(&slots[..first]).take_while(|&&slot| slot != 0);
    chain.map(|slot| slot - 1).find(|&number| is(number))
}

/// Hashes eight bytes at a time, each multiplied to 128 bits whose halves are folded together (the step of wyhash).
/// Part of the file format: another hash needs a new [`super::image::MAGIC`].
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
    let hash = mix(words.iter().fold(term.len() as u64, |hash, &word| mix(hash, word)), last);
    (hash >> 32) as u32 ^ hash as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_term_has_one_number_and_is_found_by_it() {
        let mut terms = Vocabulary::default();
        let mut names: Vec<String> = (0..5000).map(|n| format!("term-{n}")).collect();
        names.extend(["", "\0", "12345678", "123456789", "12345678\0"].map(str::to_owned));
        for _ in 0..2 {
            for (number, term) in names.iter().enumerate() {
                assert_eq!(terms.number(term.as_bytes()), number as u32);
            }
        }
        assert_eq!(terms.len(), 5005);
        assert!(terms.iter().eq(names.iter().map(String::as_bytes)));
        let find =
            |term: &[u8]| find(&terms.slots, term, |number| terms.get(number as usize) == term);
        for (number, term) in names.iter().enumerate() {
            assert_eq!(find(term.as_bytes()), Some(number as u32));
        }
        assert_eq!(find(b"unknown"), None);
    }

    #[test]
    fn a_table_without_a_free_slot_or_without_any_is_searched_to_an_end() {
        assert_eq!(find(&[1, 1, 1, 1], b"a", |_| false), None);
        assert_eq!(find(&[], b"a", |_| true), None);
    }
}
