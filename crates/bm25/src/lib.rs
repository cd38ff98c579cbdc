//! Sparse retrieval: an inverted index over analysed texts, for BM25 in six variants and for TF-IDF.
//!
//! The score that a term adds to a document depends on the query only by a factor, so it is computed once, when the
//! index is built (the idea of bm25s: Lù 2024): a posting is a document and its share. A search adds the shares of the
//! query's terms into one array over a window of documents, collects the best, and continues with the next window.
//! Terms that can no longer bring a document among the best are not added but looked up (`MaxScore`: Turtle and Flood
//! 1995).
//!
//! The index is one block of bytes, identical in memory and in a file (`image.rs`), and is searched in place: opening a
//! file reads it once, to verify its checksums. [`cache_file`] writes such files.
//!
//! [`Analysed`] names the analyser of the documents; the caller passes the terms of questions, and must analyse both in the
//! same way. Left out: positions, phrases, updates of a built index.

mod block;
mod build;
pub mod cache_file;
mod image;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod reference;
mod search;
mod variant;
mod vocabulary;
mod weighting;
mod words;

use std::sync::Mutex;

pub use cache_file::IndexFileError;
pub use variant::Bm25Parameters;
pub use weighting::Weighting;
pub use words::{Analysed, IndexedWords};

use image::{Image, WindowScores};

/// An inverted index that many threads can search at once.
///
/// Documents are identified by their number, from 0, in the order of [`SparseIndex::build`]'s `ids`. Ties go to the
/// larger id, as in [`ragtriage_core::types::Ranking`]; this also applies at a search's limit.
pub struct SparseIndex {
    image: Image,
    /// Unused score arrays.
    scratch: Mutex<Vec<Box<WindowScores>>>,
}

impl SparseIndex {
    fn new(image: Image) -> Self {
        Self { image, scratch: Mutex::new(Vec::new()) }
    }

    /// Returns the number of documents, empty ones included.
    #[must_use]
    pub fn n_documents(&self) -> usize {
        self.image.n_documents()
    }
}
