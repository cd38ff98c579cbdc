//! `chars`: one token per Unicode scalar value, as Python's `len` counts.

use super::counter::TokenCounter;

/// Counts Unicode scalar values: an `e` with a combining accent is two.
pub(super) struct CharCounter;

impl TokenCounter for CharCounter {
    fn count(&self, text: &str) -> usize {
        text.chars().count()
    }

    fn starts(&self, text: &str) -> Vec<usize> {
        text.char_indices().map(|(start, _)| start).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_char_is_a_scalar_value_whatever_its_bytes() {
        // é as e + U+0301 (1 + 2 bytes), then an emoji of 4 bytes, then x.
        assert_eq!(CharCounter.count("e\u{301}🦀x"), 4);
        assert_eq!(CharCounter.starts("e\u{301}🦀x"), [0, 1, 3, 7]);
    }
}
