//! Maps words and terms to numbers while an index is built, at one memory access for most of them.

use std::collections::HashMap;

use ragtriage_core::text::short_key::{hash, short_key};

use super::vocabulary::TermTexts;

/// Words numbered in order of first occurrence.
#[derive(Default)]
pub(super) struct WordNumbers {
    /// The words in the order of their numbers.
    pub(super) texts: TermTexts,
    /// A hash table with open addressing of the short words: their number is a power of two, and at most half of them are used.
    slots: Vec<Slot>,
    n_short: usize,
    long: HashMap<Box<[u8]>, u32>,
}

#[derive(Clone, Copy)]
struct Slot {
    /// The halves of the word's key; 0 in a free slot.
    key: [u64; 2],
    number: u32,
}

const FREE: Slot = Slot { key: [0; 2], number: 0 };

impl WordNumbers {
    /// Returns the number of `word`, a new one if it is unknown.
    ///
    /// # Panics
    /// Beyond 4 GiB of distinct words.
    pub(super) fn number(&mut self, word: &[u8]) -> u32 {
        let Some(key) = short_key(word).filter(|&key| key != 0) else {
            return self.of_long(word);
        };
        if self.slots.len() <= 2 * self.n_short {
            self.grow();
        }
        let halves = [key as u64, (key >> 64) as u64];
        let mask = self.slots.len() - 1;
        let mut at = hash(key) as usize & mask;
        while self.slots[at].key != FREE.key {
            if self.slots[at].key == halves {
                return self.slots[at].number;
            }
            at = (at + 1) & mask;
        }
        let number = self.texts.push(word);
        let key = halves;
        self.slots[at] = Slot { key, number };
        self.n_short += 1;
        number
    }

    fn of_long(&mut self, word: &[u8]) -> u32 {
        if let Some(&number) = self.long.get(word) {
            return number;
        }
        let number = self.texts.push(word);
        self.long.insert(word.into(), number);
        number
    }

    fn grow(&mut self) {
        let mut slots = vec![FREE; (4 * self.n_short).next_power_of_two().max(64)];
        let mask = slots.len() - 1;
        for &taken in self.slots.iter().filter(|slot| slot.key != FREE.key) {
            let [low, high] = taken.key;
            let mut at = hash(u128::from(high) << 64 | u128::from(low)) as usize & mask;
            while slots[at].key != FREE.key {
                at = (at + 1) & mask;
            }
            slots[at] = taken;
        }
        self.slots = slots;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_keep_their_numbers_however_many_follow() {
        let mut numbers = WordNumbers::default();
        // Short and long words, 4 to 24 bytes.
        let words = (0..20_000).map(|n| format!("{n}-{}", "x".repeat(n % 21)));
        let words: Vec<String> = words.collect();
        for _ in 0..2 {
            for (expected, word) in words.iter().enumerate() {
                assert_eq!(numbers.number(word.as_bytes()), expected as u32, "{word}");
            }
        }
        let texts = numbers.texts;
        assert!(texts.iter().eq(words.iter().map(String::as_bytes)));
    }

    #[test]
    fn the_empty_word_and_words_of_one_prefix_are_told_apart() {
        let mut numbers = WordNumbers::default();
        let words: [&[u8]; 6] = [b"", b"\0", b"12345678", b"123456789", b"12345678\0", b"1"];
        for _ in 0..2 {
            assert_eq!(words.map(|word| numbers.number(word)), [0, 1, 2, 3, 4, 5]);
        }
    }
}
