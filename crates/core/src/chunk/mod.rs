//! Chunking: splits a document's text into byte ranges.
//!
//! There is a closed set of strategies. Whatever the strategy, the ranges of [`split`]
//! - together hold every character that is not white space,
//! - ascend by start and by end, so that none lies inside another,
//! - begin and end with a character that is not white space, on char boundaries,
//! - fit the size when their text is counted separately; except [`Strategy::Document`], which has no limit, and a
//!   single character that alone exceeds it,
//! - are the same for the same text, [`ChunkSpec`] and counter.
//!
//! A text of white space only gives none. Titles are not part of chunks. [`Strategy::File`] takes the ranges of
//! [`ForeignChunks`] as they are, trimmed.

mod fences;
mod fixed;
mod foreign;
mod repair;
mod semantic;
mod spec;

use std::ops::Range;

use rayon::iter::{IntoParallelIterator, ParallelExtend, ParallelIterator};

pub use foreign::{ForeignChunk, ForeignChunks, code_points};
pub use spec::{ChunkSpec, Strategy};

use crate::error::Error;
use crate::text::quote::trim;
use crate::text::tokens::TokenCounter;
use crate::types::{ByteRange, Chunk, Document};

/// Raised whenever the same input would give another range, so with text-splitter's version too (0.33). Part of every cache key that
/// depends on chunks.
pub const VERSION: u32 = 4;

/// Documents that are chunked before their chunks are put in order: rayon holds these twice.
const DOCUMENTS_AT_ONCE: usize = 1 << 14;

/// Splits `text` into byte ranges by `spec`, sized by `counter`, ascending. None for the strategy `file`, whose ranges belong
/// to documents.
#[must_use]
pub fn split(text: &str, spec: &ChunkSpec, counter: &dyn TokenCounter) -> Vec<ByteRange> {
    pieces(text, spec, counter).into_iter().map(|piece| piece.range).collect()
}

/// Splits `documents` into chunks, in the documents' order, ordinals from 0 in each. Documents are processed in
/// parallel on rayon's current pool.
///
/// `n_tokens` is the count of the chunk's text alone, so the counts of neighbours need not add up to the document's.
///
/// # Errors
/// For an external chunk that has no place in `documents`.
pub fn chunk_documents(
    documents: &[Document],
    spec: &ChunkSpec,
    counter: &dyn TokenCounter,
) -> Result<Vec<Chunk>, Error> {
    if let Some(chunks) = spec.foreign() {
        return chunks.place(documents, counter);
    }
    let mut chunks = Vec::with_capacity(documents.len());
    for first in (0..documents.len()).step_by(DOCUMENTS_AT_ONCE) {
        let numbers = first..documents.len().min(first + DOCUMENTS_AT_ONCE);
        let chunks_of = |number: usize| {
            let text = &documents[number].text;
            chunk_document(number, text, spec, counter)
        };
        chunks.par_extend(numbers.into_par_iter().flat_map_iter(chunks_of));
    }
    Ok(chunks)
}

/// Splits `text`, that of the document `number`, into chunks. None for the strategy `file`.
///
/// # Panics
/// Beyond 2^32 documents.
pub fn chunk_document(
    number: usize,
    text: &str,
    spec: &ChunkSpec,
    counter: &dyn TokenCounter,
) -> impl Iterator<Item = Chunk> {
    let pieces = pieces(text, spec, counter).into_iter();
    pieces.map(move |Piece { range, n_tokens }| Chunk::new(number, range, n_tokens))
}

/// A byte range of a text, trimmed, and the number of tokens of its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    range: ByteRange,
    n_tokens: usize,
}

impl Piece {
    /// Trims `range` of `text` and counts what is left.
    fn counted(text: &str, range: Range<usize>, counter: &dyn TokenCounter) -> Self {
        let range = trim(text, range.into());
        Self { range, n_tokens: counter.count(&text[range.as_range()]) }
    }
}

fn pieces(text: &str, spec: &ChunkSpec, counter: &dyn TokenCounter) -> Vec<Piece> {
    let has_limit = !matches!(spec.strategy(), Strategy::Document | Strategy::File);
    if has_limit && let Some(whole) = repair::whole(text, spec, counter) {
        return vec![whole];
    }
    let prepared = if has_limit { counter.prepare(text) } else { None };
    let counter = prepared.as_deref().unwrap_or(counter);
    let ranges = match spec.strategy() {
        Strategy::Document => {
            let whole = Piece::counted(text, 0..text.len(), counter);
            return Some(whole).filter(|piece| !piece.range.is_empty()).into_iter().collect();
        }
        Strategy::File => return Vec::new(),
        Strategy::Fixed => return fixed::pieces(text, spec.size(), spec.overlap(), counter),
        Strategy::Recursive => semantic::text(text, spec, counter),
        Strategy::Markdown => semantic::markdown(text, spec, counter),
    };
    let ranges = fences::joined(text, ranges, spec.size(), counter);
    repair::repair(text, ranges, spec.size(), counter)
}

#[cfg(test)]
mod tests;
