//! Closed classes of words, written as one text each.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::OnceLock;

/// FNV-1a: every word of a text is looked up, and the tables are ours.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

type Quick = BuildHasherDefault<Fnv>;

/// Words or phrases separated by spaces; `_` is a space in a phrase.
pub(super) struct WordSet {
    text: &'static str,
    set: OnceLock<HashSet<&'static str, Quick>>,
    phrases: OnceLock<Vec<Vec<&'static str>>>,
}

impl WordSet {
    pub(super) const fn new(text: &'static str) -> Self {
        Self { text, set: OnceLock::new(), phrases: OnceLock::new() }
    }

    /// Returns true if it lists `word`.
    pub(super) fn has(&self, word: &str) -> bool {
        self.set.get_or_init(|| self.text.split(' ').collect()).contains(word)
    }

    /// Returns its phrases, each as its words.
    pub(super) fn phrases(&self) -> &[Vec<&'static str>] {
        let split = || self.text.split(' ').map(|phrase| phrase.split('_').collect()).collect();
        self.phrases.get_or_init(split)
    }
}

/// Words with their meanings, as `word=meaning`.
pub(super) struct WordMap {
    text: &'static str,
    map: OnceLock<HashMap<&'static str, &'static str, Quick>>,
}

impl WordMap {
    pub(super) const fn new(text: &'static str) -> Self {
        Self { text, map: OnceLock::new() }
    }

    /// Returns the pairs in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, &'static str)> {
        self.text.split(' ').filter_map(|pair| pair.split_once('='))
    }

    /// Returns the meaning of `word`.
    pub(super) fn get(&self, word: &str) -> Option<&'static str> {
        self.map.get_or_init(|| self.iter().collect()).get(word).copied()
    }

    /// Returns the meaning of `word` as a number.
    pub(super) fn number(&self, word: &str) -> Option<f64> {
        self.get(word)?.parse().ok()
    }
}
