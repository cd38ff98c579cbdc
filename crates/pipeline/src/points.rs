//! Locates the points of an existing collection in the documents: they become the chunks of the run.
//!
//! A passage is located at its offsets where the document has its text there, else by its text: in the document that its
//! payload names, else in any. A passage that is in no document becomes a document of its own, so that it can be retrieved and
//! packed; gold evidence is never in it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use rayon::iter::{IntoParallelRefIterator, ParallelIterator};

use super::chunk_cache;
use super::contexts::hash;
use super::locate::{Location, Locator};
use super::plan::Plan;
use crate::Error;
use ragtriage_core::attribute::place::ForeignPassage;
use ragtriage_core::text::quote;
use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::{ByteRange, Chunk, Corpus, DocId, Document, Note};
use ragtriage_vectors::StoredPassage;

/// The chunk's number of each point, by the point's id.
pub(crate) type PointChunks = HashMap<String, u32>;

/// Documents with their chunks.
#[derive(Clone)]
pub(crate) struct Chunked {
    pub(crate) corpus: Arc<Corpus>,
    /// The points of an existing collection; empty without.
    pub(crate) points: Arc<PointChunks>,
    /// Documents that a point names and that do not have its text.
    pub(crate) stale: BTreeSet<String>,
    pub(crate) notes: Vec<Note>,
}

impl Chunked {
    /// Chunks `documents` as `plan` specifies: by its strategy, or by the points of its collection.
    ///
    /// # Errors
    /// An external chunk, or a point without text, that has no place in its document.
    pub(crate) fn new(documents: &Arc<[Document]>, plan: &Plan) -> Result<Self, Error> {
        let counter = plan.chunk_counter.as_ref();
        if let Some(collection) = plan.retrieval.collection() {
            return placed(documents, &collection.content.passages, counter);
        }
        let chunks = chunk_cache::chunked(documents, plan)?;
        let corpus = Arc::new(Corpus::new(Arc::clone(documents), chunks));
        Ok(Self { corpus, points: Arc::default(), stale: BTreeSet::new(), notes: Vec::new() })
    }
}

const DIFFERS: &str = "[point of the collection whose text is not at its|points of the collection whose text is not at their] offsets, located by the text";
const ELSEWHERE: &str = "[point of the collection whose passage is in another document than it names|points of the collection whose passage is in another document than they name], located by its text";
const SEVERAL: &str =
    "[point|points] of the collection whose passage is in several documents, mapped to the first";
const NOWHERE: &str = "[point|points] of the collection whose passage is in no document: each counts as a separate document without gold evidence";
const SAME: &str =
    "[point|points] of the collection with the passage of another point: they are one chunk";

/// Makes `passages` the chunks of `documents`.
pub(crate) fn placed(
    documents: &Arc<[Document]>,
    passages: &[StoredPassage],
    counter: &dyn TokenCounter,
) -> Result<Chunked, Error> {
    let locator = Locator::new(Arc::clone(documents));
    let found: Vec<Found> =
        passages.par_iter().map(|passage| find(&locator, passage)).collect::<Result<_, _>>()?;
    let mut all: Vec<Document> = Vec::new();
    let mut own: HashMap<&str, usize> = HashMap::new();
    let mut notes = Vec::new();
    let mut at: Vec<Place> = Vec::with_capacity(passages.len());
    let mut stale = BTreeSet::new();
    for (passage, Found { note, place, is_stale }) in passages.iter().zip(found) {
        if let Some(what) = note {
            Note::add(&mut notes, what, 1);
        }
        stale.extend(passage.document.clone().filter(|_| is_stale));
        at.push(place.unwrap_or_else(|| {
            let text = passage.text.as_deref().unwrap_or_default().trim();
            let number = *own.entry(text).or_insert_with(|| {
                all.push(own_document(text));
                documents.len() + all.len() - 1
            });
            (number, ByteRange::new(0, text.len()))
        }));
    }
    let documents: Arc<[Document]> = if all.is_empty() {
        Arc::clone(documents)
    } else {
        documents.iter().cloned().chain(all).collect()
    };
    let ranges: BTreeSet<Place> = at.iter().copied().collect();
    Note::add(&mut notes, SAME, passages.len() - ranges.len());
    let numbers: BTreeMap<Place, u32> = ranges.into_iter().zip(0..).collect();
    let points = passages.iter().zip(at);
    let chunk = |(number, range): &Place| {
        let n_tokens = counter.count(&documents[*number].text[range.as_range()]);
        Chunk::new(*number, *range, n_tokens)
    };
    let points = points.map(|(passage, at)| (passage.point.clone(), numbers[&at])).collect();
    let chunks = numbers.keys().map(chunk).collect();
    Ok(Chunked {
        corpus: Arc::new(Corpus::new(documents, chunks)),
        points: Arc::new(points),
        stale,
        notes,
    })
}

/// A document's number and a range of its text.
type Place = (usize, ByteRange);

/// Where a passage is.
struct Found {
    /// The note that counts it.
    note: Option<&'static str>,
    /// `None` if it is in no document.
    place: Option<Place>,
    /// True if it is not in the document that it may name.
    is_stale: bool,
}

/// Locates a passage.
fn find(locator: &Locator, passage: &StoredPassage) -> Result<Found, Error> {
    let named = passage.document.as_deref();
    let here = |place| Found { note: None, place: Some(place), is_stale: false };
    if passage.text.is_none() {
        return without_text(locator, passage).map(here);
    }
    let (start, end) = passage.offsets.unzip();
    let foreign =
        ForeignPassage { text: passage.text.as_deref(), title: None, document: named, start, end };
    Ok(match locator.locate(&foreign, |_| false) {
        Location::At(number, range) => {
            let text = &locator.document(number).text;
            here((number, quote::trim(text, range)))
        }
        Location::Text { document, ranges, is_elsewhere, is_one_of_several } => {
            let note = match (is_one_of_several, is_elsewhere) {
                (true, _) => Some(SEVERAL),
                (false, true) => Some(ELSEWHERE),
                (false, false) => start.and(named).map(|_| DIFFERS),
            };
            Found { note, place: Some((document, ranges[0])), is_stale: is_elsewhere }
        }
        Location::Nowhere => Found { note: Some(NOWHERE), place: None, is_stale: true },
    })
}

/// Returns the place of a point that has offsets only: bytes of the document that it names.
fn without_text(locator: &Locator, passage: &StoredPassage) -> Result<Place, Error> {
    let named = passage.document.as_deref().unwrap_or_default();
    let (start, end) = passage.offsets.unwrap_or_default();
    let range = locator.named(named).and_then(|number| {
        let text = &locator.document(number).text;
        let is_range = start <= end && text.get(start..end).is_some();
        is_range.then(|| (number, quote::trim(text, ByteRange::new(start, end))))
    });
    range.filter(|(_, range)| !range.is_empty()).ok_or_else(|| {
        let point = &passage.point;
        let hint = "name the payload field with the passage's text in `retrieval.collection.text`";
        Error::other(format!(
            "point {point} of the collection has no place: bytes {start} to {end} of document `{named}` do not exist or are blank"
        ))
        .with_hint(hint)
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

#[cfg(test)]
mod tests;
