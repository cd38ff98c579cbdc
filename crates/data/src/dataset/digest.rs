//! The digest of a data set.
//!
//! sha256 over records of JSON, a line each: the version, then one sha256 per [`GROUP`] of documents, so that groups are hashed in
//! parallel, then the questions. A document is `[id, title, text, metadata]`, a question as in `traces.jsonl`. Equal files give equal
//! digests on every platform. A change of the records requires a change of [`VERSION`].

use rayon::iter::ParallelIterator;
use rayon::slice::ParallelSlice;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use ragtriage_core::text::hex::hex;
use ragtriage_core::types::{Document, Question, Split};

const VERSION: &str = "ragtriage dataset 3";

/// Documents that are hashed together.
const GROUP: usize = 4096;

/// Returns the hex sha256 over all documents and questions, in their order.
pub(super) fn digest(documents: &[Document], questions: &[Question]) -> String {
    let mut hash = Sha256::new();
    add(&mut hash, &VERSION);
    let groups = documents.par_chunks(GROUP).map(|group| {
        let mut hash = Sha256::new();
        for Document { id, title, text, metadata } in group {
            add(&mut hash, &(id, title, text, metadata));
        }
        hex(&hash.finalize())
    });
    for group in groups.collect::<Vec<_>>() {
        add(&mut hash, &group);
    }
    for question in questions {
        add(&mut hash, question);
    }
    hex(&hash.finalize())
}

/// Adds a line of JSON.
fn add(hash: &mut Sha256, record: &impl Serialize) {
    let mut line = serde_json::to_vec(record).expect("plain data is JSON");
    line.push(b'\n');
    hash.update(line);
}

/// Returns the name of a split in files.
pub(super) fn split_name(split: Split) -> &'static str {
    match split {
        Split::Tune => "tune",
        Split::Heldout => "heldout",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use ragtriage_core::types::{Member, QuestionKind};

    fn document(id: &str, title: &str) -> Document {
        let metadata = BTreeMap::from([("year".to_owned(), serde_json::json!(1998))]);
        Document { id: id.into(), title: title.into(), text: "Zürich.".into(), metadata }
    }

    fn question() -> Question {
        Question {
            id: "q".into(),
            text: "where?".into(),
            history: Vec::new(),
            standalone: None,
            kind: QuestionKind::Span,
            answers: vec!["Zürich".into()],
            evidence: vec![vec![Member { doc: "a".into(), ranges: vec![(0, 7).into()] }]],
            relevant: BTreeMap::from([("a".into(), -1)]),
            required: Vec::new(),
            forbidden: vec![vec!["Bern".into()]],
            tags: Vec::new(),
            split: Some(Split::Tune),
        }
    }

    #[test]
    fn the_digest_is_pinned() {
        // Computed with Python's hashlib and json over the records described at the top of this file.
        assert_eq!(
            digest(&[document("a", "b")], &[question()]),
            "67003b8a71db43a901e2a8b94a5e383226cf04422d1c3bcd732faff3a8e4f167"
        );
    }

    #[test]
    fn moving_a_letter_from_one_field_to_the_next_changes_the_digest() {
        assert_ne!(digest(&[document("ab", "c")], &[]), digest(&[document("a", "bc")], &[]));
    }

    #[test]
    fn a_number_is_not_its_text() {
        let with = |value: serde_json::Value| {
            let mut document = document("a", "b");
            document.metadata.insert("m".into(), value);
            digest(&[document], &[])
        };
        assert_ne!(with(1.into()), with("1".into()));
    }
}
