//! A window over the second text of a pair: the ids that the model reads, and the place of each token in the text.

use std::ops::Range;

use tokenizers::Encoding;

use super::ids::Ids;

/// A pair whose second text is one window of a longer text.
pub struct Window {
    ids: Ids,
    encoding: Encoding,
}

impl Window {
    pub(super) fn new(ids: Ids, encoding: Encoding) -> Self {
        Self { ids, encoding }
    }

    /// Returns the ids.
    pub fn ids(&self) -> &Ids {
        &self.ids
    }

    /// Returns the tokens that belong to the second text.
    pub fn text_tokens(&self) -> Range<usize> {
        let sequences = self.encoding.get_sequence_ids();
        let start = sequences.iter().position(|of| *of == Some(1));
        let start = start.unwrap_or(sequences.len());
        start..start + sequences.iter().filter(|of| **of == Some(1)).count()
    }

    /// Returns the bytes of the second text from the word with token `first` to the word with token `last`. A word that
    /// the window cuts counts as far as it is inside. Without words (special tokens), the tokens' own bytes count.
    pub fn bytes(&self, first: usize, last: usize) -> Range<usize> {
        let offsets = self.encoding.get_offsets();
        match (self.word(first), self.word(last)) {
            (Some(start), Some(end)) => start.start..end.end,
            (_, _) => offsets[first].0..offsets[last].1,
        }
    }

    fn word(&self, token: usize) -> Option<Range<usize>> {
        let (_, word) = self.encoding.token_to_word(token)?;
        let (start, end) = self.encoding.word_to_chars(word, 1)?;
        Some(start..end)
    }
}
