//! A chunk: the unit of indexing, retrieval and packing.

use super::{ByteRange, ChunkId, DocId};

/// A byte range of one document's text. The text itself stays in the document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// `doc_id#ordinal`.
    pub id: ChunkId,
    /// The document that contains it.
    pub doc_id: DocId,
    /// Its position among the document's chunks, from 0.
    pub ordinal: usize,
    /// Its range in the document's text; without any title prefix.
    pub range: ByteRange,
    /// Its size in the units of `chunking.tokenizer`, without any title prefix.
    pub n_tokens: usize,
    /// Text that another chunker added in front of it, in place of the title; empty for none.
    pub context: String,
}
