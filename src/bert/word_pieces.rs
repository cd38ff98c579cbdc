//! Texts and pairs of texts to word-piece ids by the checkpoint's own tokenizer, cut at the encoder's length.
//!
//! Truncation and padding that `tokenizer.json` carries are dropped: all-MiniLM-L6-v2's says 128 and pads, while the
//! model reads 256 and this crate never pads. Cutting is done here between tokenising and adding `[CLS]` and `[SEP]`, so that
//! a text's full length is known without the pieces of overflow that the `tokenizers` crate would make.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use tokenizers::utils::truncation::{TruncationParams, TruncationStrategy, truncate_encodings};
use tokenizers::{Encoding, PostProcessor, Tokenizer};

use super::{BertError, Sequence};

/// `[CLS]`, one word piece, `[SEP]`.
pub const FEWEST_TOKENS: usize = 3;

/// What a model reads at once.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Input<'a> {
    /// `[CLS] text [SEP]`.
    One(Cow<'a, str>),
    /// `[CLS] first [SEP] second [SEP]`, as the checkpoint's tokenizer joins pairs.
    Two(Cow<'a, str>, Cow<'a, str>),
}

/// The ids of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ids {
    /// Of its word pieces, specials included.
    pub ids: Vec<u32>,
    /// Where the tokens of type 1 begin; `ids.len()` where there are none.
    pub second: usize,
}

impl Ids {
    /// As the model reads them, every token seen.
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
    /// What joining adds to a text and to a pair.
    n_added: [usize; 2],
}

impl WordPieces {
    /// Reads the bytes of the `tokenizer.json` at `path` (named in errors only) for a model of `vocab_size` entries that reads
    /// `max_tokens`.
    ///
    /// Errors: not a tokenizer, ids beyond the vocabulary, nothing added to a text (a model of this family reads `[CLS]`), no
    /// room for a word piece.
    pub fn read(bytes: &[u8], path: &Path, max_tokens: usize, vocab_size: usize) -> Result<Self, BertError> {
        let tokenizer = Tokenizer::from_bytes(bytes)
            .map_err(|error| BertError::Malformed { path: path.to_owned(), what: error.to_string() })?;
        Self::new(tokenizer, path, max_tokens, vocab_size)
    }

    /// Takes a tokenizer built from the file at `path`; see [`Self::read`].
    pub(super) fn new(
        mut tokenizer: Tokenizer,
        path: &Path,
        max_tokens: usize,
        vocab_size: usize,
    ) -> Result<Self, BertError> {
        let malformed = |what: String| BertError::Malformed { path: path.to_owned(), what };
        if let Some(id) = tokenizer.get_vocab(true).into_values().max().filter(|id| *id as usize >= vocab_size) {
            return Err(malformed(format!("word piece id {id} is not below the model's `vocab_size` {vocab_size}")));
        }
        tokenizer.with_truncation(None).map_err(|error| malformed(error.to_string()))?;
        tokenizer.with_padding(None);
        let n_added = [false, true]
            .map(|pair| tokenizer.get_post_processor().map_or(0, |processor| processor.added_tokens(pair)));
        let read = Self { tokenizer, path: path.to_owned(), max_tokens, vocab_size, n_added };
        read.room(false)?;
        Ok(read)
    }

    /// The ids that the model reads.
    ///
    /// Too long a pair loses word pieces from the end of its longer text, one by one, until it fits: transformers' `truncation=True`
    /// (`longest_first`).
    pub fn ids(&self, input: &Input<'_>) -> Result<Ids, BertError> {
        let (first, second) = self.cut(input, Self::word_pieces)?;
        let whole = self.tokenizer.post_process(first, second, true).map_err(BertError::Tokenize)?;
        let ids = whole.get_ids().to_vec();
        if let Some(id) = ids.iter().find(|id| **id as usize >= self.vocab_size) {
            let what = format!("special token id {id} is not below the model's `vocab_size` {}", self.vocab_size);
            return Err(BertError::Malformed { path: self.path.clone(), what });
        }
        let second = whole.get_type_ids().iter().position(|kind| *kind != 0).unwrap_or(ids.len());
        Ok(Ids { ids, second })
    }

