//! A validated chunking request.

use std::sync::Arc;

use super::foreign::ForeignChunks;
use crate::closed_set::closed_set;
use crate::error::Error;
use crate::text::tokens::Tokenizer;

closed_set! {
    /// A strategy for splitting a document's text into chunks.
    #[derive(Default)]
    Strategy {
        /// Windows of `size` tokens, each starting `size - overlap` tokens after the one before. White space at their edges is removed
        /// and their tokens are counted again, so that two may share a few tokens more than `overlap`.
        Fixed = "fixed",
        /// The largest of paragraphs, sentences, words and characters that fit.
        #[default]
        Recursive = "recursive",
        /// As `recursive`, along the headings, blocks and items of Markdown.
        Markdown = "markdown",
        /// Each document as one chunk, whatever its size: `size` and `overlap` have no effect.
        Document = "document",
        /// External chunks, from `file`: `size` and `overlap` have no effect.
        File = "file",
    }
}

/// Settings of `[chunking]` that change ranges, validated. Sizes are in tokens of `tokenizer`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChunkSpec {
    strategy: Strategy,
    size: usize,
    overlap: usize,
    tokenizer: Tokenizer,
    foreign: Option<Arc<ForeignChunks>>,
}

impl ChunkSpec {
    /// Creates a spec for chunks of at most `size` tokens that repeat up to `overlap` tokens of the one before.
    ///
    /// # Errors
    /// For a size of 0 and an overlap that is not smaller, so that chunks would never advance; for the strategy `file`, which
    /// [`Self::of_file`] is for.
    pub fn new(
        strategy: Strategy,
        size: usize,
        overlap: usize,
        tokenizer: Tokenizer,
    ) -> Result<Self, Error> {
        if size == 0 {
            return Err(Error::new(
                format!(
                    "`chunking.size` is {size} (with `chunking.overlap` = {overlap}); a chunk needs at least 1 token"
                ),
                "set `chunking.size`; 200 suits most encoders",
            ));
        }
        if overlap >= size {
            return Err(Error::new(
                format!(
                    "`chunking.overlap` = {overlap} is not smaller than `chunking.size` = {size}"
                ),
                format!("set `chunking.overlap` below {size}; a fifth of the size is usual"),
            ));
        }
        if strategy == Strategy::File {
            return Err(Error::new(
                "`chunking.strategy` is `file`, but `chunking.file` is not set",
                "name a JSON Lines file of chunks",
            ));
        }
        Ok(Self { strategy, size, overlap, tokenizer, foreign: None })
    }

    /// Creates a spec for external `chunks`, counted by `tokenizer`.
    #[must_use]
    pub fn of_file(chunks: Arc<ForeignChunks>, tokenizer: Tokenizer) -> Self {
        Self {
            strategy: Strategy::File,
            size: usize::MAX,
            overlap: 0,
            tokenizer,
            foreign: Some(chunks),
        }
    }

    /// Returns the external chunks; `None` for every strategy but `file`.
    #[must_use]
    pub fn foreign(&self) -> Option<&ForeignChunks> {
        self.foreign.as_deref()
    }

    /// Returns the strategy.
    #[must_use]
    pub fn strategy(&self) -> Strategy {
        self.strategy
    }

    /// Returns the maximum tokens of a chunk; at least 1.
    #[must_use]
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns the maximum tokens a chunk repeats of the one before; below [`Self::size`].
    #[must_use]
    pub fn overlap(&self) -> usize {
        self.overlap
    }

    /// Returns the tokenizer. The caller creates the counter from it.
    #[must_use]
    pub fn tokenizer(&self) -> Tokenizer {
        self.tokenizer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hint::Hint;

    fn sized(size: usize, overlap: usize) -> Result<ChunkSpec, Error> {
        ChunkSpec::new(Strategy::Fixed, size, overlap, Tokenizer::Chars)
    }

    #[test]
    fn an_overlap_that_is_not_smaller_than_the_size_is_refused_with_both() {
        let error = sized(50, 50).expect_err("no progress");
        assert_eq!(
            error.to_string(),
            "`chunking.overlap` = 50 is not smaller than `chunking.size` = 50"
        );
        assert_eq!(
            error.hint().expect("a hint"),
            "set `chunking.overlap` below 50; a fifth of the size is usual"
        );
        assert!(sized(50, 49).is_ok());
    }

    #[test]
    fn a_size_of_nothing_is_refused_with_both() {
        let error = sized(0, 40).expect_err("no room");
        assert_eq!(
            error.to_string(),
            "`chunking.size` is 0 (with `chunking.overlap` = 40); a chunk needs at least 1 token"
        );
        assert!(sized(1, 0).is_ok());
    }
}
