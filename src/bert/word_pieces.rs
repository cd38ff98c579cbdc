//! Texts to word-piece ids by the checkpoint's own `tokenizer.json`, cut at the encoder's length.
//!
//! Truncation and padding that the file carries are overridden: all-MiniLM-L6-v2's says 128 and pads, while the
//! model reads 256 and this crate never pads.

use std::path::Path;

use tokenizers::{Tokenizer, TruncationParams};

use super::BertError;

/// `[CLS]`, one word piece, `[SEP]`.
pub const FEWEST_TOKENS: usize = 3;

/// A checkpoint's tokenizer.
pub struct WordPieces {
    tokenizer: Tokenizer,
}

impl WordPieces {
    /// Reads the bytes of the `tokenizer.json` at `path` (named in errors only); its ids must lie below `vocab_size`. `max_tokens` is at least [`FEWEST_TOKENS`].
    pub fn read(bytes: &[u8], path: &Path, max_tokens: usize, vocab_size: usize) -> Result<Self, BertError> {
        let malformed = |what: String| BertError::Malformed { path: path.to_owned(), what };
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
    pub fn ids(&self, text: &str) -> Result<Vec<u32>, BertError> {
        let encoding = self.tokenizer.encode_fast(text, true).map_err(BertError::Tokenize)?;
        Ok(encoding.get_ids().to_vec())
    }

    /// How many word pieces `text` has and how many of them are read, specials left out.
    pub fn length(&self, text: &str) -> Result<(usize, usize), BertError> {
        let encoding = self.tokenizer.encode_fast(text, true).map_err(BertError::Tokenize)?;
        let pieces = |encoding: &tokenizers::Encoding| {
            encoding.get_special_tokens_mask().iter().filter(|special| **special == 0).count()
        };
        let n_read = pieces(&encoding);
        let cut_off: usize = encoding.get_overflowing().iter().map(pieces).sum();
        Ok((n_read + cut_off, n_read))
    }

    /// The byte offset in `text` up to which it is read: its length unless it was cut.
    pub fn read_bytes(&self, text: &str) -> Result<usize, BertError> {
        let encoding = self.tokenizer.encode(text, true).map_err(BertError::Tokenize)?;
        if encoding.get_overflowing().is_empty() {
            return Ok(text.len());
        }
        Ok(encoding.get_offsets().iter().map(|(_, end)| *end).max().unwrap_or(0))
    }
}
