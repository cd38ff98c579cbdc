//! A chunk: the unit of indexing, retrieval and packing.

use super::ByteRange;

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
