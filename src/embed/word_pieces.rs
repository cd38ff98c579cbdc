//! Texts to word-piece ids by the checkpoint's own `tokenizer.json`, cut at the encoder's length.
//!
//! Truncation and padding that the file carries are overridden: all-MiniLM-L6-v2's says 128 and pads, while the
//! model reads 256 and this crate never pads.

use std::path::Path;

use tokenizers::{Tokenizer, TruncationParams};

use super::EmbedError;

/// `[CLS]`, one word piece, `[SEP]`.
pub(super) const FEWEST_TOKENS: usize = 3;

/// A checkpoint's tokenizer.
pub(super) struct WordPieces {
    tokenizer: Tokenizer,
}

impl WordPieces {
    /// Reads `tokenizer.json`; its ids must lie below `vocab_size`. `max_tokens` is at least [`FEWEST_TOKENS`].
    pub(super) fn open(path: &Path, max_tokens: usize, vocab_size: usize) -> Result<Self, EmbedError> {
        let bytes = std::fs::read(path).map_err(|source| EmbedError::Read { path: path.to_owned(), source })?;
        let malformed = |what: String| EmbedError::Malformed { path: path.to_owned(), what };
        let mut tokenizer = Tokenizer::from_bytes(bytes).map_err(|error| malformed(error.to_string()))?;
        if let Some(id) = tokenizer.get_vocab(true).into_values().max().filter(|id| *id as usize >= vocab_size) {
            return Err(malformed(format!("word piece id {id} is not below the model's `vocab_size` {vocab_size}")));
        }
        let cut = TruncationParams { max_length: max_tokens, stride: 0, ..TruncationParams::default() };
        tokenizer.with_truncation(Some(cut)).map_err(|error| malformed(error.to_string()))?;
        tokenizer.with_padding(None);
        Ok(Self { tokenizer })
    }

    /// The ids the model reads for `text`, specials included.
    pub(super) fn ids(&self, text: &str) -> Result<Vec<u32>, EmbedError> {
        let encoding = self.tokenizer.encode_fast(text, true).map_err(EmbedError::Tokenize)?;
        Ok(encoding.get_ids().to_vec())
    }

    /// The byte offset in `text` up to which it is read: its length unless it was cut.
    pub(super) fn read_bytes(&self, text: &str) -> Result<usize, EmbedError> {
        let encoding = self.tokenizer.encode(text, true).map_err(EmbedError::Tokenize)?;
        if encoding.get_overflowing().is_empty() {
            return Ok(text.len());
        }
        Ok(encoding.get_offsets().iter().map(|(_, end)| *end).max().unwrap_or(0))
    }
}
