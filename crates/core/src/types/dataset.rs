//! A loaded data set: corpus and questions, checked against one another.

use super::{Document, Question};

/// Documents and questions whose ids are unique and whose evidence lies in the documents.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    /// The corpus, in the order of its source.
    pub documents: Vec<Document>,
    /// The questions, in the order of their source.
    pub questions: Vec<Question>,
    /// Irregularities that were counted and accepted while loading.
    pub notes: Vec<Note>,
    /// Hex sha256 over all documents and questions as loaded: changes when any of them does.
    pub digest: String,
}

/// Something a loader accepted but a user should know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Number of occurrences.
    pub count: usize,
    /// Description in the plural, without the number: `empty documents (no chunk)`.
    pub what: String,
}
