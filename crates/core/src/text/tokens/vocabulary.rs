//! `OpenAI`'s vocabularies: tiktoken-rs provides the tokens; splitting and merging is implemented here.
//!
//! tiktoken-rs encodes through one backtracking matcher that threads wait for and that panics on a million white-space
//! characters in a row. The patterns need backtracking for a single case, `\s+(?!\S)`, so they are written here without
//! it, for a matcher that runs in linear time on every core; a test compares the tokens with those of tiktoken.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::LazyLock;

use regex::Regex;
use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

/// The pattern of `cl100k_base` with `\s+(?!\S)|\s` as `\s+`; see [`BytePairVocabulary::piece_end`].
const CL100K_PATTERN: &str = r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s+$|\s*[\r\n]|\s+";

/// The pattern of `o200k_base` with `\s+(?!\S)|\s+` as `\s+`.
const O200K_PATTERN: &str = concat!(
    r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+",
);

/// Number of tokens that are not special; they are numbered from 0 without a gap.
const CL100K_TOKENS: u32 = 100_256;
const O200K_TOKENS: u32 = 199_998;

/// Shorter pieces are merged here, in quadratic time but fast when short; longer ones by tiktoken-rs with a heap.
const LONG_PIECE_BYTES: usize = 100;

/// Maximum bytes of a piece passed to tiktoken-rs at once: its matcher's stack overflows at a million steps. A longer
/// piece (no natural word is) is split here, which may add a token at each split.
const MAX_PIECE_BYTES: usize = 64 * 1024;

/// A loaded vocabulary of `OpenAI`.
pub(super) struct BytePairVocabulary {
    pattern: Regex,
    ranks: HashMap<Box<[u8]>, u32, BuildHasherDefault<Fnv>>,
    tiktoken: &'static CoreBPE,
}

/// The vocabulary of GPT-3.5, GPT-4 and text-embedding-ada-002.
pub(super) static CL100K_BASE: LazyLock<BytePairVocabulary> = LazyLock::new(|| {
    BytePairVocabulary::new(CL100K_PATTERN, cl100k_base_singleton(), CL100K_TOKENS)
});

/// The vocabulary of GPT-4o and later.
pub(super) static O200K_BASE: LazyLock<BytePairVocabulary> =
    LazyLock::new(|| BytePairVocabulary::new(O200K_PATTERN, o200k_base_singleton(), O200K_TOKENS));

impl BytePairVocabulary {
    fn new(pattern: &str, tiktoken: &'static CoreBPE, n_tokens: u32) -> Self {
        let entry = |rank| {
            let bytes = tiktoken
                .decode_bytes(&[rank])
                .expect("tokens are numbered without a gap");
            (bytes.into_boxed_slice(), rank)
        };
        let pattern = Regex::new(pattern).expect("a constant pattern");
        Self {
            pattern,
            ranks: (0..n_tokens).map(entry).collect(),
            tiktoken,
        }
    }

    /// Calls `visit` with the length in bytes of each token of `text`, in order.
    pub(super) fn each_token(&self, text: &str, mut visit: impl FnMut(usize)) {
        let mut start = 0;
        while start < text.len() {
            let end = self.piece_end(text, start);
            let piece = &text[start..end];
            if self.ranks.contains_key(piece.as_bytes()) {
                visit(piece.len());
            } else if piece.len() < LONG_PIECE_BYTES {
                self.merge(piece.as_bytes(), &mut visit);
            } else {
                self.merge_long(piece, &mut visit);
            }
            start = end;
        }
    }

    /// Returns the end of the piece that starts at `start`; tokens never run across it. Several white-space characters
    /// before something else leave the last one to it: that is the meaning of `\s+(?!\S)`.
    fn piece_end(&self, text: &str, start: usize) -> usize {
        let end = self
            .pattern
            .find_at(text, start)
            .expect("the pattern matches any character")
            .end();
        let last = text[start..end]
            .chars()
            .next_back()
            .expect("a match holds a character");
        let gives_back = last.is_whitespace() && !matches!(last, '\r' | '\n') && end < text.len();
        let shorter = end - last.len_utf8();
        if gives_back && shorter > start {
            shorter
        } else {
            end
        }
    }

