//! Locates passages of other systems in the documents: the contexts of an external RAG, and the points of an existing collection.
//!
//! A passage is at its recorded offsets if the document has its text there, with all runs of white space treated as equal, with
//! or without a title line; else where its text is, in the document that it names, else in any.

use std::sync::{Arc, OnceLock};

use ragtriage_core::attribute::place::{WordIndex, in_document};
use ragtriage_core::chunk::code_points;
use ragtriage_core::text::quote;
use ragtriage_core::types::{ByteRange, Document, DocumentNames};

/// What another system says of a passage.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ForeignPassage<'a> {
    pub text: Option<&'a str>,
    pub title: Option<&'a str>,
    /// The id of its document, or a path or address that ends with it.
    pub document: Option<&'a str>,
    pub start: Option<usize>,
    pub end: Option<usize>,
}

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
        if let Some(location) = named.and_then(|number| self.at_offsets(number, passage)) {
            return location;
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

    /// Returns the place at the recorded offsets, if the document has the text there. Offsets without a text are in bytes, unless
    /// one of them is inside a character.
    fn at_offsets(&self, number: usize, passage: &ForeignPassage<'_>) -> Option<Location> {
        let (document, start) = (&self.documents[number], passage.start?);
        let end_after = |length: usize| passage.end.unwrap_or_else(|| start.saturating_add(length));
        let length = passage.text.map_or((0, 0), |text| (text.len(), text.chars().count()));
        let is_correct = |range: &ByteRange| match document.text.get(range.as_range()) {
            None | Some("") => false,
            Some(found) => passage.text.is_none_or(|text| is_same(found, text, document, passage)),
        };
        let bytes = ByteRange::new(start, end_after(length.0));
        if is_correct(&bytes) {
            return Some(Location::At(number, bytes));
        }
        let points = code_points(&document.text, start, end_after(length.1)).map(ByteRange::from);
        points.filter(is_correct).map(|range| Location::At(number, range))
    }
}

/// Compares texts with all runs of white space treated as equal, with or without a title line.
fn is_same(found: &str, text: &str, document: &Document, passage: &ForeignPassage<'_>) -> bool {
    let found = quote::one_spaced(found);
    let is_title = |line: &str| {
        let titles = [Some(document.title.as_str()), passage.title];
        titles.iter().flatten().any(|title| title.trim() == line.trim())
    };
    let below_title = text.trim_start().split_once('\n').filter(|(first, _)| is_title(first));
    found == quote::one_spaced(text)
        || below_title.is_some_and(|(_, rest)| found == quote::one_spaced(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `zwölf` is bytes 4..10 and code points 4..9; `Türen` bytes 11..17 and code points 10..15.
    const TEXT: &str = "The zwölf Türen.";

    fn read(text: Option<&str>, start: usize, end: Option<usize>) -> Option<Location> {
        let document = Document {
            id: "d".into(),
            title: "T".to_owned(),
            text: TEXT.to_owned(),
            metadata: [].into(),
        };
        let passage = ForeignPassage { text, start: Some(start), end, ..ForeignPassage::default() };
        Locator::new(Arc::from([document])).at_offsets(0, &passage)
    }

    #[test]
    fn the_text_tells_bytes_from_code_points() {
        let doors = ByteRange::new(11, 17);
        for text in ["Türen", "T\nTüren"] {
            assert_eq!(read(Some(text), 11, Some(17)), Some(Location::At(0, doors)));
            assert_eq!(read(Some(text), 10, Some(15)), Some(Location::At(0, doors)));
            assert_eq!(read(Some(text), 9, Some(14)), None);
        }
        assert_eq!(read(Some("Türen"), 11, None), Some(Location::At(0, doors)));
        assert_eq!(read(Some("Türen"), 10, None), Some(Location::At(0, doors)));
    }

    #[test]
    fn without_a_text_offsets_are_bytes_where_they_can_be() {
        let range = ByteRange::new(10, 15);
        assert_eq!(read(None, 10, Some(15)), Some(Location::At(0, range)));
        // Byte 7 is inside `ö`: code points 4..7 are `zwö`, bytes 4..8.
        let points = Location::At(0, ByteRange::new(4, 8));
        assert_eq!(read(None, 4, Some(7)), Some(points));
        // 18 bytes, 16 code points.
        assert_eq!(read(None, 4, Some(18)), Some(Location::At(0, ByteRange::new(4, 18))));
        assert_eq!(read(None, 4, Some(19)), None);
        assert_eq!(read(None, 4, Some(4)), None);
    }
}
