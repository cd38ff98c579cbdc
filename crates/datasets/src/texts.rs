//! The texts of a data set's documents, looked up by id.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use ragtriage_core::text::answers::stands_in;
use ragtriage_core::text::quote::one_spaced;
use ragtriage_core::types::{DocId, Document};

/// The texts of documents by id.
#[derive(Clone, Debug, Default)]
pub struct DocumentTexts<'a> {
    by_id: BTreeMap<&'a str, &'a str>,
    /// The texts with each run of white space as one space; computed on first use.
    spaced: OnceLock<Vec<(&'a str, String)>>,
}

impl<'a> DocumentTexts<'a> {
    /// Indexes `documents`.
    #[must_use]
    pub fn new(documents: &'a [Document]) -> Self {
        let by_id = documents
            .iter()
            .map(|document| (document.id.as_str(), document.text.as_str()))
            .collect();
        Self { by_id, spaced: OnceLock::new() }
    }

    /// Returns the documents' ids, ascending.
    pub fn ids(&self) -> impl Iterator<Item = &'a str> {
        self.by_id.keys().copied()
    }

    /// Returns the text of the document of that id.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&'a str> {
        self.by_id.get(id).copied()
    }

    /// Returns the text of that document.
    #[must_use]
    pub fn of(&self, id: &DocId) -> Option<&'a str> {
        self.get(id.as_str())
    }

    /// Returns the only document other than `but` that contains `quote` as whole words; `None` if several do.
    pub(crate) fn only_holder(&self, quote: &str, but: &DocId) -> Option<DocId> {
        let spaced = self
            .spaced
            .get_or_init(|| self.by_id.iter().map(|(id, text)| (*id, one_spaced(text))).collect());
        let quote = one_spaced(quote);
        let mut holders =
            spaced.iter().filter(|(id, text)| *id != but.as_str() && stands_in(&quote, text));
        let first = holders.next().map(|(id, _)| DocId::from(*id));
        if holders.next().is_some() { None } else { first }
    }
}
