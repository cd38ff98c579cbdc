//! The result of inspecting a data set.

use crate::error::DatasetError;
use crate::place::Place;
use ragtriage_core::types::{DocId, Document, Note, Question};

/// The contents of a data set, and every error in it.
#[derive(Debug)]
pub struct Inspection {
    /// The documents, in the order of their source.
    pub documents: Vec<Document>,
    /// The questions, in the order of their source.
    pub questions: Vec<Question>,
    /// The place of each question, parallel to the questions.
    pub places: Vec<Place>,
    /// Quotes with several occurrences.
    pub repeated_quotes: Vec<RepeatedQuote>,
    /// The errors that `load` would fail with, in the order they occur.
    pub slips: Vec<DatasetError>,
    /// Notes on accepted irregularities.
    pub notes: Vec<Note>,
}

/// A quote that occurs several times in its document; the first occurrence is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RepeatedQuote {
    /// The question.
    pub place: Place,
    /// The document.
    pub doc: DocId,
    /// The quote, shortened.
    pub quote: Box<str>,
    /// The number of its occurrences.
    pub n_found: usize,
}
