//! `model`: the encoder's tokenizer, from the bytes of its Hugging Face `tokenizer.json`.
//!
//! Counts the tokens that a text takes of the encoder's window. Special tokens that the encoder puts around a text are
//! not counted. The file's truncation and padding are switched off; with them, every count would be the window's
//! length.

use tokenizers::Tokenizer as HuggingFace;

use super::TokenCounter;
use crate::error::Error;

/// Texts outside most vocabularies: a tokenizer without an unknown token rejects one of them.
const PROBES: [&str; 4] = ["\u{1242b}", "\u{169a}", "\u{10ffff}", "a\u{fffd}"];

/// Counter of a `tokenizer.json`.
pub(super) struct ModelTokens(HuggingFace);

impl ModelTokens {
    /// Reads the bytes of a `tokenizer.json`.
    pub(super) fn from_json(json: &[u8]) -> Result<Self, Error> {
        let bad = |source| {
            let message = "the encoder's `tokenizer.json` cannot be read";
            Error::new(message, "fetch the model again, or use `cl100k_base`").because(source)
        };
        let mut tokenizer = HuggingFace::from_bytes(json).map_err(bad)?;
        tokenizer.with_truncation(None).map_err(bad)?;
        tokenizer.with_padding(None);
        for probe in PROBES {
            tokenizer.encode_fast(probe, false).map_err(|source| {
                let message = format!(
                    "the encoder's `tokenizer.json` has no token for unknown characters such as `{probe}`"
                );
                let hint = "name the unknown token in the model, or use `cl100k_base`";
                Error::new(message, hint).because(source)
            })?;
        }
        Ok(Self(tokenizer))
    }
}

impl TokenCounter for ModelTokens {
    /// Counts one token per character if the tokenizer rejects a text despite the probes: an overestimate, so that its
    /// chunks still fit.
    fn count(&self, text: &str) -> usize {
        self.0
            .encode_fast(text, false)
            .map_or_else(|_| text.chars().count(), |encoding| encoding.len())
    }

    fn starts(&self, text: &str) -> Vec<usize> {
        let Ok(encoding) = self.0.encode(text, false) else {
            return text.char_indices().map(|(start, _)| start).collect();
        };
        let last = text.len().saturating_sub(1);
        let mut floor = 0;
        let ascending = |(i, &(start, _)): (usize, &(usize, usize))| {
            // A normaliser may insert or reorder characters; offsets here never decrease, and the first is 0.
            let start = if i == 0 { 0 } else { text.floor_char_boundary(start.min(last)) };
            floor = floor.max(start);
            floor
        };
        encoding.get_offsets().iter().enumerate().map(ascending).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::TINY_MODEL;
    use super::*;

    fn tiny() -> ModelTokens {
        ModelTokens::from_json(TINY_MODEL.as_bytes()).expect("the tiny model")
    }

    #[test]
    fn neither_truncation_nor_padding_nor_special_tokens_count() {
        // re ##rank the re ##rank . : six pieces, where the file truncates at 3 and pads to 16.
        assert_eq!(tiny().count("Rerank the rerank."), 6);
    }

    #[test]
    fn pieces_start_inside_words_at_their_byte() {
        // "Ré" is 3 bytes and lower-cased and stripped of its accent: "re" at 0, "##rank" at 3; "." at 7.
        assert_eq!(tiny().starts("Rérank."), [0, 3, 7]);
    }

    #[test]
    fn an_unknown_word_is_one_token() {
        // "the", [UNK] for the unknown word, ".".
        assert_eq!(tiny().count("the zymurgy."), 3);
    }

    #[test]
    fn bytes_that_are_no_tokenizer_are_refused() {
        let error = ModelTokens::from_json(b"{\"version\": 1}").err().expect("no tokenizer");
        assert_eq!(error.to_string(), "the encoder's `tokenizer.json` cannot be read");
    }

    #[test]
    fn a_tokenizer_without_an_unknown_token_is_refused() {
        let json = TINY_MODEL.replace("\"unk_token\": \"[UNK]\"", "\"unk_token\": \"[NONE]\"");
        let error = ModelTokens::from_json(json.as_bytes()).err().expect("no unknown token");
        assert!(error.to_string().contains("has no token for unknown characters"), "{error}");
    }
}
