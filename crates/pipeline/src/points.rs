//! Locates the points of an existing collection in the documents: they become the chunks of the run.
//!
//! A passage is located at its offsets where the document has its text there, else by its text: in the document that its
//! payload names, else in any. A passage that is in no document becomes a document of its own, so that it can be retrieved and
//! packed; gold evidence is never in it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::chunk_cache;
use super::contexts::hash;
use super::plan::Plan;
use crate::Error;
use ragtriage_core::attribute::place::{WordIndex, in_document};
use ragtriage_core::chunk::code_points;
use ragtriage_core::text::quote;
use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::{ByteRange, Chunk, DocId, Document, Note};
use ragtriage_vectors::StoredPassage;

/// The chunk's number of each point, by the point's id.
pub(crate) type PointChunks = HashMap<String, u32>;

/// Documents with their chunks.
pub(crate) struct Chunked {
    pub(crate) documents: Arc<[Document]>,
    pub(crate) chunks: Vec<Chunk>,
    /// The points of an existing collection; empty without.
    pub(crate) points: PointChunks,
    pub(crate) notes: Vec<Note>,
}

/// Chunks `documents` as `plan` specifies: by its strategy, or by the points of its collection.
///
/// # Errors
/// An external chunk, or a point without text, that has no place in its document.
pub(crate) fn chunked(documents: &Arc<[Document]>, plan: &Plan) -> Result<Chunked, Error> {
    if let Some(collection) = plan.retrieval.collection() {
        let counter = plan.chunk_counter.as_ref();
        return placed(documents, &collection.content.passages, counter);
    }
    Ok(Chunked {
        documents: Arc::clone(documents),
        chunks: chunk_cache::chunked(documents, plan)?,
        points: PointChunks::new(),
        notes: Vec::new(),
    })
}

/// The place of a passage, and the way it was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Found {
    /// In the document that the payload names, or in the only one, if it names none.
    There(usize, ByteRange),
    /// There, but not at the offsets.
    OffsetsDiffer(usize, ByteRange),
    /// In another document than the payload names.
    Elsewhere(usize, ByteRange),
    /// In several; this is the first.
    Several(usize, ByteRange),
    /// In none.
    Nowhere,
}

fn placed(
    documents: &Arc<[Document]>,
    passages: &[StoredPassage],
    counter: &dyn TokenCounter,
) -> Result<Chunked, Error> {
    let places = Places::new(documents);
    let found: Vec<Found> =
        passages.par_iter().map(|passage| places.find(passage)).collect::<Result<_, _>>()?;
    let mut all: Vec<Document> = Vec::new();
    let mut own: HashMap<&str, usize> = HashMap::new();
    let mut counts = Counts::default();
    let mut at: Vec<(usize, ByteRange)> = Vec::with_capacity(passages.len());
    for (passage, found) in passages.iter().zip(found) {
        counts.add(found);
        at.push(match found {
            Found::There(number, range)
            | Found::OffsetsDiffer(number, range)
            | Found::Elsewhere(number, range)
            | Found::Several(number, range) => (number, range),
            Found::Nowhere => {
                let text = passage.text.as_deref().unwrap_or_default().trim();
                let number = *own.entry(text).or_insert_with(|| {
                    all.push(own_document(text));
                    documents.len() + all.len() - 1
                });
                (number, ByteRange::new(0, text.len()))
            }
        });
    }
    let documents: Arc<[Document]> = if all.is_empty() {
        Arc::clone(documents)
    } else {
        documents.iter().cloned().chain(all).collect()
    };
    let ranges: BTreeSet<(usize, ByteRange)> = at.iter().copied().collect();
    counts.same = passages.len() - ranges.len();
    let numbers: BTreeMap<(usize, ByteRange), u32> = ranges.into_iter().zip(0..).collect();
    let points = passages.iter().zip(at);
    let chunk = |(number, range): &(usize, ByteRange)| {
        let n_tokens = counter.count(&documents[*number].text[range.as_range()]);
        Chunk::new(*number, *range, n_tokens)
    };
    Ok(Chunked {
        chunks: numbers.keys().map(chunk).collect(),
        points: points.map(|(passage, at)| (passage.point.clone(), numbers[&at])).collect(),
        documents,
        notes: counts.notes(),
    })
}

/// Creates the document of a passage that is in none: equal texts give the same one.
fn own_document(text: &str) -> Document {
    Document {
        id: DocId::from(format!("collection-{}", hash(text))),
        title: String::new(),
        text: text.to_owned(),
        metadata: BTreeMap::new(),
    }
}

/// The documents that passages are located in.
struct Places<'d> {
    documents: &'d [Document],
    numbers: HashMap<&'d str, usize>,
    /// Built for the first passage that is not in the document that it names.
    words: OnceLock<WordIndex>,
}

