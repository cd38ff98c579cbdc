//! Cache of terms by word, so that a word is not stemmed at each of its occurrences.
//!
//! A table of fixed size: each word has one slot, and a later word with the same slot replaces it. Long words are not
//! cached. Memory is therefore bounded whatever is analysed.

/// Number of slots: 65,536 take 3 MB. A miss costs ten times what a slot outside the second-level cache does.
const PLACES: usize = 1 << 16;

/// Maximum length in bytes of a cached word or term; with two lengths an entry fills 48 bytes.
const LONGEST: usize = 23;

#[derive(Clone, Copy)]
struct MemoEntry {
    word: [u8; LONGEST],
    term: [u8; LONGEST],
    /// 0 if the slot is empty: no word is empty.
    word_length: u8,
    /// 0 if the word is dropped.
    term_length: u8,
}

const FREE: MemoEntry =
    MemoEntry { word: [0; LONGEST], term: [0; LONGEST], word_length: 0, term_length: 0 };

/// A cache of terms by word.
pub(super) struct Memo {
    places: Box<[MemoEntry]>,
    /// The last term that is too long to be cached.
    long: String,
}

impl Default for Memo {
    fn default() -> Self {
        Self { places: vec![FREE; PLACES].into_boxed_slice(), long: String::new() }
    }
}

impl Memo {
    /// Returns the term of `word`, calling `make` if it is not cached; `None` if `make` returns an empty string.
    pub(super) fn term(&mut self, word: &str, make: impl FnOnce() -> String) -> Option<&str> {
        let bytes = word.as_bytes();
        let place = &mut self.places[hash(bytes) % PLACES];
        if usize::from(place.word_length) != bytes.len() || place.word[..bytes.len()] != *bytes {
            let term = make();
            if bytes.is_empty() || bytes.len() > LONGEST || term.len() > LONGEST {
                self.long = term;
                return (!self.long.is_empty()).then_some(&self.long);
            }
            place.word[..bytes.len()].copy_from_slice(bytes);
            place.term[..term.len()].copy_from_slice(term.as_bytes());
            (place.word_length, place.term_length) = (bytes.len() as u8, term.len() as u8);
        }
        let term = std::str::from_utf8(&place.term[..usize::from(place.term_length)]);
        term.ok().filter(|term| !term.is_empty())
    }
}

/// Hashes by FNV-1a's steps over eight bytes at a time, with the upper bits folded in.
fn hash(word: &[u8]) -> usize {
    let (words, rest) = word.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let hash =
        words.iter().fold(word.len() as u64, |hash, &word| step(hash, u64::from_le_bytes(word)));
    (step(hash, u64::from_le_bytes(last)) >> 7) as usize
}

fn step(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_made_once_and_read_as_it_was_made() {
        let mut memo = Memo::default();
        assert_eq!(memo.term("running", || "run".to_owned()), Some("run"));
        assert_eq!(memo.term("running", || panic!("made again")), Some("run"));
        assert_eq!(memo.term("the", String::new), None);
        assert_eq!(memo.term("the", || panic!("made again")), None);
    }

    #[test]
    fn long_words_are_made_each_time() {
        let mut memo = Memo::default();
        for term in ["a", "b", ""] {
            let made = memo
                .term("a-word-of-twenty-four-ch", || term.to_owned())
                .unwrap_or_default()
                .to_owned();
            assert_eq!(made, term);
        }
        // U+0130 becomes longer in lower case.
        let long = "x".repeat(LONGEST + 1);
        assert_eq!(memo.term("short", || long.clone()), Some(long.as_str()));
        assert_eq!(memo.term("short", || "y".to_owned()), Some("y"));
    }

    #[test]
    fn words_that_share_a_place_are_told_apart() {
        let mut memo = Memo::default();
        for round in 0..2 {
            for n in 0..3 * PLACES {
                let word = format!("word-{n}");
                assert_eq!(memo.term(&word, || word.clone()), Some(word.as_str()), "round {round}");
            }
        }
    }
}
