//! The native format: `corpus.jsonl` and `questions.jsonl` in one folder.
//!
//! A corpus line has `id` (`_id`, `doc_id`), `text`, and may have `title` and `metadata` (an object). Every other key
//! is metadata too, except those that begin with `_`, which are ignored; a likely misspelling of `title`, `text` or
//! `metadata` is rejected.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::draft::Draft;
use super::parsed_lines::parsed_lines;
use super::record::{Id, JsonRecord};
use crate::error::DatasetError;
use crate::place::Place;
use ragtriage_core::types::Document;

/// Reads the documents of the folder `path` into `draft`.
pub(super) fn documents(path: &Path, draft: &mut Draft) -> Result<(), DatasetError> {
    parsed_lines(&path.join("corpus.jsonl"), document, |place, document| {
        let read = document.and_then(|document| draft.push_document(&place, document));
        draft.settle(read).map(drop)
    })
}

/// A line with the usual keys only, which need no check of their spelling.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainDocument {
    id: String,
    #[serde(default)]
    title: Option<String>,
    text: String,
    #[serde(default)]
    metadata: Option<BTreeMap<String, Value>>,
}

fn document(place: &Place, line: &str) -> Result<Document, DatasetError> {
    match serde_json::from_str::<PlainDocument>(line) {
        Ok(PlainDocument { id, title, text, metadata }) if !id.trim().is_empty() => Ok(Document {
            id: id.into(),
            title: title.unwrap_or_default(),
            text,
            metadata: metadata.unwrap_or_default(),
        }),
        _ => other_document(place, line),
    }
}

fn other_document(place: &Place, line: &str) -> Result<Document, DatasetError> {
    let mut record = JsonRecord::parse(place.clone(), line)?;
    record.refuse_misspelt(&["title", "text", "metadata"])?;
    let id: Id =
        record.need(&["id", "_id", "doc_id"], "a string that is not empty, or a whole number")?;
    record.identify(&id);
    let title: Option<String> = record.take(&["title"], "a string")?;
    let text = record.need(&["text"], "a string")?;
    let metadata: Option<BTreeMap<String, Value>> = record.take(&["metadata"], "an object")?;
    let mut fields = record.rest();
    fields.retain(|key, _| !key.starts_with('_'));
    fields.extend(metadata.unwrap_or_default());
    Ok(Document { id: id.0.into(), title: title.unwrap_or_default(), text, metadata: fields })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{load, spec::tests::with_files};
    use ragtriage_core::config::Format;
    use ragtriage_core::types::Dataset;

    fn loaded(corpus: &str) -> Result<Dataset, DatasetError> {
        let questions = r#"{"id": "q", "text": "why?"}"#;
        with_files(
            &[("corpus.jsonl", corpus), ("questions.jsonl", questions)],
            Format::Jsonl,
            |spec| load(spec),
        )
    }

    #[test]
    fn a_byte_order_mark_crlf_and_an_empty_document_are_accepted() {
        let set = loaded("\u{feff}{\"doc_id\": 1, \"text\": \"a\\r\\nb\"}\r\n{\"_id\": \"2\", \"text\": \"\"}\r\n")
            .expect("loads");
        assert_eq!((set.documents[0].id.as_str(), set.documents[0].text.as_str()), ("1", "a\r\nb"));
        assert_eq!(set.notes[0].to_string(), "1 empty document (no chunk)");
    }

    #[test]
    fn keys_of_ones_own_are_metadata() {
        let line = r#"{"id": "a", "title": "T", "text": "t", "url": "u", "_seen": 1, "metadata": {"year": 1998}}"#;
        let document = loaded(line).expect("loads").documents.remove(0);
        let metadata = BTreeMap::from([("url".into(), "u".into()), ("year".into(), 1998.into())]);
        assert_eq!((document.title.as_str(), document.metadata), ("T", metadata));
    }

    #[test]
    fn what_is_wrong_in_the_corpus_is_named_by_line() {
        let cases = [
            (
                "{\"id\": 1, \"text\": \"a\"}\n{\"id\": \"1\", \"text\": \"b\"}",
                "line 2: duplicate document `1`",
            ),
            ("{\"id\": 1, \"text\": \"a\", \"titel\": \"b\"}", "line 1: unknown key `titel`"),
            ("{\"id\": 1, \"body\": \"a\"}", "line 1 (`1`): `text` must be a string"),
            (
                "{\"text\": \"a\"}",
                "line 1: `id` must be a string that is not empty, or a whole number",
            ),
        ];
        for (corpus, expected) in cases {
            let error = loaded(corpus).expect_err("refused").to_string();
            assert!(error.ends_with(expected), "{error}");
        }
        assert!(matches!(loaded(""), Err(DatasetError::EmptyCorpus { .. })));
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let error = with_files(
            &[("corpus.jsonl", "{\"id\": 1, \"text\": \"a\"}")],
            Format::Jsonl,
            |spec| load(spec),
        );
        let DatasetError::Missing { path } = error.expect_err("refused") else { panic!("missing") };
        assert!(path.ends_with("questions.jsonl"));
    }
}
