//! A passage: a chunk with its text, as stored in a run's files.

use serde::{Deserialize, Serialize};

use super::{ByteRange, ChunkId, DocId};

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
