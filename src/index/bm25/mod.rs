//! BM25: our own inverted index over analysed texts, in memory.
//!
//! What a term adds to a document's score depends on nothing in the query, so it is worked out once, when the index is
//! built (the idea of bm25s: Lù 2024): a posting is a document and its share. A search adds the postings of the query's
//! terms into one array over all documents, then takes the best. Shares and sums are 32-bit floats, as in bm25s.
//!
//! Analysis (words, stop words, stemming) is not done here: the caller hands over terms, in documents and questions
//! alike, and has to treat both the same. Left out: positions, phrases, a file on disk.

mod build;
#[cfg(test)]
mod reference;
mod search;
mod variant;

use std::collections::HashMap;
use std::sync::Mutex;

pub use variant::{Parameters, Variant};

/// An inverted index, ready to be searched by many threads at once.
///
/// Documents are known by their number, from 0, in the order of [`Bm25::build`]'s `ids`. Ties go to the larger id, as in
/// [`crate::types::Ranking`]; so does the cut at a search's limit.
pub struct Bm25 {
    /// Every term of the corpus, numbered in the order of first occurrence.
    terms: HashMap<Box<str>, u32>,
    /// Where each term's postings begin; one more entry than terms.
    starts: Vec<usize>,
    /// The documents of all postings, ascending within a term.
    docs: Vec<u32>,
    /// What the posting adds to its document's score, beyond [`Self::absent`].
    shares: Vec<f32>,
    /// Per term, what it adds to documents without it; empty for the variants where that is nothing.
    absent: Vec<f32>,
    /// Per document, the place of its id among all ids in ascending order.
    order: Vec<u32>,
    /// Score arrays at rest, each of [`search::UNMATCHED`] throughout.
    scratch: Mutex<Vec<Vec<f32>>>,
}

impl Bm25 {
    /// How many documents it holds, empty ones included.
    #[must_use]
    pub fn n_documents(&self) -> usize {
        self.order.len()
    }

    /// How many different terms it holds.
    #[must_use]
    pub fn n_terms(&self) -> usize {
        self.terms.len()
    }

    /// Its size in memory, in bytes, without the terms' own text.
    #[must_use]
    pub fn postings_bytes(&self) -> usize {
        self.docs.len() * (size_of::<u32>() + size_of::<f32>())
    }
}
