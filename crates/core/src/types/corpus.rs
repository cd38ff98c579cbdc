//! The corpus of a run: documents and their chunks.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::sync::Arc;

use serde_json::Value;

use super::{ByteRange, Chunk, ChunkId, DocId, Document, Passage};

/// Documents with their chunks, numbered in document order from 0.
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    documents: Arc<[Document]>,
    chunks: Vec<Chunk>,
    numbers: HashMap<DocId, u32>,
    /// The end of each document's chunks.
    ends: Vec<u32>,
    typical_chunk_bytes: usize,
    names: ChunkNames,
}

/// The form of the chunks' ids.
#[derive(Clone, Copy, Debug, Default)]
enum ChunkNames {
    /// [`ChunkId::new`].
    #[default]
    Ordinal,
    /// [`ChunkId::of_range`].
    Range,
}

impl Corpus {
    /// Creates a corpus; `chunks` are in the order of `documents`. Their ids have ordinals, from 0 in each document.
    ///
    /// # Panics
    /// Beyond 2^32 documents or chunks.
    #[must_use]
    pub fn new(documents: impl Into<Arc<[Document]>>, chunks: Vec<Chunk>) -> Self {
        let documents = documents.into();
        let mut ends = Vec::with_capacity(documents.len());
        let mut at = 0;
        for number in 0..documents.len() {
            let rest = chunks[at..].iter();
            let is_own = |chunk: &&Chunk| chunk.document as usize == number;
            at += rest.take_while(is_own).count();
            ends.push(u32::try_from(at).expect("fewer than 2^32 chunks"));
        }
        Self {
            typical_chunk_bytes: median(chunks.iter().map(|chunk| chunk.range.len())),
            numbers: documents.iter().map(|document| document.id.clone()).zip(0..).collect(),
            documents,
            chunks,
            ends,
            names: ChunkNames::Ordinal,
        }
    }

    /// Names the chunks by their ranges, as the passages of an external RAG.
    #[must_use]
    pub fn named_by_range(self) -> Self {
        Self { names: ChunkNames::Range, ..self }
    }

    /// Returns the median length of a chunk's text in bytes; 0 without chunks.
    #[must_use]
    pub fn typical_chunk_bytes(&self) -> usize {
        self.typical_chunk_bytes
    }

    /// Returns all documents.
    #[must_use]
    pub fn documents(&self) -> &[Document] {
        &self.documents
    }

    /// Returns all documents, to be shared.
    #[must_use]
    pub fn shared_documents(&self) -> Arc<[Document]> {
        Arc::clone(&self.documents)
    }

    /// Returns all chunks.
    #[must_use]
    pub fn chunks(&self) -> &[Chunk] {
        &self.chunks
    }

    /// Returns the document of that id.
    #[must_use]
    pub fn document(&self, id: &DocId) -> Option<&Document> {
        self.numbers.get(id).map(|number| &self.documents[*number as usize])
    }

    /// Returns the numbers of one document's chunks; empty for an unknown document.
    #[must_use]
    pub fn chunk_numbers(&self, doc: &DocId) -> Range<usize> {
        self.numbers.get(doc).map_or(0..0, |number| self.chunks_of(*number))
    }

    fn chunks_of(&self, document: u32) -> Range<usize> {
        let number = document as usize;
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        start as usize..self.ends[number] as usize
    }

    /// Returns a chunk's id. `number` must be a chunk's.
    #[must_use]
    pub fn chunk_id(&self, number: usize) -> ChunkId {
        let Chunk { document, range, .. } = &self.chunks[number];
        let doc = &self.document_of(number).id;
        match self.names {
            ChunkNames::Ordinal => {
                let first = self.chunks_of(*document).start;
                ChunkId::new(doc, number - first)
            }
            ChunkNames::Range => ChunkId::of_range(doc, *range),
        }
    }

    /// Returns the ids of all chunks.
    pub fn chunk_ids(&self) -> impl ExactSizeIterator<Item = ChunkId> {
        (0..self.chunks.len()).map(|number| self.chunk_id(number))
    }

    /// Returns a chunk's number.
    #[must_use]
    pub fn chunk_number(&self, id: &ChunkId) -> Option<usize> {
        let mut numbers = self.chunks_of(*self.numbers.get(&DocId::from(id.doc()))?);
        let number = match self.names {
            ChunkNames::Ordinal => numbers.nth(id.ordinal()?)?,
            ChunkNames::Range => {
                let range = id.range()?;
                numbers.find(|&number| self.chunks[number].range == range)?
            }
        };
        // An ordinal may be written in other ways: `07`.
        (self.chunk_id(number) == *id).then_some(number)
    }

