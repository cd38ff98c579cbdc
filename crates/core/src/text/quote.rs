//! Finds a quote in its document, and trims ranges of white space.
//!
//! Used for the quotes of labels and for the passages of imported runs.

use std::collections::HashMap;

use memchr::memmem;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::types::ByteRange;

/// First occurrence of a quote, and its number of occurrences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Located {
    /// Its range, without outer white space.
    pub range: ByteRange,
    /// Number of occurrences that do not overlap.
    pub n_found: usize,
}

/// Finds `quote` (less its outer white space) in `text`: exactly, else with all runs of white space treated as equal,
/// so that a quote survives re-wrapped lines, and with letters and their accents composed, so that it survives a keyboard
/// (a file of macOS and the text of a PDF may hold `e` and `\u{301}` for `é`). `None` for a blank quote.
#[must_use]
pub fn locate(text: &str, quote: &str) -> Option<Located> {
    let found = all(text, quote);
    found.first().map(|range| Located { range: *range, n_found: found.len() })
}

/// Returns the range that [`locate`] finds, without counting the others.
#[must_use]
pub fn first(text: &str, quote: &str) -> Option<ByteRange> {
    found(text, quote, 1).pop()
}

/// Returns every range that [`locate`] counts, in order.
#[must_use]
pub fn all(text: &str, quote: &str) -> Vec<ByteRange> {
    found(text, quote, usize::MAX)
}

fn found(text: &str, quote: &str, most: usize) -> Vec<ByteRange> {
    let quote = quote.trim();
    if quote.is_empty() {
        return Vec::new();
    }
    let starts = memmem::find_iter(text.as_bytes(), quote.as_bytes()).take(most);
    let exact: Vec<ByteRange> =
        starts.map(|start| ByteRange::new(start, start + quote.len())).collect();
    if !exact.is_empty() {
        return exact;
    }
    let quote: String = one_spaced(quote).nfc().collect();
    let (collapsed, bytes) = collapse(text);
    let starts = collapsed.match_indices(&quote).take(most);
    let range =
        |start: usize| ByteRange::new(bytes[start].start, bytes[start + quote.len() - 1].end);
    starts.map(|(start, _)| range(start)).collect()
}

/// Returns the longest beginning of `quote` that occurs in `text`, with all runs of white space treated as equal; empty if
/// not even its first character occurs. `text` has single spaces, as [`one_spaced`] returns it.
#[must_use]
pub fn beginning<'q>(text: &str, quote: &'q str) -> &'q str {
    let quote = quote.trim();
    let (collapsed, bytes) = collapse(quote);
    let ends: Vec<usize> =
        collapsed.char_indices().map(|(start, letter)| start + letter.len_utf8()).collect();
    // A text that contains a beginning contains every shorter one.
    let n_held = ends.partition_point(|&end| text.contains(&collapsed[..end]));
    let Some(&end) = n_held.checked_sub(1).and_then(|last| ends.get(last)) else {
        return "";
    };
    quote[..bytes[end - 1].end].trim_end()
}

/// Returns the span of `text` with as many words as `quote` that shares the most of them, the first of equals; `None`
/// when no word is shared.
#[must_use]
pub fn nearest(text: &str, quote: &str) -> Option<ByteRange> {
    let mut wanted: HashMap<&str, i64> = HashMap::new();
    for word in quote.split_whitespace() {
        *wanted.entry(word).or_default() += 1;
    }
    let width = quote.split_whitespace().count();
    let words: Vec<&str> = text.split_whitespace().collect();
    let (mut shared, mut best) = (0_usize, (0_usize, 0_usize));
    for (end, word) in words.iter().enumerate() {
        // `wanted` holds what the window still lacks; a negative count is a surplus.
        if let Some(lacking) = wanted.get_mut(word) {
            shared += usize::from(*lacking > 0);
            *lacking -= 1;
        }
        if end >= width
            && let Some(lacking) = wanted.get_mut(words[end - width])
        {
            *lacking += 1;
            shared -= usize::from(*lacking > 0);
        }
        if shared > best.0 {
            best = (shared, (end + 1).saturating_sub(width));
        }
    }
    let (shared, first) = best;
    let last = words.len().min(first + width).checked_sub(1)?;
    (shared > 0).then(|| {
        ByteRange::new(
            start_of(words[first], text),
            start_of(words[last], text) + words[last].len(),
        )
    })
}

fn start_of(word: &str, text: &str) -> usize {
    word.as_ptr() as usize - text.as_ptr() as usize
}

/// Replaces each run of white space by one space, and removes it at the ends.
#[must_use]
pub fn one_spaced(text: &str) -> String {
    let mut spaced = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !spaced.is_empty() {
            spaced.push(' ');
        }
        spaced.push_str(word);
    }
    spaced
}