    /// How many word pieces an input has and how many of them are read, specials left out.
    pub fn length(&self, input: &Input<'_>) -> Result<(usize, usize), BertError> {
        let (n_tokens, pair) = match input {
            Input::One(text) => (self.word_pieces(text)?.len(), false),
            Input::Two(first, second) => (self.word_pieces(first)?.len() + self.word_pieces(second)?.len(), true),
        };
        Ok((n_tokens, n_tokens.min(self.room(pair)?)))
    }

    /// The byte offset up to which an input's text (of a pair the second) is read: its length unless it was cut.
    pub fn read_bytes(&self, input: &Input<'_>) -> Result<usize, BertError> {
        let (text, pair) = match input {
            Input::One(text) => (text, false),
            Input::Two(_, text) => (text, true),
        };
        let (first, second) = self.cut(input, Self::word_pieces_with_offsets)?;
        let read = second.as_ref().unwrap_or(&first);
        let n_read = first.len() + second.as_ref().map_or(0, Encoding::len);
        if n_read < self.room(pair)? || self.word_pieces(text)?.len() == read.len() {
            return Ok(text.len());
        }
        Ok(read.get_offsets().iter().map(|(_, end)| *end).max().unwrap_or(0))
    }

    /// The id of a word piece of the vocabulary.
    pub fn id(&self, word_piece: &str) -> Option<u32> {
        self.tokenizer.token_to_id(word_piece)
    }

    /// The ids of a text alone, nothing added and nothing cut.
    pub fn bare_ids(&self, text: &str) -> Result<Vec<u32>, BertError> {
        Ok(self.word_pieces(text)?.get_ids().to_vec())
    }

    /// Word pieces that fit beside what is added.
    fn room(&self, pair: bool) -> Result<usize, BertError> {
        let n_added = self.n_added[usize::from(pair)];
        if n_added == 0 {
            let what = format!("it adds no special tokens to a {}", if pair { "pair" } else { "text" });
            return Err(BertError::Malformed { path: self.path.clone(), what });
        }
        // One word piece of each text.
        let fewest = n_added + 1 + usize::from(pair);
        if self.max_tokens < fewest {
            return Err(BertError::TooShort { max_tokens: self.max_tokens, fewest });
        }
        Ok(self.max_tokens - n_added)
    }

    fn word_pieces(&self, text: &str) -> Result<Encoding, BertError> {
        self.tokenizer.encode_fast(text, false).map_err(BertError::Tokenize)
    }

    fn word_pieces_with_offsets(&self, text: &str) -> Result<Encoding, BertError> {
        self.tokenizer.encode(text, false).map_err(BertError::Tokenize)
    }

    /// An input's word pieces, those cut off left out.
    fn cut(
        &self,
        input: &Input<'_>,
        word_pieces: impl Fn(&Self, &str) -> Result<Encoding, BertError>,
    ) -> Result<(Encoding, Option<Encoding>), BertError> {
        let (first, second) = match input {
            Input::One(text) => (word_pieces(self, text)?, None),
            Input::Two(first, second) => {
                let mut second = word_pieces(self, second)?;
                // Some post-processors keep the type that they find.
                second.set_type_ids(vec![1; second.len()]);
                (word_pieces(self, first)?, Some(second))
            }
        };
        let max_length = self.room(second.is_some())?;
        let strategy = TruncationStrategy::LongestFirst;
        let to = TruncationParams { max_length, strategy, stride: 0, ..TruncationParams::default() };
        let (mut first, mut second) = truncate_encodings(first, second, &to).map_err(BertError::Tokenize)?;
        first.take_overflowing();
        second.as_mut().map(Encoding::take_overflowing);
        Ok((first, second))
    }
}