    /// Returns the chunk's text, and what precedes it: its document's title, or the context that another chunker added.
    /// `number` must be a chunk's.
    #[must_use]
    pub fn chunk_text(&self, number: usize) -> (&str, &str) {
        let chunk = &self.chunks[number];
        let document = self.document_of(number);
        let title = if chunk.context.is_empty() { document.title.as_str() } else { &chunk.context };
        (&document.text[chunk.range.as_range()], title)
    }

    /// Returns the metadata of a chunk's document. `number` must be a chunk's.
    #[must_use]
    pub fn chunk_metadata(&self, number: usize) -> &BTreeMap<String, Value> {
        &self.document_of(number).metadata
    }

    /// Returns the document of a chunk. `number` must be a chunk's.
    #[must_use]
    pub fn document_of(&self, number: usize) -> &Document {
        &self.documents[self.chunks[number].document as usize]
    }

    /// Returns the text of a chunk, or of the range that an id of [`ChunkId::of_range`] names, with its document's title.
    #[must_use]
    pub fn text_of(&self, id: &ChunkId) -> Option<(ByteRange, &str, &str)> {
        if let Some(number) = self.chunk_number(id) {
            let (text, title) = self.chunk_text(number);
            return Some((self.chunks[number].range, text, title));
        }
        let range = id.range()?;
        let document = &self.documents[*self.numbers.get(&DocId::from(id.doc()))? as usize];
        let text = document.text.get(range.as_range())?;
        Some((range, text, &document.title))
    }

    /// Returns true if `passage` is `chunk`, or a range of its document that contains it.
    #[must_use]
    pub fn holds(&self, passage: &ChunkId, chunk: &ChunkId) -> bool {
        let range = |id: &ChunkId| self.text_of(id).map(|(range, ..)| range);
        passage == chunk
            || passage.doc() == chunk.doc()
                && passage
                    .range()
                    .is_some_and(|outer| range(chunk).is_some_and(|inner| outer.contains(inner)))
    }

    /// Returns a chunk, or the range that an id names, as stored in a run's files.
    #[must_use]
    pub fn passage(&self, id: &ChunkId) -> Option<Passage> {
        let (range, text, title) = self.text_of(id)?;
        Some(Passage {
            id: id.clone(),
            doc: id.doc().into(),
            title: title.to_owned(),
            range,
            text: text.to_owned(),
            tokens: None,
        })
    }
}

/// Returns the upper median; 0 of nothing.
pub(crate) fn median(values: impl Iterator<Item = usize>) -> usize {
    let mut values: Vec<usize> = values.collect();
    let middle = values.len() / 2;
    if values.is_empty() {
        return 0;
    }
    *values.select_nth_unstable(middle).1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_without_chunks_keep_the_numbering_straight() {
        let document = |id: &str, text: &str| Document {
            id: id.into(),
            title: String::new(),
            text: text.to_owned(),
            metadata: std::collections::BTreeMap::new(),
        };
        let chunk = |document, range: (usize, usize)| Chunk::new(document, range.into(), 1);
        let corpus = Corpus::new(
            vec![document("a", "one two"), document("b", ""), document("c", "three")],
            vec![chunk(0, (0, 3)), chunk(0, (4, 7)), chunk(2, (0, 5))],
        );
        assert_eq!(corpus.chunk_numbers(&"a".into()), 0..2);
        assert_eq!(corpus.chunk_numbers(&"b".into()), 2..2);
        assert_eq!(corpus.chunk_text(2).0, "three");
        assert_eq!(corpus.passage(&"a#1".into()).expect("a chunk").text, "two");
        let both = corpus.passage(&"a#0-7".into()).expect("a range");
        assert_eq!((both.doc.as_str(), &*both.text), ("a", "one two"));
        assert!(corpus.holds(&"a#0-7".into(), &"a#1".into()));
        assert!(!corpus.holds(&"a#0-6".into(), &"a#1".into()));
        for unknown in ["a#0-8", "b#0-1", "z#0-1", "a#2", "a#01"] {
            assert_eq!(corpus.passage(&unknown.into()), None, "{unknown}");
        }
        assert_eq!(corpus.chunk_id(2).as_str(), "c#0");
        let corpus = corpus.named_by_range();
        assert_eq!(corpus.chunk_id(1).as_str(), "a#4-7");
        assert_eq!(corpus.chunk_number(&"a#4-7".into()), Some(1));
        assert_eq!(corpus.chunk_number(&"a#1".into()), None);
    }
}
