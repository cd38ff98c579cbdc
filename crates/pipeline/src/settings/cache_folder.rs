//! Layout of the cache folder.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};

/// The generator's replies.
pub const REPLIES: &str = "replies.sqlite";
/// Vectors of texts, and the texts' lengths in encoder tokens.
pub const VECTORS: &str = "vectors.sqlite";
/// Scores of rerankers.
pub const SCORES: &str = "scores.sqlite";
/// Embedded collections of vectors, a folder each.
pub const COLLECTIONS: &str = "collections";
/// Sparse indexes, a file each.
pub const INDEXES: &str = "indexes";
/// Chunk ranges of corpora, a file each.
pub const CHUNKS: &str = "chunks";
/// The prefix of the name of a [`ScratchFolder`]; a killed process leaves its folder behind.
const SCRATCH: &str = "ragtriage-scratch-";

/// The folder for the collections of one process without caches; removed on drop, so collections in it must be closed before.
#[derive(Debug)]
pub struct ScratchFolder(PathBuf);

impl ScratchFolder {
    /// Names a folder in `parent`, which other users may share; it is created when a collection is opened.
    #[must_use]
    pub fn new(parent: &Path) -> Self {
        let random = RandomState::new().hash_one(std::process::id());
        Self(parent.join(format!("{SCRATCH}{random:016x}")))
    }

    /// Returns the folder's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0); // exists only if a collection was opened
    }
}
