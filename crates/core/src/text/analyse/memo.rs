//! Cache of terms by word, so that a word is not stemmed at each of its occurrences. Memory is bounded whatever is analysed.

use hashbrown::HashMap;

/// Number of words after which the cache begins again.
const MOST: usize = 1 << 16;

/// Maximum length in bytes of a cached word: longer ones rarely recur.
const LONGEST: usize = 23;

/// A cache of terms by word.
#[derive(Default)]
pub(super) struct Memo {
    terms: HashMap<String, String>,
    /// The last term of a word that is too long to be cached.
    long: String,
}

impl Memo {
    /// Returns the term of `word`, calling `make` if it is not cached; `None` if `make` returns an empty string.
    pub(super) fn term(&mut self, word: &str, make: impl FnOnce() -> String) -> Option<&str> {
        if word.len() > LONGEST {
            self.long = make();
            return (!self.long.is_empty()).then_some(&self.long);
        }
        if self.terms.len() >= MOST {
            self.terms.clear();
        }
        let term = self.terms.entry_ref(word).or_insert_with(make);
        (!term.is_empty()).then_some(term.as_str())
    }
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
    fn memory_is_bounded() {
        let mut memo = Memo::default();
        for n in 0..3 * MOST {
            let word = format!("word-{n}");
            assert_eq!(memo.term(&word, || word.clone()), Some(word.as_str()));
            assert!(memo.terms.len() <= MOST);
        }
        let long = "x".repeat(LONGEST + 1);
        assert_eq!(memo.term(&long, || long.clone()), Some(long.as_str()));
        assert!(!memo.terms.contains_key(long.as_str()));
    }
}