/// Replaces each run of white space by one space, and letters with combining marks by their composition (NFC); returns the
/// result and the bytes of `text` that each of its bytes comes from.
fn collapse(text: &str) -> (String, Vec<ByteRange>) {
    let (mut collapsed, mut bytes) =
        (String::with_capacity(text.len()), Vec::with_capacity(text.len()));
    let mut letters = text.char_indices().peekable();
    while let Some((start, letter)) = letters.next() {
        let mut end = start + letter.len_utf8();
        if letter.is_whitespace() {
            if !collapsed.ends_with(' ') {
                collapsed.push(' ');
                bytes.push(ByteRange::new(start, end));
            }
            continue;
        }
        // ASCII is composed, unless a mark follows.
        if letter.is_ascii() && letters.peek().is_none_or(|(_, next)| next.is_ascii()) {
            collapsed.push(letter);
            bytes.push(ByteRange::new(start, end));
            continue;
        }
        while let Some((at, mark)) = letters.next_if(|(_, next)| is_combining_mark(*next)) {
            end = at + mark.len_utf8();
        }
        collapsed.extend(text[start..end].nfc());
        bytes.resize(collapsed.len(), ByteRange::new(start, end));
    }
    (collapsed, bytes)
}

/// Returns `range` without the white space at its ends; empty if nothing else is left, or if it is not a valid range of
/// `text`.
#[must_use]
pub fn trim(text: &str, range: ByteRange) -> ByteRange {
    let piece = text.get(range.as_range()).unwrap_or_default();
    let start = range.start + (piece.len() - piece.trim_start().len());
    ByteRange::new(start, start + piece.trim().len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str, quote: &str) -> Option<(usize, usize, usize)> {
        locate(text, quote).map(|Located { range, n_found }| (range.start, range.end, n_found))
    }

    #[test]
    fn a_verbatim_quote_is_found_first_and_counted() {
        // `é` has two bytes, so the first `ab` starts at byte 3.
        assert_eq!(found("é ab, ab", "ab"), Some((3, 5, 2)));
        assert_eq!(found("é ab", "\n  ab "), Some((3, 5, 1)));
    }

    #[test]
    fn runs_of_white_space_are_alike_when_the_letters_do_not_match() {
        // `be` is bytes 3 and 4, the break 5 to 9, `or` 10 and 11, the tab 12, `not` 13 to 15.
        assert_eq!(found("to be\r\n   or\tnot", "be or  not"), Some((3, 16, 1)));
        // `a` is byte 2, two line feeds 3 and 4, `é` 5 and 6: the range ends at 7.
        assert_eq!(found("x\na\n\né!", "a é"), Some((2, 7, 1)));
        assert_eq!(found("to beor not", "be or"), None);
    }

    #[test]
    fn the_longest_beginning_ends_where_the_text_departs_from_the_quote() {
        let text = "Context: a café is open, closed otherwise";
        assert_eq!(beginning(text, " a  café\n is open all day"), "a  café\n is open");
        assert_eq!(beginning(text, "a café"), "a café");
        // The last letter that both have is `é`, of two bytes.
        assert_eq!(beginning("a café", "a caféteria"), "a café");
        assert_eq!(beginning(text, "zebra"), "");
        assert_eq!(beginning(text, " "), "");
    }

    #[test]
    fn letters_and_their_accents_are_alike_composed_or_not() {
        let decomposed = "Das Cafe\u{301} o\u{308}ffnet.";
        // `é` is bytes 7 to 9 of the text: `e` and two bytes of U+0301.
        assert_eq!(found(decomposed, "Café öffnet"), Some((4, 19, 1)));
        assert_eq!(found(decomposed, "Café"), Some((4, 10, 1)));
        assert_eq!(found("Das Café öffnet.", "Cafe\u{301}"), Some((4, 9, 1)));
        assert_eq!(found("Das Café  öffnet.", "Cafe öffnet"), None, "another letter");
        assert_eq!(beginning("Das Café", "Cafe\u{301} du"), "Cafe\u{301}");
    }

    #[test]
    fn a_blank_quote_is_nowhere() {
        assert_eq!(found("text", " \n"), None);
    }

    #[test]
    fn the_nearest_stretch_shares_the_most_words_and_is_given_as_it_stands() {
        // Words of the quote: it is stuck after 6 minutes. The window from `it` (byte 12) has all but `6`.
        let text = "Wait. After\tit is\n stuck after 7 minutes and you page.";
        let range = nearest(text, "it is stuck after 6 minutes").expect("near");
        assert_eq!(&text[range.as_range()], "it is\n stuck after 7 minutes");
        for (text, quote) in [(text, "elsewhere"), ("", "it"), (text, " ")] {
            assert_eq!(nearest(text, quote), None);
        }
        assert_eq!(
            nearest("one two", "two three four").map(|range| (range.start, range.end)),
            Some((0, 7))
        );
    }

    #[test]
    fn a_range_is_trimmed_to_its_letters() {
        assert_eq!(trim("a  bé  c", (1, 8).into()), (3, 6).into());
        assert!(trim("a   b", (1, 4).into()).is_empty());
    }
}
