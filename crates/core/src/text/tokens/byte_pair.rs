//! `cl100k_base` and `o200k_base`: `OpenAI`'s byte pairs, each vocabulary loaded once per process, by the first count.
//!
//! Ordinary encoding: a special token's name in a text (`<|endoftext|>`) is plain text. A text of n bytes has at most n
//! tokens.

use std::sync::LazyLock;

use super::counter::TokenCounter;
use super::encoded::Encoded;
use super::vocabulary::{self, BytePairVocabulary};

/// Counts by one of `OpenAI`'s vocabularies.
pub(super) struct BytePairs(&'static LazyLock<BytePairVocabulary>);

impl BytePairs {
    /// Creates a counter by the vocabulary of GPT-3.5, GPT-4 and text-embedding-ada-002.
    pub(super) fn cl100k_base() -> Self {
        Self(&vocabulary::CL100K_BASE)
    }

    /// Creates a counter by the vocabulary of GPT-4o and later.
    pub(super) fn o200k_base() -> Self {
        Self(&vocabulary::O200K_BASE)
    }
}

impl TokenCounter for BytePairs {
    fn count(&self, text: &str) -> usize {
        let mut n_tokens = 0;
        self.0.each_token(text, |_| n_tokens += 1);
        n_tokens
    }

    fn starts(&self, text: &str) -> Vec<usize> {
        let mut starts = Vec::new();
        let mut end = 0;
        self.0.each_token(text, |length| {
            starts.push(text.floor_char_boundary(end));
            end += length;
        });
        starts
    }

    fn prepare<'a>(&'a self, text: &'a str) -> Option<Box<dyn TokenCounter + 'a>> {
        Some(Box::new(Encoded::new(self, text)))
    }
}

#[cfg(test)]
mod tests {
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
}
