//! The texts of a data set's documents, looked up by id.

use std::collections::BTreeMap;

use ragtriage_core::types::{DocId, Document};

/// The texts of documents by id.
#[derive(Clone, Debug, Default)]
pub struct DocumentTexts<'a> {
    by_id: BTreeMap<&'a str, &'a str>,
}

impl<'a> DocumentTexts<'a> {
    /// Indexes `documents`.
    #[must_use]
    pub fn new(documents: &'a [Document]) -> Self {
        let by_id = documents
            .iter()
            .map(|document| (document.id.as_str(), document.text.as_str()))
            .collect();
        Self { by_id }
    }

    /// Returns the text of that document.
    #[must_use]
    pub fn of(&self, id: &DocId) -> Option<&'a str> {
        self.by_id.get(id.as_str()).copied()
    }
}
