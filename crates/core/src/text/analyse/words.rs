//! Words by UAX #29, with a fast path for ASCII.
//!
//! `unicode-segmentation` finds the class of every character. For ASCII alone the rules reduce to these: letters,
//! digits and `_` join; `.`, `'` and `:` join two letters; `.`, `'`, `,` and `;` join two digits; everything else
//! separates. Other text takes the slow path, from the white space before it to the white space after it: no rule of
//! UAX #29 reads past a space, and none joins a space to what precedes it except another space.

use unicode_segmentation::UnicodeSegmentation;

use crate::text::script::{is_hangul, is_unspaced};

/// Calls `each` with every word of `text`, as [`UnicodeSegmentation::unicode_words`] gives them.
pub(super) fn unicode<'t>(text: &'t str, mut each: impl FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let mut start = 0;
    while let Some(other) = bytes[start..].iter().position(|byte| !byte.is_ascii()) {
        let other = start + other;
        let from = (start..other).rev().find(|&at| parts(bytes, at)).unwrap_or(start);
        let to = (other..bytes.len()).find(|&at| parts(bytes, at)).unwrap_or(bytes.len());
        ascii(&text[start..from], &mut each);
        text[from..to].unicode_words().for_each(&mut each);
        start = to;
    }
    ascii(&text[start..], &mut each);
}

/// Calls `each` with every word of `text`; of letters written together in a script without spaces, or Hangul, with every two
/// neighbouring grapheme clusters, or the only one.
pub(super) fn unicode_and_bigrams<'t>(text: &'t str, mut each: impl FnMut(&'t str)) {
    let is_joined = |c| is_unspaced(c) || is_hangul(c);
    let mut rest = text;
    while let Some(start) = rest.find(is_joined) {
        let (before, run) = rest.split_at(start);
        unicode(before, &mut each);
        let (run, after) = run.split_at(run.find(|c| !is_joined(c)).unwrap_or(run.len()));
        let starts: Vec<usize> = run.grapheme_indices(true).map(|(at, _)| at).collect();
        for at in 0..starts.len().saturating_sub(1).max(1) {
            each(&run[starts[at]..starts.get(at + 2).copied().unwrap_or(run.len())]);
        }
        rest = after;
    }
    unicode(rest, &mut each);
}

/// Returns true if there is a space at `at` after an ASCII character other than a space: text can be split there.
fn parts(bytes: &[u8], at: usize) -> bool {
    bytes[at] == b' ' && at > 0 && bytes[at - 1].is_ascii() && bytes[at - 1] != b' '
}

/// Effect of an ASCII character on word boundaries.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    /// `_`, which joins but does not form a word alone.
    Low,
    /// Between two letters: `:`.
    InLetters,
    /// Between two digits: `,` and `;`.
    InDigits,
    /// Between two letters or two digits: `.` and `'`.
    InBoth,
    Other,
}

const CLASSES: [Class; 128] = {
    let mut classes = [Class::Other; 128];
    let mut byte = 0;
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'A'..=b'Z' | b'a'..=b'z' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            b'_' => Class::Low,
            b':' => Class::InLetters,
            b',' | b';' => Class::InDigits,
            b'.' | b'\'' => Class::InBoth,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

fn class(bytes: &[u8], at: usize) -> Class {
    bytes.get(at).map_or(Class::Other, |&byte| CLASSES[usize::from(byte) % 128])
}

fn ascii<'t>(text: &'t str, each: &mut impl FnMut(&'t str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let mut last = class(bytes, at);
        if !matches!(last, Class::Letter | Class::Digit | Class::Low) {
            at += 1;
            continue;
        }
        let mut is_word = last != Class::Low;
        loop {
            at += 1;
            match (last, class(bytes, at)) {
                (_, next @ (Class::Letter | Class::Digit)) => (last, is_word) = (next, true),
                (_, Class::Low) => last = Class::Low,
                (Class::Letter, Class::InLetters | Class::InBoth)
                    if class(bytes, at + 1) == Class::Letter => {}
                (Class::Digit, Class::InDigits | Class::InBoth)
                    if class(bytes, at + 1) == Class::Digit => {}
                _ => break,
            }
        }
        if is_word {
            each(&text[start..at]);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let mut words = Vec::new();
        unicode(text, |word| words.push(word));
        words
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn ascii_is_cut_as_uax_29_cuts_it(text in "[\\x00-\\x7f]{0,40}", dense in "[ab1_.,:;' \"\r\n-]{0,40}") {
            prop_assert_eq!(words(&text), text.unicode_words().collect::<Vec<_>>());
            prop_assert_eq!(words(&dense), dense.unicode_words().collect::<Vec<_>>());
        }

        #[test]
        fn mixed_text_is_cut_as_uax_29_cuts_it(
            any in "\\PC{0,40}",
            // Letters with marks, a combining vowel sign that is alphabetic, joiners, Hebrew with quotes, Katakana,
            // flags, emoji, ideographic and no-break spaces.
            dense in "[ab1_.,:;' \"\\-\u{e9}\u{301}\u{903}\u{345}\u{200d}\u{ad}\u{5d0}\u{30ab}\u{1f1e6}\u{1f469}\u{3000}\u{a0}\u{2019}]{0,40}",
        ) {
            prop_assert_eq!(words(&any), any.unicode_words().collect::<Vec<_>>());
            prop_assert_eq!(words(&dense), dense.unicode_words().collect::<Vec<_>>());
        }
    }

    #[test]
    fn versions_numbers_and_contractions_stay_whole() {
        assert_eq!(
            words("can't v2.1 1,000.5 a.b. x_1 _ 3:4 e.g.: __"),
            ["can't", "v2.1", "1,000.5", "a.b", "x_1", "3", "4", "e.g"]
        );
    }
}
