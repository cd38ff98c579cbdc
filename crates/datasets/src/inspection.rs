//! The result of reading a data set to its end.

use crate::error::DatasetError;
use crate::place::Place;
use ragtriage_core::types::{DocId, Document, Note, Question};

/// What there is, and what is wrong with it.
#[derive(Debug)]
pub struct Inspection {
    /// The documents, in the order of their source.
    pub documents: Vec<Document>,
    /// The questions, in the order of their source.
    pub questions: Vec<Question>,
    /// Where each question stands; as many as there are questions.
    pub places: Vec<Place>,
    /// Quotes that could mean several places.
    pub repeated_quotes: Vec<RepeatedQuote>,
    /// What `load` would refuse, in the order it was met.
    pub slips: Vec<DatasetError>,
    /// What was accepted, but is worth telling.
    pub notes: Vec<Note>,
}

/// A quote that stands several times in its document; the first is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedQuote {
    /// The question.
    pub place: Place,
    /// The document.
    pub doc: DocId,
    /// The quote, shortened.
    pub quote: Box<str>,
    /// How often it stands there.
    pub n_found: usize,
}
