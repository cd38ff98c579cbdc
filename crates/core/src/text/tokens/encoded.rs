//! A text encoded once by byte pairs, so that its slices are counted without encoding them again.
//!
//! Chunkers count many slices of one text. At some places, such as between a letter and white space, the vocabulary
//! separates tokens, whatever the context ([`separates_tokens`]). The count of a slice is therefore that of its part up
//! to the first such place, plus the text's tokens from there to the last one, plus that of the rest: only a word at
//! each edge is encoded. The sum is exact, not an estimate.

use super::TokenCounter;

/// A counter with the counts of `counter` that is fast for slices of `text`.
pub(super) struct Encoded<'a> {
    counter: &'a dyn TokenCounter,
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Encoded<'a> {
    /// Encodes `text`.
    pub(super) fn new(counter: &'a dyn TokenCounter, text: &'a str) -> Self {
        Self { counter, text, starts: counter.starts(text) }
    }

    fn tokens_before(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start < offset)
    }
}

impl TokenCounter for Encoded<'_> {
    fn count(&self, slice: &str) -> usize {
        self.count_up_to(slice, usize::MAX - 1)
    }

    fn count_up_to(&self, slice: &str, limit: usize) -> usize {
        let first = (1..slice.len()).find(|&at| separates_tokens(slice, at));
        let (Some(offset), Some(first)) = (offset_in(self.text, slice), first) else {
            return self.counter.count_up_to(slice, limit);
        };
        let last = (first..slice.len()).rfind(|&at| separates_tokens(slice, at)).unwrap_or(first);
        let mut n_tokens = self.tokens_before(offset + last) - self.tokens_before(offset + first);
        for edge in [&slice[..first], &slice[last..]] {
            if n_tokens <= limit {
                n_tokens += self.counter.count_up_to(edge, limit - n_tokens);
            }
        }
        n_tokens
    }

    fn starts(&self, slice: &str) -> Vec<usize> {
        if offset_in(self.text, slice) == Some(0) && slice.len() == self.text.len() {
            return self.starts.clone();
        }
        self.counter.starts(slice)
    }
}

/// Returns the offset of `slice` in `text` if it is a part of it: the same memory, not just equal characters.
fn offset_in(text: &str, slice: &str) -> Option<usize> {
    let offset = slice.as_ptr().addr().checked_sub(text.as_ptr().addr())?;
    (offset + slice.len() <= text.len()).then_some(offset)
}

/// Returns true if no token of `text`, or of any other text with these two bytes, runs across `at`.
///
/// The pattern has letters, up to three digits, punctuation and white space in separate pieces, and looks neither
/// back nor ahead there, but for: punctuation or white space before letters, white space before punctuation, line
/// breaks after punctuation, and the apostrophe of a contraction.
fn separates_tokens(text: &str, at: usize) -> bool {
    let (before, after) = (text.as_bytes()[at - 1], text.as_bytes()[at]);
    if before.is_ascii_alphabetic() {
        after.is_ascii_digit()
            || after.is_ascii_whitespace()
            || (after.is_ascii_punctuation() && after != b'\'')
    } else if before.is_ascii_digit() {
        after.is_ascii_alphabetic() || after.is_ascii_whitespace() || after.is_ascii_punctuation()
    } else {
        before.is_ascii_punctuation() && after.is_ascii_digit()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{
        Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest,
    };

    use super::super::byte_pair::BytePairs;
    use super::*;

    proptest! {
        #[test]
        fn a_slice_counts_as_it_does_on_its_own(
            parts in prop::collection::vec(
                prop_oneof![
                    "[a-zA-Z]{1,8}", "[0-9]{1,5}", "[ \t\r\n\u{c}\u{b}]{1,4}", "[.'’!/]{1,3}", "(s|ll|RE)",
                    "\\PC{1,3}",
                    any::<char>().prop_map(String::from),
                ],
                0..40,
            ),
            from in any::<prop::sample::Index>(),
            to in any::<prop::sample::Index>(),
        ) {
            let text = parts.concat();
            let bounds: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let (from, to) = (*from.get(&bounds), *to.get(&bounds));
            let slice = &text[from.min(to)..from.max(to)];
            let encoded = BytePairs.prepare(&text).expect("byte pairs do prepare");
            let count = BytePairs.count(slice);
            prop_assert_eq!(encoded.count(slice), count, "{:?} of {:?}", slice, text);
            prop_assert_eq!(encoded.starts(&text), BytePairs.starts(&text));
            for limit in [0, 1, count / 2, count.saturating_sub(1), count, count + 1] {
                for counted in [encoded.count_up_to(slice, limit), BytePairs.count_up_to(slice, limit)] {
                    prop_assert!(counted == count || count > limit && counted > limit, "{counted} of {count}, {limit}");
                }
            }
        }
    }

    #[test]
    fn a_text_of_other_memory_is_counted_on_its_own() {
        let text = String::from("one two three");
        let encoded = BytePairs.prepare(&text).expect("byte pairs do prepare");
        let other = "four five six seven eight nine ten".to_owned();
        assert_eq!(encoded.count(&other), BytePairs.count(&other));
    }
}
