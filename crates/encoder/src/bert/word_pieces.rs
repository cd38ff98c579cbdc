//! Converts texts and pairs of texts to word-piece ids with the checkpoint's tokenizer, truncated to the encoder input
//! limit.
//!
//! Truncation and padding in `tokenizer.json` are ignored: all-MiniLM-L6-v2's says 128 and pads, while the model reads
//! 256 and this crate never pads. Truncation is done here, between tokenising and adding `[CLS]` and `[SEP]`, so that a
//! text's full length is known without the overflow pieces that the `tokenizers` crate would create.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tokenizers::utils::truncation::{TruncationParams, TruncationStrategy, truncate_encodings};
use tokenizers::{Encoding, PostProcessor, Tokenizer};

use super::model::Sequence;
use crate::{Error, error};

/// Minimum number of tokens: `[CLS]`, one word piece, `[SEP]`.
pub const FEWEST_TOKENS: usize = 3;

/// One input of a model: a text or a pair.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum EncoderInput<'a> {
    /// `[CLS] text [SEP]`.
    One(Cow<'a, str>),
    /// `[CLS] first [SEP] second [SEP]`, as the checkpoint's tokenizer joins pairs.
    Two(Cow<'a, str>, Cow<'a, str>),
}

/// The ids of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ids {
    /// Ids of its word pieces, specials included.
    pub ids: Vec<u32>,
    /// Index of the first token of type 1; `ids.len()` if there are none.
    pub second: usize,
}

impl Ids {
    /// Returns the sequence in which every token is attended to.
    pub fn sequence(&self) -> Sequence<'_> {
        Sequence { ids: &self.ids, second: self.second, n_seen: self.ids.len() }
    }
}

/// A checkpoint's tokenizer.
pub struct WordPieces {
    tokenizer: Tokenizer,
    path: PathBuf,
    max_tokens: usize,
    vocab_size: usize,
    /// Number of special tokens added to a text and to a pair.
    n_added: [usize; 2],
}

impl WordPieces {
    /// Reads the bytes of the `tokenizer.json` at `path` (named in errors only) for a model of `vocab_size` entries
    /// that reads `max_tokens`.
    ///
    /// Errors: not a tokenizer, ids beyond the vocabulary, nothing added to a text (a model of this family reads
    /// `[CLS]`), no room for a word piece.
    pub fn read(
        bytes: &[u8],
        path: &Path,
        max_tokens: usize,
        vocab_size: usize,
    ) -> Result<Self, Error> {
        let mut json: Value =
            serde_json::from_slice(bytes).map_err(|error| error::malformed(path, error))?;
        if let Some(parts) = json.as_object_mut() {
            for unused in ["decoder", "truncation", "padding"] {
                parts.insert(unused.to_owned(), Value::Null);
            }
        }
        // The crate panics on some malformed parts, on others only when they first meet a text.
        let read = std::panic::catch_unwind(|| {
            let tokenizer = Tokenizer::from_bytes(json.to_string())
                .map_err(|error| error::malformed(path, error))?;
            let read = Self::new(tokenizer, path, max_tokens, vocab_size)?;
            read.ids(&EncoderInput::One("a".into()))?;
            if read.room(true).is_ok() {
                read.ids(&EncoderInput::Two("a".into(), "a".into()))?;
            }
            Ok(read)
        });
        read.unwrap_or_else(|_| {
            Err(error::malformed(path, "its parts are inconsistent".to_owned()))
        })
    }

    fn new(
        tokenizer: Tokenizer,
        path: &Path,
        max_tokens: usize,
        vocab_size: usize,
    ) -> Result<Self, Error> {
        if let Some(id) =
            tokenizer.get_vocab(true).into_values().max().filter(|id| *id as usize >= vocab_size)
        {
            return Err(error::malformed(
                path,
                format!("word piece id {id} is outside the model's `vocab_size` = {vocab_size}"),
            ));
        }
        let n_added = [false, true].map(|pair| {
            tokenizer.get_post_processor().map_or(0, |processor| processor.added_tokens(pair))
        });
        let read = Self { tokenizer, path: path.to_owned(), max_tokens, vocab_size, n_added };
        read.room(false)?;
        Ok(read)
    }

    /// Returns the ids that the model reads.
    ///
    /// A pair that is too long loses word pieces from the end of its longer text, one by one, until it fits:
    /// transformers' `truncation=True` (`longest_first`).
    pub fn ids(&self, input: &EncoderInput<'_>) -> Result<Ids, Error> {
        let (first, second) = self.cut(input)?;
        self.ids_of(&self.joined(first, second)?)
    }

