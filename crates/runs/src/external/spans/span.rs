//! A span of any source, reduced to what a record needs.

use serde_json::{Map, Value};

use super::document::Document;

/// The role of a span in a RAG.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// A search: its documents are candidates.
    Retriever,
    /// A reordering of documents.
    Reranker,
    /// A call of a language model.
    Model,
    /// A chain, an agent, a tool, or another service.
    #[default]
    Other,
}

/// A span.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Span {
    /// Its trace.
    pub trace: String,
    /// Its id, unique within the trace.
    pub id: String,
    /// The span that called it.
    pub parent: Option<String>,
    /// The line of the file where it, or the export that holds it, begins.
    pub line: usize,
    /// Its role.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// Start in nanoseconds of any epoch.
    pub start: Option<i64>,
    /// End in nanoseconds of the same epoch.
    pub end: Option<i64>,
    /// The text it was asked: a question, a query.
    pub query: Option<String>,
    /// The documents it returned, best first; `None`: not recorded.
    pub documents: Option<Vec<Document>>,
    /// The documents given to a reranker.
    pub offered: Option<Vec<Document>>,
    /// The prompt of a model.
    pub prompt: Option<String>,
    /// The text it returned: an answer.
    pub answer: Option<String>,
    /// Tokens, cost, model and finish reason, by the record's names.
    pub usage: Map<String, Value>,
    /// The reason why it failed.
    pub error: Option<String>,
}

impl Span {
    /// Returns its duration; `None` if a clock ran backwards.
    pub(super) fn seconds(&self) -> Option<f64> {
        let nanoseconds = self.end?.checked_sub(self.start?)?;
        (nanoseconds >= 0).then(|| nanoseconds as f64 / 1e9)
    }

    /// Returns true if it is a retriever or reranker whose documents are recorded.
    pub(super) fn is_ranking(&self) -> bool {
        matches!(self.kind, Kind::Retriever | Kind::Reranker) && self.documents.is_some()
    }
}

/// Returns true for the name of a reranking step. Most sources have no kind for it.
pub(super) fn names_a_reranker(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("rerank") || name.contains("re-rank") || name.contains("re_rank")
}

#[cfg(test)]
impl Span {
    /// Creates a span of trace `t`; empty texts are none.
    pub(super) fn made(id: &str, parent: &str, start: i64, query: &str) -> Self {
        let given = |text: &str| Some(text.to_owned()).filter(|text| !text.is_empty());
        Self {
            trace: "t".into(),
            id: id.into(),
            parent: given(parent),
            start: Some(start),
            query: given(query),
            ..Self::default()
        }
    }
}
