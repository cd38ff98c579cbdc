//! Text of a passage for encoders, rerankers and indexes: with its title, not yet joined.
//!
//! Most models read one text, some (DPR) a pair, so each model joins them itself.

use std::borrow::Cow;

/// A text with the title that precedes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TitledText<'a> {
    /// The document's title; empty for none, for questions, and where titles are left out.
    pub title: &'a str,
    /// The text itself.
    pub text: &'a str,
}

impl<'a> TitledText<'a> {
    /// Creates a text without a title.
    #[must_use]
    pub fn untitled(text: &'a str) -> Self {
        Self { title: "", text }
    }

    /// Joins title and text, with a line feed between them if there is a title.
    #[must_use]
    pub fn joined(self) -> Cow<'a, str> {
        if self.title.is_empty() {
            Cow::Borrowed(self.text)
        } else {
            Cow::Owned(format!("{}\n{}", self.title, self.text))
        }
    }

    /// Returns the number of bytes that [`Self::joined`] puts before the text.
    #[must_use]
    pub fn prefix_bytes(self) -> usize {
        if self.title.is_empty() { 0 } else { self.title.len() + 1 }
    }
}

/// Length of a text for an encoder, without special tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// Number of its tokens.
    pub n_tokens: usize,
    /// Number of tokens that the encoder reads.
    pub n_read: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_stands_on_a_line_of_its_own() {
        let titled = TitledText { title: "Tea", text: "is hot" };
        assert_eq!(titled.joined(), "Tea\nis hot");
        assert_eq!(&titled.joined()[titled.prefix_bytes()..], "is hot");
        assert_eq!(TitledText::untitled("is hot").joined(), "is hot");
    }
}
