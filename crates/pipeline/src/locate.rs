//! Locates passages of other systems in the documents: the contexts of an external RAG, and the points of an existing collection.
//!
//! A passage is at its recorded offsets if the document has its text there, with all runs of white space treated as equal, with
//! or without a title line; else where its text is, in the document that it names, else in any.

use std::sync::{Arc, OnceLock};

use ragtriage_core::attribute::place::{ForeignPassage, WordIndex, at_offsets, in_document};
use ragtriage_core::types::{ByteRange, Document, DocumentNames};

/// The place of a passage in the documents, which are numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    /// At its offsets, which count bytes or code points.
    At(usize, ByteRange),
    /// Where a document has its text.
    Text {
        document: usize,
        ranges: Vec<ByteRange>,
        /// True if it names another document.
        is_elsewhere: bool,
        /// True if several documents have its text, of which this is the preferred one.
        is_one_of_several: bool,
    },
    /// Its text is in no document, or it has none and no offsets within the document that it names.
    Nowhere,
}

/// The documents that passages are located in.
pub(crate) struct Locator {
    documents: Arc<[Document]>,
    names: DocumentNames,
    /// Built for the first passage that is not in the document that it names.
    words: OnceLock<WordIndex>,
}

impl Locator {
    pub fn new(documents: Arc<[Document]>) -> Self {
        let names = DocumentNames::new(documents.iter().map(|document| &document.id));
        Self { documents, names, words: OnceLock::new() }
    }

    pub fn document(&self, number: usize) -> &Document {
        &self.documents[number]
    }

    /// Returns the document that a passage names.
    pub fn named(&self, name: &str) -> Option<usize> {
        self.names.find(name)
    }

    /// Locates `passage`. Of several documents with its text it is in that of its title, else in one that `prefers`, else in the
    /// first: copies of a text are indistinguishable.
    pub fn locate(
        &self,
        passage: &ForeignPassage<'_>,
        prefers: impl Fn(&Document) -> bool,
    ) -> Location {
        let ForeignPassage { text, title, .. } = *passage;
        let named = passage.document.and_then(|name| self.named(name));
        let at = |number: usize| Some((number, at_offsets(&self.documents[number], passage)?));
        if let Some((number, range)) = named.and_then(at) {
            return Location::At(number, range);
        }
        let Some(text) = text else {
            return Location::Nowhere;
        };
        if let Some(document) = named {
            let ranges = in_document(&self.documents[document], text, title);
            if !ranges.is_empty() {
                let (is_elsewhere, is_one_of_several) = (false, false);
                return Location::Text { document, ranges, is_elsewhere, is_one_of_several };
            }
        }
        let documents = &self.documents;
        let words = self.words.get_or_init(|| WordIndex::new(documents));
        let mut found = words.find(documents, text, title);
        let is_one_of_several = found.len() > 1;
        found.sort_by_key(|(number, _)| {
            let document = &documents[*number];
            let is_titled = title.is_some_and(|title| title.trim() == document.title.trim());
            (is_titled, prefers(document), std::cmp::Reverse(*number))
        });
        found.pop().map_or(Location::Nowhere, |(document, ranges)| Location::Text {
            document,
            ranges,
            is_elsewhere: named.is_some(),
            is_one_of_several,
        })
    }
}
