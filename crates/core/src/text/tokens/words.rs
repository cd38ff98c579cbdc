//! `words`: one token per maximal run without white space.
//!
//! Not the word segmentation of UAX #29, which counts each punctuation mark and each ideograph: no published chunk size
//! in "words" means that. A script written without spaces is one long word here; use `chars` or a byte-pair counter for
//! it.

use super::TokenCounter;

/// Counts as Python's `len(text.split())` and `wc -w` do.
pub(super) struct WordCounter;

impl TokenCounter for WordCounter {
    fn count(&self, text: &str) -> usize {
        text.split_whitespace().count()
    }

    /// Returns the start of each word; the first is 0 even if white space precedes the first word, as the contract
    /// requires.
    fn starts(&self, text: &str) -> Vec<usize> {
        let mut starts = Vec::new();
        let mut in_word = false;
        for (start, char) in text.char_indices() {
            if !char.is_whitespace() && !in_word {
                starts.push(start);
            }
            in_word = !char.is_whitespace();
        }
        if let Some(first) = starts.first_mut() {
            *first = 0;
        }
        starts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_ends_only_at_white_space() {
        // well-known: | it's | 18.5 | %, separated by a space, a no-break space and a space.
        assert_eq!(WordCounter.count("well-known: it's\u{a0}18.5 %\r\n"), 4);
        // "ab" at 0, "c," after one space at 3, "d" after a line break at 6.
        assert_eq!(WordCounter.starts("ab c,\nd "), [0, 3, 6]);
    }

    #[test]
    fn leading_white_space_belongs_to_the_first_word() {
        assert_eq!(WordCounter.starts("  ab c"), [0, 5]);
        assert_eq!(WordCounter.starts(" \t\n"), Vec::<usize>::new());
    }
}
