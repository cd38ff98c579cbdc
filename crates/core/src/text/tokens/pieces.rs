//! Splits a text into the pieces in which byte pairs are merged, with a fast path for plain words.
//!
//! `bpe-openai` finds each piece with a regular expression. The fast path takes a word of ASCII letters alone, with the space before it, if
//! what follows cannot belong to it; and a full stop or comma before a space. Everything else goes to the expression.

use bpe_openai::cl100k_base;

/// The pieces of a text, in order.
pub(super) struct Pieces<'t> {
    rest: &'t str,
}

impl<'t> Pieces<'t> {
    /// Creates the iterator over the pieces of `text`.
    pub(super) fn new(text: &'t str) -> Self {
        Self { rest: text }
    }
}

impl<'t> Iterator for Pieces<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let length = match plain_piece(self.rest.as_bytes()) {
            Some(length) => length,
            None => cl100k_base().split(self.rest).next()?.len(),
        };
        let (piece, rest) = self.rest.split_at(length);
        self.rest = rest;
        Some(piece)
    }
}

/// Returns the length of the first piece of `text` if it is a plain word, or punctuation between a word and a space.
fn plain_piece(text: &[u8]) -> Option<usize> {
    if let [b'.' | b',', b' ', ..] = text {
        return Some(1);
    }
    let mut length = usize::from(text.first() == Some(&b' '));
    length += usize::from(text.get(length).is_some_and(u8::is_ascii_uppercase));
    let letters = text[length..].iter();
    let n_small = letters.take_while(|byte| byte.is_ascii_lowercase()).count();
    length += n_small;
    let ends = text.get(length).is_none_or(|next| next.is_ascii() && !next.is_ascii_alphabetic());
    (n_small > 0 && ends).then_some(length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{Strategy, any, prop, prop_assert_eq, prop_oneof, proptest};

    use super::*;

    #[test]
    fn words_before_anything_that_could_go_on_are_left_to_the_pattern() {
        assert_eq!(plain_piece(b" Word."), Some(5));
        assert_eq!(plain_piece(b"word"), Some(4));
        assert_eq!(plain_piece(b". Next"), Some(1));
        assert_eq!(plain_piece(b"word's"), Some(4));
        for other in ["wordX", "XWord", "  word", "wordé", "7", ".", "", " "] {
            assert_eq!(plain_piece(other.as_bytes()), None, "{other}");
        }
    }

    proptest! {
        #[test]
        fn pieces_are_those_of_the_pattern(
            parts in prop::collection::vec(
                prop_oneof![
                    4 => "[a-z]{1,6}",
                    2 => "[A-Za-zé\u{301}ʰ]{1,4}",
                    3 => "[ \t\n\u{a0}]{1,3}",
                    2 => "[.,'!]{1,2}",
                    1 => "'(s|LL)",
                    1 => "[0-9]{1,4}",
                    1 => any::<char>().prop_map(String::from),
                ],
                0..40,
            ),
        ) {
            let text = parts.concat();
            let expected: Vec<&str> = cl100k_base().split(&text).collect();
            prop_assert_eq!(Pieces::new(&text).collect::<Vec<_>>(), expected);
        }
    }
}
