//! `cl100k_base`: `OpenAI`'s byte pairs by `bpe-openai`, whose vocabulary is loaded once per process, by the first count.
//!
//! Ordinary encoding: a special token's name in a text (`<|endoftext|>`) is plain text. A text of n bytes has at most n
//! tokens. Unlike tiktoken's, the time is proportional to the text, whatever the text; the tests compare the tokens.

use std::cell::RefCell;

use bpe_openai::cl100k_base;
use hashbrown::HashMap;

use super::TokenCounter;
use super::encoded::Encoded;
use super::pieces::Pieces;

/// Longest piece whose count is kept, in bytes.
const LONGEST: usize = 15;
/// Most pieces whose counts a thread keeps.
const MOST_KEPT: usize = 1 << 17;

thread_local! {
    /// Counts of short pieces, so that a word is not merged at each of its occurrences.
    static COUNTS: RefCell<HashMap<String, usize>> = RefCell::default();
}

fn n_tokens(piece: &str) -> usize {
    let count = || cl100k_base().bpe.count(piece.as_bytes());
    if piece.len() > LONGEST {
        return count();
    }
    COUNTS.with_borrow_mut(|counts| {
        if counts.len() > MOST_KEPT {
            counts.clear();
        }
        *counts.entry_ref(piece).or_insert_with(count)
    })
}

/// Counts by the vocabulary of GPT-3.5, GPT-4 and text-embedding-ada-002.
pub(super) struct BytePairs;

impl TokenCounter for BytePairs {
    fn count(&self, text: &str) -> usize {
        Pieces::new(text).map(n_tokens).sum()
    }

    fn count_up_to(&self, text: &str, limit: usize) -> usize {
        let mut n_all = 0;
        for piece in Pieces::new(text) {
            n_all += n_tokens(piece);
            if n_all > limit {
                break;
            }
        }
        n_all
    }

    fn starts(&self, text: &str) -> Vec<usize> {
        let bpe = &cl100k_base().bpe;
        let mut starts = Vec::new();
        let mut end = 0;
        for piece in Pieces::new(text) {
            for token in bpe.encode_via_backtracking(piece.as_bytes()) {
                starts.push(text.floor_char_boundary(end));
                end += bpe.token_len(token);
            }
        }
        starts
    }

    fn prepare<'a>(&'a self, text: &'a str) -> Option<Box<dyn TokenCounter + 'a>> {
        Some(Box::new(Encoded::new(self, text)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{
        ProptestConfig, Strategy, any, prop, prop_assert_eq, prop_oneof, proptest,
    };
    use tiktoken_rs::cl100k_base_singleton;

    use super::*;

    #[test]
    fn counts_are_those_that_openai_publishes() {
        // OpenAI's cookbook: t ik token | is | great | !. The special token's name as text: < | endo ft ext | >.
        assert_eq!(BytePairs.count("tiktoken is great!"), 6);
        assert_eq!(BytePairs.count("<|endoftext|>"), 7);
    }

    #[test]
    fn a_token_that_begins_inside_a_character_starts_at_the_character() {
        // The crab is 4 bytes in three tokens of cl100k_base: all of them start at its first byte.
        assert_eq!(BytePairs.starts("a🦀b"), [0, 1, 1, 1, 5]);
    }

    fn starts_by_tiktoken(text: &str) -> Vec<usize> {
        let tiktoken = cl100k_base_singleton();
        let mut end = 0;
        let start = |token| {
            let start = text.floor_char_boundary(end);
            end += tiktoken.decode_bytes(&[token]).expect("its own token").len();
            start
        };
        let tokens = tiktoken.encode_ordinary(text);
        tokens.into_iter().map(start).collect()
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
            let n_tokens = cl100k_base_singleton().encode_ordinary(&text).len();
            prop_assert_eq!(BytePairs.starts(&text), starts_by_tiktoken(&text), "{:?}", text);
            prop_assert_eq!(BytePairs.count(&text), n_tokens, "{:?}", text);
        }
    }

    #[test]
    fn a_long_piece_has_tiktokens_tokens_and_one_that_it_gives_up_on_is_counted() {
        // A piece of n bytes has between n / 128 tokens, the longest of the vocabulary, and n.
        let piece = "A".repeat(50_000);
        assert_eq!(BytePairs.starts(&piece), starts_by_tiktoken(&piece));
        for character in [" ", "A"] {
            let n_tokens = BytePairs.count(&character.repeat(1_280_000));
            assert!((10_000..=1_280_000).contains(&n_tokens), "{n_tokens}");
        }
    }
}
