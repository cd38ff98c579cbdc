//! The sentences of documents, split when first needed.

use std::cell::OnceCell;

use ragtriage_core::text::answer_index::Occurrence;
use ragtriage_core::text::sentences;
use ragtriage_core::types::{ByteRange, Document};

pub(super) struct Sentences<'a> {
    documents: &'a [Document],
    split: Vec<OnceCell<Vec<ByteRange>>>,
}

impl<'a> Sentences<'a> {
    pub(super) fn new(documents: &'a [Document]) -> Self {
        Self { documents, split: documents.iter().map(|_| OnceCell::new()).collect() }
    }

    /// Returns the sentences of the document of that number, ascending.
    pub(super) fn of(&self, document: usize) -> &[ByteRange] {
        self.split[document].get_or_init(|| {
            sentences::split(&self.documents[document].text)
                .into_iter()
                .map(|piece| ByteRange::from((piece.range.start, piece.range.end)))
                .collect()
        })
    }

    /// Returns the number of the first sentence of a place's document that ends after the start of the place.
    pub(super) fn number(&self, place: Occurrence) -> usize {
        self.of(place.text).partition_point(|sentence| sentence.end <= place.range.start)
    }

    /// Returns the range from the first sentence that `place` touches to the last; the place itself if it touches none.
    pub(super) fn around(&self, place: Occurrence) -> ByteRange {
        let touched = self.of(place.text)[self.number(place)..]
            .iter()
            .take_while(|sentence| sentence.start < place.range.end);
        touched.fold(place.range, |all, sentence| {
            ByteRange::new(all.start.min(sentence.start), all.end.max(sentence.end))
        })
    }
}