    /// Merges by byte-pair encoding (Sennrich et al. 2016): starting from single bytes, the leftmost adjacent pair of
    /// the lowest rank is merged.
    fn merge(&self, piece: &[u8], visit: &mut impl FnMut(usize)) {
        let rank = |from: usize, to: usize| {
            self.ranks
                .get(&piece[from..to])
                .copied()
                .unwrap_or(u32::MAX)
        };
        // Each part's start, and the rank of it and the next as one; the end of the piece is last.
        let mut parts: Vec<(usize, u32)> =
            (0..=piece.len()).map(|start| (start, u32::MAX)).collect();
        let paired = |parts: &[(usize, u32)], i: usize| {
            parts
                .get(i + 2)
                .map_or(u32::MAX, |end| rank(parts[i].0, end.0))
        };
        for i in 0..piece.len() {
            parts[i].1 = paired(&parts, i);
        }
        while let Some((i, _)) = parts
            .iter()
            .enumerate()
            .min_by_key(|(_, part)| part.1)
            .filter(|(_, part)| part.1 < u32::MAX)
        {
            parts.remove(i + 1);
            parts[i].1 = paired(&parts, i);
            if i > 0 {
                parts[i - 1].1 = paired(&parts, i - 1);
            }
        }
        parts
            .windows(2)
            .for_each(|pair| visit(pair[1].0 - pair[0].0));
    }

    fn merge_long(&self, piece: &str, visit: &mut impl FnMut(usize)) {
        let mut rest = piece;
        while !rest.is_empty() {
            let (part, after) = rest.split_at(rest.floor_char_boundary(MAX_PIECE_BYTES));
            for token in self.tiktoken.encode_ordinary(part) {
                visit(
                    self.tiktoken
                        .decode_bytes(&[token])
                        .expect("the vocabulary made this token")
                        .len(),
                );
            }
            rest = after;
        }
    }
}

/// FNV-1a, 64 bits: short keys, no attacker.
struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{
        ProptestConfig, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest,
    };

    use super::*;

    fn lengths(vocabulary: &BytePairVocabulary, text: &str) -> Vec<usize> {
        let mut lengths = Vec::new();
        vocabulary.each_token(text, |length| lengths.push(length));
        lengths
    }

    fn lengths_by_tiktoken(vocabulary: &BytePairVocabulary, text: &str) -> Vec<usize> {
        let length = |token| {
            vocabulary
                .tiktoken
                .decode_bytes(&[token])
                .expect("its own token")
                .len()
        };
        vocabulary
            .tiktoken
            .encode_ordinary(text)
            .into_iter()
            .map(length)
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn tokens_are_those_of_tiktoken(
            parts in prop::collection::vec(
                prop_oneof![
                    3 => "[a-z]{1,12}",
                    2 => "[a-zA-ZéÀßſǅ漢ªʰ\u{301}\u{345}Ⅷ]{1,6}",
                    1 => "[0-9²Ⅷ٣]{1,9}",
                    3 => "[ \t\r\n\u{c}\u{b}\u{85}\u{a0}\u{3000}\u{2028}]{1,5}",
                    2 => "[.'’!/#_]{1,4}",
                    1 => "'(s|S|ſ|ll|RE|ve|d)",
                    1 => "<\\|endoftext\\|>",
                    1 => "\\PC{1,5}",
                    1 => "[a-f]{90,140}",
                    1 => any::<char>().prop_map(String::from),
                ],
                0..30,
            ),
        ) {
            let text = parts.concat();
            for vocabulary in [&*CL100K_BASE, &*O200K_BASE] {
                prop_assert_eq!(lengths(vocabulary, &text), lengths_by_tiktoken(vocabulary, &text), "{:?}", text);
            }
        }
    }

    #[test]
    fn white_space_that_tiktoken_gives_up_on_and_a_word_longer_than_it_is_given_are_counted() {
        for text in [
            format!("{}1", " ".repeat(1_100_000)),
            "A".repeat(3 * MAX_PIECE_BYTES + 1),
        ] {
            for vocabulary in [&*CL100K_BASE, &*O200K_BASE] {
                assert_eq!(
                    lengths(vocabulary, &text).into_iter().sum::<usize>(),
                    text.len()
                );
            }
        }
    }
}
