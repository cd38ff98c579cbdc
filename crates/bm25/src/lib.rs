//! Sparse retrieval: our own inverted index over analysed texts, for BM25 in six variants and for TF-IDF.
//!
//! What a term adds to a document's score depends on nothing in the query but a factor, so it is worked out once, when
//! the index is built (the idea of bm25s: Lù 2024): a posting is a document and its share. A search adds the shares of
//! the query's terms into one array over a window of documents, takes the best, and goes on to the next window; terms
//! that can no longer bring a document among the best are not added but looked up (`MaxScore`: Turtle and Flood 1995).
//!
//! The index is one run of bytes, the same in memory and in a file (`image.rs`), and is searched where it lies: opening
//! a file reads its dictionary once, to check it, and no posting.
//!
//! Analysis (words, stop words, stemming) is not done here: the caller hands over terms, in documents and questions
//! alike, and has to treat both the same. Left out: positions, phrases, changing an index that is built.

mod allowed;
mod best;
mod block;
mod build;
mod error;
mod file;
mod image;
#[cfg(test)]
mod properties;
#[cfg(test)]
mod reference;
mod search;
mod variant;
mod vocabulary;
mod weighting;

use std::sync::Mutex;

pub use allowed::Allowed;
pub use error::IndexFileError;
pub use file::EXTENSION as INDEX_EXTENSION;
pub use variant::Bm25Parameters;
pub use weighting::Weighting;

use image::{Image, WindowScores};

/// An inverted index, ready to be searched by many threads at once.
///
/// Documents are known by their number, from 0, in the order of [`SparseIndex::build`]'s `ids`. Ties go to the larger
/// id, as in [`ragtriage_core::types::Ranking`]; so does the cut at a search's limit.
pub struct SparseIndex {
    image: Image,
    /// Score arrays at rest.
    scratch: Mutex<Vec<Box<WindowScores>>>,
}

impl SparseIndex {
    fn new(image: Image) -> Self {
        Self {
            image,
            scratch: Mutex::new(Vec::new()),
        }
    }

    /// Returns the number of documents, empty ones included.
    #[must_use]
    pub fn n_documents(&self) -> usize {
        self.image.n_documents()
    }

    /// Returns the number of distinct terms.
    #[must_use]
    pub fn n_terms(&self) -> usize {
        self.image.n_terms()
    }

    /// Its size in bytes: in memory, or of the file it is mapped from.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.image.bytes().len()
    }
}
