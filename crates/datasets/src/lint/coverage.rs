//! The share of the corpus that questions use.

use std::collections::HashSet;

use serde::Serialize;

use super::finding::{Finding, Rule};
use super::subject::{LintSubject, used_documents};
use ragtriage_core::types::DocId;

/// Use of documents as evidence or with grades of at least 1.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Coverage {
    /// Number of used documents.
    pub used: usize,
    /// Number of documents.
    pub documents: usize,
    /// `used` / `documents`; 0 without documents.
    pub share: f64,
}

/// Returns the coverage, and the unused documents.
#[must_use]
pub fn of(subject: &LintSubject<'_>) -> (Coverage, Vec<DocId>) {
    let used: HashSet<&DocId> = subject.questions.iter().flat_map(used_documents).collect();
    let unused: Vec<DocId> = subject
        .documents
        .iter()
        .filter(|document| !used.contains(&document.id))
        .map(|document| document.id.clone())
        .collect();
    let documents = subject.documents.len();
    let used = documents - unused.len();
    (Coverage { used, documents, share: used as f64 / documents.max(1) as f64 }, unused)
}

/// Reports documents without text.
#[must_use]
pub fn empty(subject: &LintSubject<'_>) -> Vec<Finding> {
    subject
        .documents
        .iter()
        .filter(|document| document.text.trim().is_empty())
        .map(|document| {
            let message = format!("document `{}` has no text", document.id);
            let hint = "add its text or remove it; check why nothing was extracted from its source";
            Finding::new(Rule::EmptyDocument, message, hint).in_document(&document.id)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::subject::tests::{document, inspection, question, told};
    use super::*;

    #[test]
    fn the_documents_that_no_question_uses_are_listed() {
        let documents = || ["a", "b", "c", "d"].map(|id| document(id, "text")).to_vec();
        let half = inspection(
            documents(),
            vec![question("1", "?", &[], &["a"]), question("2", "?", &[], &["a", "c"])],
        );
        let (coverage, unused) = of(&LintSubject::new(&half));
        assert_eq!((coverage.used, coverage.share, unused), (2, 0.5, vec!["b".into(), "d".into()]));
    }

    #[test]
    fn a_document_without_text_is_told() {
        let inspection = inspection(vec![document("a", " \n"), document("b", "b")], Vec::new());
        assert_eq!(told(&empty(&LintSubject::new(&inspection))), ["a: document `a` has no text"]);
    }
}