impl<'d> Places<'d> {
    fn new(documents: &'d [Document]) -> Self {
        let numbered = documents.iter().enumerate();
        Self {
            documents,
            numbers: numbered.map(|(number, document)| (document.id.as_str(), number)).collect(),
            words: OnceLock::new(),
        }
    }

    fn find(&self, passage: &StoredPassage) -> Result<Found, Error> {
        let named = passage.document.as_deref();
        let number = named.and_then(|named| self.numbers.get(named).copied());
        let Some(text) = passage.text.as_deref() else {
            return self.without_text(passage, number);
        };
        if let Some(number) = number {
            let document = &self.documents[number];
            if let Some(offsets) = passage.offsets
                && let Some(range) = at_offsets(&document.text, offsets, text)
            {
                return Ok(Found::There(number, range));
            }
            if let Some(&range) = in_document(document, text, None).first() {
                return Ok(match passage.offsets {
                    None => Found::There(number, range),
                    Some(_) => Found::OffsetsDiffer(number, range),
                });
            }
        }
        let words = self.words.get_or_init(|| WordIndex::new(self.documents));
        let found = words.find(self.documents, text, None).into_iter();
        let found: Vec<(usize, ByteRange)> =
            found.map(|(number, ranges)| (number, ranges[0])).collect();
        Ok(match (found.as_slice(), named) {
            ([], _) => Found::Nowhere,
            ([(number, range)], None) => Found::There(*number, *range),
            ([(number, range)], Some(_)) => Found::Elsewhere(*number, *range),
            ([(number, range), ..], _) => Found::Several(*number, *range),
        })
    }

    /// Returns the place of a point that has offsets only.
    fn without_text(&self, passage: &StoredPassage, number: Option<usize>) -> Result<Found, Error> {
        let (start, end) = passage.offsets.unwrap_or_default();
        let range = number.and_then(|number| {
            let text = &self.documents[number].text;
            let is_range = start <= end && text.get(start..end).is_some();
            is_range.then(|| (number, quote::trim(text, ByteRange::new(start, end))))
        });
        match range {
            Some((number, range)) if !range.is_empty() => Ok(Found::There(number, range)),
            _ => Err(Error::other(format!(
                "point {} of the collection has no place: bytes {start} to {end} of document `{}` do not exist or are blank",
                passage.point,
                passage.document.as_deref().unwrap_or_default()
            ))
            .with_hint("name the payload field with the passage's text in `retrieval.collection.text`")),
        }
    }
}

/// Returns the trimmed range of `offsets` (bytes, or code points) if `text` has `passage` there, with all runs of white space
/// treated as equal.
fn at_offsets(text: &str, offsets: (usize, usize), passage: &str) -> Option<ByteRange> {
    let (start, end) = offsets;
    let bytes: Option<Range<usize>> = (start <= end).then_some(start..end);
    let wanted = quote::one_spaced(passage);
    [bytes, code_points(text, start, end)]
        .into_iter()
        .flatten()
        .find(|range| text.get(range.clone()).is_some_and(|held| quote::one_spaced(held) == wanted))
        .map(|range| quote::trim(text, ByteRange::new(range.start, range.end)))
        .filter(|range| !range.is_empty())
}

/// Numbers of points by the way their passage was found.
#[derive(Default)]
struct Counts {
    differ: usize,
    elsewhere: usize,
    several: usize,
    nowhere: usize,
    same: usize,
}

impl Counts {
    fn add(&mut self, found: Found) {
        let count = match found {
            Found::There(..) => return,
            Found::OffsetsDiffer(..) => &mut self.differ,
            Found::Elsewhere(..) => &mut self.elsewhere,
            Found::Several(..) => &mut self.several,
            Found::Nowhere => &mut self.nowhere,
        };
        *count += 1;
    }

    fn notes(&self) -> Vec<Note> {
        let counted = [
            (
                self.nowhere,
                "[point|points] of the collection whose passage is in no document: each counts as a separate document without gold evidence",
            ),
            (
                self.elsewhere,
                "[point of the collection whose passage is in another document than it names|points of the collection whose passage is in another document than they name], located by its text",
            ),
            (
                self.several,
                "[point|points] of the collection whose passage is in several documents, mapped to the first",
            ),
            (
                self.differ,
                "[point of the collection whose text is not at its|points of the collection whose text is not at their] offsets, located by the text",
            ),
            (
                self.same,
                "[point|points] of the collection with the passage of another point: they are one chunk",
            ),
        ];
        let counted = counted.into_iter().filter(|(count, _)| *count > 0);
        counted.map(|(count, what)| Note { count, what: what.to_owned() }).collect()
    }
}

#[cfg(test)]
mod tests;
