//! Documents, the chunks that are ranges of them, the passages of a run, and texts for encoders, rerankers and indexes.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{ByteRange, ChunkId, DocId};

/// One document of the corpus. Its text is never changed: every byte range points into it.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Unique in the corpus.
    pub id: DocId,
    /// Shown to the generator and indexed before each chunk when `title_prefix` is on; may be empty.
    pub title: String,
    /// The text that chunks and evidence are ranges of; may be empty (counted, gives no chunk).
    pub text: String,
    /// Fields for filters.
    pub metadata: BTreeMap<String, serde_json::Value>,
}

/// A byte range of one document's text. The text itself stays in the document, and the id follows from the place in the
/// [`Corpus`](super::Corpus).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Number of the document that contains it.
    pub document: u32,
    /// Its size in the units of `chunking.tokenizer`, without any title prefix.
    pub n_tokens: u32,
    /// Its range in the document's text; without any title prefix.
    pub range: ByteRange,
    /// Text that another chunker added in front of it, in place of the title; empty for none.
    pub context: Box<str>,
}

impl Chunk {
    /// Creates the chunk at `range` of the document of that number, without context.
    ///
    /// # Panics
    /// Beyond 2^32 documents or tokens.
    #[must_use]
    pub fn new(document: usize, range: ByteRange, n_tokens: usize) -> Self {
        Self {
            document: u32::try_from(document).expect("fewer than 2^32 documents"),
            n_tokens: u32::try_from(n_tokens).expect("fewer than 2^32 tokens"),
            range,
            context: "".into(),
        }
    }
}

/// Passages by their id.
pub type PassageMap = hashbrown::HashMap<ChunkId, Passage>;

/// A chunk that some trace refers to, with its displayed text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// The chunk.
    pub id: ChunkId,
    /// Its document.
    pub doc: DocId,
    /// The document's title, or the context that another chunker added to the chunk; empty where there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Its range in the document's text.
    pub range: ByteRange,
    /// The chunk's text, without the title.
    pub text: String,
    /// Its tokens of the prompt's budget, as a prompt shows it, with number and title. `None` where they were not counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<usize>,
}

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
