//! `corpus.jsonl` and `questions.jsonl`, as one's own data stand.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use super::Texts;
use crate::line::{question_line, spaced};
use crate::questions;
use ragtriage_core::types::{Dataset, DocId, Document};

#[derive(Serialize)]
struct DocumentLine<'a> {
    id: &'a DocId,
    #[serde(skip_serializing_if = "str::is_empty")]
    title: &'a str,
    text: &'a str,
    /// In an object of its own, where a key may have any name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    metadata: &'a BTreeMap<String, Value>,
}

pub(super) fn write(dataset: &Dataset, texts: &Texts<'_>, folder: &Path) -> io::Result<()> {
    let documents = dataset.documents.iter().map(
        |Document {
             id,
             title,
             text,
             metadata,
         }| {
            spaced(&DocumentLine {
                id,
                title,
                text,
                metadata,
            })
        },
    );
    super::lines(&folder.join("corpus.jsonl"), documents)?;
    let questions = dataset
        .questions
        .iter()
        .map(|question| question_line(question, |doc| texts.get(doc).copied()));
    super::lines(&folder.join(questions::FILE), questions)
}