    /// Adds the special tokens.
    fn joined(&self, first: Encoding, second: Option<Encoding>) -> Result<Encoding, Error> {
        self.tokenizer.post_process(first, second, true).map_err(error::tokenize)
    }

    fn ids_of(&self, whole: &Encoding) -> Result<Ids, Error> {
        let ids = whole.get_ids().to_vec();
        if let Some(id) = ids.iter().find(|id| **id as usize >= self.vocab_size) {
            let what = format!(
                "special token id {id} is outside the model's `vocab_size` = {}",
                self.vocab_size
            );
            return Err(error::malformed(&self.path, what));
        }
        let second = whole.get_type_ids().iter().position(|kind| *kind != 0).unwrap_or(ids.len());
        Ok(Ids { ids, second })
    }

    /// Returns the number of word pieces of an input and the number of them that are read, specials left out.
    pub fn length(&self, input: &EncoderInput<'_>) -> Result<(usize, usize), Error> {
        let (n_tokens, pair) = match input {
            EncoderInput::One(text) => (self.word_pieces(text)?.len(), false),
            EncoderInput::Two(first, second) => {
                (self.word_pieces(first)?.len() + self.word_pieces(second)?.len(), true)
            }
        };
        Ok((n_tokens, n_tokens.min(self.room(pair)?)))
    }

    /// Returns the byte offset up to which an input's text (of a pair the second) is read: its length unless it was
    /// truncated.
    pub fn read_bytes(&self, input: &EncoderInput<'_>) -> Result<usize, Error> {
        let (first, second) = self.cut(input)?;
        match input {
            EncoderInput::One(text) => self.end_of(text, first.len()),
            EncoderInput::Two(_, text) => {
                self.end_of(text, second.map_or(0, |second| second.len()))
            }
        }
    }

    /// Returns the byte offset in `text` at which its first `n` word pieces end; its length if it has no more.
    pub fn end_of(&self, text: &str, n: usize) -> Result<usize, Error> {
        let encoding = self.tokenizer.encode(text, false).map_err(error::tokenize)?;
        if encoding.len() <= n {
            return Ok(text.len());
        }
        Ok(encoding.get_offsets()[..n].iter().map(|(_, end)| *end).max().unwrap_or(0))
    }

    /// Returns the id of a word piece of the vocabulary.
    pub fn id(&self, word_piece: &str) -> Option<u32> {
        self.tokenizer.token_to_id(word_piece)
    }

    /// Returns the ids of a text alone, nothing added and nothing truncated.
    pub fn bare_ids(&self, text: &str) -> Result<Vec<u32>, Error> {
        Ok(self.word_pieces(text)?.get_ids().to_vec())
    }

    /// Returns true if an upper-case letter and its lower-case form are different word pieces.
    pub fn distinguishes_case(&self) -> Result<bool, Error> {
        Ok(self.bare_ids("A")? != self.bare_ids("a")?)
    }

    /// Returns the number of word pieces that fit in addition to the special tokens.
    fn room(&self, pair: bool) -> Result<usize, Error> {
        let n_added = self.n_added[usize::from(pair)];
        if n_added == 0 {
            let what =
                format!("it adds no special tokens to a {}", if pair { "pair" } else { "text" });
            return Err(error::malformed(&self.path, what));
        }
        // One word piece of each text.
        let fewest = n_added + 1 + usize::from(pair);
        if self.max_tokens < fewest {
            return Err(error::too_short(self.max_tokens, fewest));
        }
        Ok(self.max_tokens - n_added)
    }

    fn word_pieces(&self, text: &str) -> Result<Encoding, Error> {
        self.tokenizer.encode_fast(text, false).map_err(error::tokenize)
    }

    /// Returns an input's word pieces without the truncated ones.
    fn cut(&self, input: &EncoderInput<'_>) -> Result<(Encoding, Option<Encoding>), Error> {
        let (first, second) = match input {
            EncoderInput::One(text) => (self.word_pieces(text)?, None),
            EncoderInput::Two(first, second) => {
                let mut second = self.word_pieces(second)?;
                // Some post-processors leave the existing type.
                second.set_type_ids(vec![1; second.len()]);
                (self.word_pieces(first)?, Some(second))
            }
        };
        let max_length = self.room(second.is_some())?;
        let strategy = TruncationStrategy::LongestFirst;
        let to =
            TruncationParams { max_length, strategy, stride: 0, ..TruncationParams::default() };
        let (mut first, mut second) =
            truncate_encodings(first, second, &to).map_err(error::tokenize)?;
        first.take_overflowing();
        second.as_mut().map(Encoding::take_overflowing);
        Ok((first, second))
    }
}
