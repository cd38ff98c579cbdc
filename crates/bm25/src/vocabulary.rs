//! The terms of an index, and a hash table with open addressing that finds their numbers in a file.
//!
//! Opening an index must not cost a pass over its terms, so the table is stored as it is. The length of `slots` is a
//! power of two, and at most half of them are used; a slot holds a term's number plus 1, or 0. A term is in the first
//! free slot from the one given by its hash.

/// Terms by their number.
#[derive(Default)]
pub(super) struct TermTexts {
    /// All terms, one after another.
    pub(super) text: Vec<u8>,
    /// End of each term in `text`.
    pub(super) ends: Vec<u32>,
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
}

/// Returns the number of slots of the table for `n_terms` terms.
pub(super) fn n_slots(n_terms: usize) -> usize {
    (2 * n_terms).next_power_of_two().max(64)
}

/// Returns the table of `terms`, which [`find`] searches.
pub(super) fn slots(terms: &TermTexts) -> Vec<u32> {
    let mut slots = vec![0; n_slots(terms.len())];
    let mask = slots.len() - 1;
    for (taken, term) in (1..).zip(terms.iter()) {
        let mut slot = hash(term) as usize & mask;
        while slots[slot] != 0 {
            slot = (slot + 1) & mask;
        }
        slots[slot] = taken;
    }
    slots
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
    let hash = mix(words.iter().fold(term.len() as u64, |hash, &word| mix(hash, word)), last);
    (hash >> 32) as u32 ^ hash as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_term_is_found_by_its_number() {
        let mut terms = TermTexts::default();
        let mut names: Vec<String> = (0..5000).map(|n| format!("term-{n}")).collect();
        names.extend(["", "\0", "12345678", "123456789", "12345678\0"].map(str::to_owned));
        for (number, term) in names.iter().enumerate() {
            assert_eq!(terms.push(term.as_bytes()), number as u32);
        }
        assert_eq!(terms.len(), 5005);
        let slots = slots(&terms);
        let find = |term: &[u8]| find(&slots, term, |number| terms.get(number as usize) == term);
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
