//! Export to the native format: `corpus.jsonl` and `questions.jsonl`.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use crate::line::{question_line, spaced, write_lines};
use crate::questions;
use crate::texts::DocumentTexts;
use ragtriage_core::types::{Dataset, DocId, Document};

#[derive(Serialize)]
struct WrittenDocument<'a> {
    id: &'a DocId,
    #[serde(skip_serializing_if = "str::is_empty")]
    title: &'a str,
    text: &'a str,
    /// In a separate object, so that a key may have any name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metadata: &'a BTreeMap<String, Value>,
}

pub(super) fn write(dataset: &Dataset, texts: &DocumentTexts<'_>, folder: &Path) -> io::Result<()> {
    let documents = dataset.documents.iter().map(|Document { id, title, text, metadata }| {
        spaced(&WrittenDocument { id, title, text, metadata })
    });
    write_lines(&folder.join("corpus.jsonl"), documents)?;
    let questions =
        dataset.questions.iter().map(|question| question_line(question, |doc| texts.of(doc)));
    write_lines(&folder.join(questions::FILE), questions)
}
