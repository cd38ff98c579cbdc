//! `cl100k_base` and `o200k_base`: `OpenAI`'s byte pairs by `bpe-openai`, each vocabulary loaded once per process, by the first
//! count.
//!
//! `bpe-openai` has both vocabularies as tables: loading takes 40 ms, but those of `o200k_base` are 32 MB, a third of the
//! installed program. They are built instead from the vocabulary in `tiktoken-rs` (3.6 MB), which takes about a second.
//!
//! Ordinary encoding: a special token's name in a text (`<|endoftext|>`) is plain text. A text of n bytes has at most n
//! tokens. Unlike tiktoken's, the time is proportional to the text, whatever the text; the tests compare the tokens.

use std::sync::LazyLock;

use bpe_openai::Tokenizer;
use bpe_openai::byte_pair_encoding::BytePairEncoding;

use super::counter::TokenCounter;
use super::encoded::Encoded;
use super::piece_counts::PieceCounts;
use super::pieces::Pieces;

/// The number of ordinary tokens of `o200k_base`; special tokens follow.
const O200K_TOKENS: u32 = 199_998;
/// A factor with which no two hashes of tokens collide: the one that `bpe-openai` builds its tables with.
const HASH_FACTOR: u64 = 17_846_336_922_010_275_747;
/// The pattern of `o200k_base`, as `bpe-openai` writes it: alternatives, each with true if its last character belongs to
/// the next piece.
const O200K_PATTERNS: [(&str, bool); 3] = [
    (
        concat!(
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
            r"|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+$",
        ),
        false,
    ),
    (r"\s+\s", true),
    (r"\s+", false),
];

pub(super) static O200K_BASE: LazyLock<Tokenizer> = LazyLock::new(|| {
    let vocabulary = tiktoken_rs::o200k_base().expect("a vocabulary that its crate ships");
    let tokens = (0..O200K_TOKENS)
        .map(|token| vocabulary.decode_bytes(&[token]).expect("an ordinary token"));
    let bpe = BytePairEncoding::from_dictionary(tokens, Some(HASH_FACTOR));
    Tokenizer::new_lookahead(bpe, &O200K_PATTERNS, false).expect("valid patterns")
});

static CL100K_COUNTS: LazyLock<PieceCounts> = LazyLock::new(PieceCounts::default);
static O200K_COUNTS: LazyLock<PieceCounts> = LazyLock::new(PieceCounts::default);

/// Counts by one of `OpenAI`'s vocabularies.
pub(super) struct BytePairs {
    tokenizer: fn() -> &'static Tokenizer,
    /// Counts of the vocabulary's pieces.
    counts: &'static LazyLock<PieceCounts>,
}

impl BytePairs {
    /// Creates a counter by the vocabulary of GPT-3.5, GPT-4 and text-embedding-ada-002.
    pub(super) fn cl100k_base() -> Self {
        Self { tokenizer: bpe_openai::cl100k_base, counts: &CL100K_COUNTS }
    }

    /// Creates a counter by the vocabulary of GPT-4o and later.
    pub(super) fn o200k_base() -> Self {
        Self { tokenizer: || &O200K_BASE, counts: &O200K_COUNTS }
    }
}

impl TokenCounter for BytePairs {
    fn count(&self, text: &str) -> usize {
        self.count_up_to(text, usize::MAX - 1)
    }

    fn count_up_to(&self, text: &str, limit: usize) -> usize {
        let tokenizer = (self.tokenizer)();
        let mut n_tokens = 0;
        for piece in Pieces::new(tokenizer, text) {
            let (bytes, left) = (piece.as_bytes(), limit - n_tokens);
            let counted = self
                .counts
                .of_short(bytes, || tokenizer.bpe.count(bytes))
                .or_else(|| tokenizer.bpe.count_till_limit(bytes, left));
            n_tokens += counted.unwrap_or(left + 1);
            if n_tokens > limit {
                break;
            }
        }
        n_tokens
    }

    fn starts(&self, text: &str) -> Vec<usize> {
        let tokenizer = (self.tokenizer)();
        let mut starts = Vec::new();
        let mut end = 0;
        for piece in Pieces::new(tokenizer, text) {
            for token in tokenizer.bpe.encode_via_backtracking(piece.as_bytes()) {
                starts.push(text.floor_char_boundary(end));
                end += tokenizer.bpe.token_len(token);
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
    use tiktoken_rs::{CoreBPE, cl100k_base_singleton, o200k_base_singleton};

    use super::*;

    #[test]
    fn counts_are_those_that_openai_publishes() {
        // OpenAI's cookbook: t ik token | is | great | ! in cl100k_base, six in o200k_base too. The special token's
        // name as text: < | endo ft ext | >.
        let text = "tiktoken is great!";
        assert_eq!(BytePairs::cl100k_base().count(text), 6);
        assert_eq!(BytePairs::o200k_base().count(text), 6);
        assert_eq!(BytePairs::cl100k_base().count("<|endoftext|>"), 7);
    }

    #[test]
    fn a_token_that_begins_inside_a_character_starts_at_the_character() {
        // The crab is 4 bytes in three tokens of cl100k_base: all of them start at its first byte.
        assert_eq!(BytePairs::cl100k_base().starts("a🦀b"), [0, 1, 1, 1, 5]);
    }

    fn starts_by_tiktoken(tiktoken: &CoreBPE, text: &str) -> Vec<usize> {
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
            for (counter, tiktoken) in [
                (BytePairs::cl100k_base(), cl100k_base_singleton()),
                (BytePairs::o200k_base(), o200k_base_singleton()),
            ] {
                prop_assert_eq!(counter.starts(&text), starts_by_tiktoken(tiktoken, &text), "{:?}", text);
                prop_assert_eq!(counter.count(&text), tiktoken.encode_ordinary(&text).len(), "{:?}", text);
            }
        }
    }

    #[test]
    fn a_long_piece_has_tiktokens_tokens_and_one_that_it_gives_up_on_is_counted() {
        // A piece of n bytes has between n / 128 tokens, the longest of either vocabulary, and n.
        let piece = "A".repeat(50_000);
        for (counter, tiktoken) in [
            (BytePairs::cl100k_base(), cl100k_base_singleton()),
            (BytePairs::o200k_base(), o200k_base_singleton()),
        ] {
            assert_eq!(counter.starts(&piece), starts_by_tiktoken(tiktoken, &piece));
            for character in [" ", "A"] {
                let n_tokens = counter.count(&character.repeat(1_280_000));
                assert!((10_000..=1_280_000).contains(&n_tokens), "{n_tokens}");
            }
        }
    }
}
