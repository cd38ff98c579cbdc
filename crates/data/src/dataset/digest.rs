//! The digest of a data set.
//!
//! sha256 over an unambiguous byte stream: every string is preceded by its length and every list by its count, as
//! 64-bit little endian; JSON objects are in ascending key order. Documents are in the stream as one sha256 per group of
//! [`GROUP`], so that groups are hashed in parallel. Equal files give equal digests on every platform.
//! A change of the stream requires a change of [`VERSION`].

use rayon::iter::ParallelIterator;
use rayon::slice::ParallelSlice;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use ragtriage_core::text::hex::hex;
use ragtriage_core::types::{Document, KeyFact, Member, Question, Split};

const VERSION: &str = "ragtriage dataset 2";

/// Documents that are hashed together.
const GROUP: usize = 4096;

/// Returns the hex sha256 over all documents and questions, in their order.
pub(super) fn digest(documents: &[Document], questions: &[Question]) -> String {
    let mut stream = Stream(Sha256::new());
    stream.text(VERSION);
    stream.count(documents.len());
    let groups = documents.par_chunks(GROUP).map(|group| {
        let mut stream = Stream(Sha256::new());
        for document in group {
            stream.document(document);
        }
        stream.0.finalize()
    });
    for group in groups.collect::<Vec<_>>() {
        stream.0.update(group);
    }
    stream.count(questions.len());
    for question in questions {
        stream.question(question);
    }
    hex(&stream.0.finalize())
}

/// Returns the name of a split in files.
pub(super) fn split_name(split: Split) -> &'static str {
    match split {
        Split::Tune => "tune",
        Split::Heldout => "heldout",
    }
}

struct Stream(Sha256);

impl Stream {
    fn count(&mut self, n: usize) {
        self.0.update((n as u64).to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.count(text.len());
        self.0.update(text);
    }

    fn texts(&mut self, texts: &[String]) {
        self.count(texts.len());
        for text in texts {
            self.text(text);
        }
    }

    fn facts(&mut self, facts: &[KeyFact]) {
        self.count(facts.len());
        for fact in facts {
            self.texts(fact);
        }
    }

    fn document(&mut self, document: &Document) {
        let Document { id, title, text, metadata } = document;
        self.text(id.as_str());
        self.text(title);
        self.text(text);
        self.count(metadata.len());
        for (key, value) in metadata {
            self.text(key);
            self.value(value);
        }
    }

    /// Hashes a character for the type, then the value; numbers and booleans in JSON syntax.
    fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.text("n"),
            Value::Bool(_) | Value::Number(_) => {
                self.text("p");
                self.text(&value.to_string());
            }
            Value::String(text) => {
                self.text("s");
                self.text(text);
            }
            Value::Array(items) => {
                self.text("a");
                self.count(items.len());
                for item in items {
                    self.value(item);
                }
            }
            Value::Object(fields) => {
                self.text("o");
                self.count(fields.len());
                let mut sorted: Vec<_> = fields.iter().collect();
                sorted.sort_unstable_by_key(|(key, _)| *key);
                for (key, value) in sorted {
                    self.text(key);
                    self.value(value);
                }
            }
        }
    }

    fn question(&mut self, question: &Question) {
        let Question {
            id,
            text,
            kind,
            answers,
            evidence,
            relevant,
            required,
            forbidden,
            tags,
            split,
        } = question;
        self.text(id.as_str());
        self.text(text);
        self.text(kind.name());
        self.texts(answers);
        self.count(evidence.len());
        for group in evidence {
            self.count(group.len());
            for Member { doc, ranges } in group {
                self.text(doc.as_str());
                self.count(ranges.len());
                for range in ranges {
                    self.count(range.start);
                    self.count(range.end);
                }
            }
        }
        self.count(relevant.len());
        for (doc, grade) in relevant {
            self.text(doc.as_str());
            self.0.update(grade.to_le_bytes());
        }
        self.facts(required);
        self.facts(forbidden);
        self.texts(tags);
        self.text(split.map_or("", split_name));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use ragtriage_core::types::QuestionKind;

    fn document(id: &str, title: &str) -> Document {
        let metadata = BTreeMap::from([("year".to_owned(), serde_json::json!(1998))]);
        Document { id: id.into(), title: title.into(), text: "Zürich.".into(), metadata }
    }

    fn question() -> Question {
        Question {
            id: "q".into(),
            text: "where?".into(),
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
        // Computed with Python's hashlib over the stream described at the top of this file.
        assert_eq!(
            digest(&[document("a", "b")], &[question()]),
            "56dc96f4cef141ca7b1e693119e38d7d50bd2899929df6f57512627c4f18d22f"
        );
    }

    #[test]
    fn moving_a_letter_from_one_field_to_the_next_changes_the_digest() {
        assert_ne!(digest(&[document("ab", "c")], &[]), digest(&[document("a", "bc")], &[]));
    }

    #[test]
    fn the_order_of_keys_inside_metadata_does_not_matter() {
        let with = |json: &str| {
            let mut document = document("a", "b");
            document.metadata.insert("m".into(), serde_json::from_str(json).expect("JSON"));
            digest(&[document], &[])
        };
        assert_eq!(with(r#"{"x": 1, "y": [null]}"#), with(r#"{"y": [null], "x": 1}"#));
        assert_ne!(with(r#"{"x": 1}"#), with(r#"{"x": "1"}"#));
    }
}
