//! Token counts, the unit of chunk and prompt sizes.
//!
//! A closed set of counters, named by the setting `chunking.tokenizer`. Counters return counts and token starts, never
//! token ids; encoders have separate tokenizers.

mod byte_pair;
mod encoded;
mod model;
mod pieces;
mod words;

use std::sync::Arc;

use crate::closed_set::closed_set;
use crate::error::Error;
use byte_pair::BytePairs;
use model::ModelTokens;
use words::WordCounter;

/// Part of every cache key that depends on a token count; incremented whenever a counter would count differently.
pub const VERSION: u32 = 2;

closed_set! {
    /// Unit of chunk and prompt sizes.
    #[derive(Default)]
    Tokenizer {
        /// `OpenAI`'s byte pairs of GPT-3.5 and GPT-4.
        #[default]
        Cl100kBase = "cl100k_base",
        /// Unicode scalar values; neither bytes nor grapheme clusters.
        Chars = "chars",
        /// Maximal runs without white space.
        Words = "words",
        /// The dense encoder's `tokenizer.json`.
        Model = "model",
    }
}

/// Splits text into tokens, the unit of chunk and prompt sizes.
///
/// Contract: pure and thread-safe; `count("")` is 0; `starts(text)` has `count(text)` entries.
pub trait TokenCounter: Send + Sync {
    /// Returns the number of tokens of `text` alone.
    fn count(&self, text: &str) -> usize;

    /// Returns `count(text)` if it is at most `limit`, else any number above `limit`: counting a text that is much too long
    /// may stop early.
    fn count_up_to(&self, text: &str, _limit: usize) -> usize {
        self.count(text)
    }

    /// Returns the byte offset at which each token of `text` starts, ascending, each on a char boundary; the first is 0
    /// unless the text has no tokens. A token that begins inside a character is given that character's first byte, so
    /// offsets may repeat.
    fn starts(&self, text: &str) -> Vec<usize>;

    /// Returns a counter with the same counts and starts that is fast for slices of `text`; `None` if this one is as
    /// fast. Preparing takes one pass over `text` and pays off from the second slice on.
    fn prepare<'a>(&'a self, _text: &'a str) -> Option<Box<dyn TokenCounter + 'a>> {
        None
    }
}

/// Counts Unicode scalar values, as Python's `len`: an `e` with a combining accent is two.
struct CharCounter;

impl TokenCounter for CharCounter {
    fn count(&self, text: &str) -> usize {
        text.chars().count()
    }

    fn starts(&self, text: &str) -> Vec<usize> {
        text.char_indices().map(|(start, _)| start).collect()
    }
}

/// Returns the counter of `tokenizer`. `model_json` is the encoder's `tokenizer.json`, which only
/// [`Tokenizer::Model`] needs.
///
/// # Errors
/// Without the bytes that `model` needs, and for bytes that cannot count.
pub fn counter(
    tokenizer: Tokenizer,
    model_json: Option<&[u8]>,
) -> Result<Arc<dyn TokenCounter>, Error> {
    Ok(match tokenizer {
        Tokenizer::Cl100kBase => Arc::new(BytePairs),
        Tokenizer::Chars => Arc::new(CharCounter),
        Tokenizer::Words => Arc::new(WordCounter),
        Tokenizer::Model => {
            let no_model = || {
                Error::new(
                    "the tokenizer `model` needs a dense encoder, but none is configured",
                    "use `cl100k_base`, or set a dense retriever's model",
                )
            };
            Arc::new(ModelTokens::from_json(model_json.ok_or_else(no_model)?)?)
        }
    })
}

#[cfg(test)]
pub(crate) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hint::Hint;

    /// A word-piece tokenizer of eight pieces, as in the BERT family, with the truncation and padding of
    /// sentence-transformers' files.
    pub(crate) const TINY_MODEL: &str = r###"{
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": 3, "strategy": "LongestFirst", "stride": 0},
        "padding": {"strategy": {"Fixed": 16}, "direction": "Right", "pad_to_multiple_of": null,
                    "pad_id": 0, "pad_type_id": 0, "pad_token": "[PAD]"},
        "added_tokens": [],
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
                       "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 2], "cls": ["[CLS]", 1]},
        "decoder": null,
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
                  "max_input_chars_per_word": 100,
                  "vocab": {"[PAD]": 0, "[CLS]": 1, "[SEP]": 2, "[UNK]": 3, "re": 4, "##rank": 5, "the": 6, ".": 7}}
    }"###;

    fn counters() -> Vec<(Tokenizer, Arc<dyn TokenCounter>)> {
        let with_model =
            |tokenizer| counter(tokenizer, Some(TINY_MODEL.as_bytes())).expect("a counter");
        Tokenizer::ALL.into_iter().map(|tokenizer| (tokenizer, with_model(tokenizer))).collect()
    }

    #[test]
    fn the_model_counter_needs_the_model() {
        let error = counter(Tokenizer::Model, None).err().expect("no model was given");
        assert!(error.hint().expect("a hint").contains("cl100k_base"));
    }

    #[test]
    fn nothing_has_no_token() {
        for (tokenizer, counter) in counters() {
            assert_eq!(counter.count(""), 0, "{tokenizer}");
            assert_eq!(counter.starts(""), Vec::<usize>::new(), "{tokenizer}");
        }
    }

    proptest! {
        #[test]
        fn starts_are_ascending_char_boundaries_from_zero_and_as_many_as_the_count(
            text in "(\\PC|[ \r\n\t]|the |🇫🇷|e\u{301}){0,40}",
        ) {
            for (tokenizer, counter) in counters() {
                let starts = counter.starts(&text);
                prop_assert_eq!(starts.len(), counter.count(&text), "{}", tokenizer);
                prop_assert!(starts.first().is_none_or(|&first| first == 0), "{}", tokenizer);
                prop_assert!(starts.is_sorted(), "{}", tokenizer);
                let is_inside = |&start: &usize| start < text.len() && text.is_char_boundary(start);
                prop_assert!(starts.iter().all(is_inside), "{}", tokenizer);
            }
        }
    }
}
