//! A document of a data set.

use std::collections::BTreeMap;

use super::DocId;

/// One document of the corpus. Its text is never changed: every byte range points into it.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// Unique in the corpus.
    pub id: DocId,
    /// Shown to the generator and indexed before each chunk when `title_prefix` is on; may be empty.
    pub title: String,
    /// The text that chunks and evidence are ranges of; may be empty (counted, gives no chunk).
    pub text: String,
    /// Fields for filters.
    pub metadata: BTreeMap<String, serde_json::Value>,
}
