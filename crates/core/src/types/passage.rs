//! A passage: a chunk with its text, as a run's files keep it.

use serde::{Deserialize, Serialize};

use super::{ByteRange, ChunkId, DocId};

/// A chunk that some trace names, with what was shown of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// The chunk.
    pub id: ChunkId,
    /// Its document.
    pub doc: DocId,
    /// The document's title; empty where it has none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub title: String,
    /// Its range in the document's text.
    pub range: ByteRange,
    /// The chunk's own text, without the title.
    pub text: String,
}
