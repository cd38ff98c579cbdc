//! A BEIR folder, which other tools read: `corpus.jsonl`, `queries.jsonl`, `qrels/<split>.tsv`.
//!
//! The three files hold documents, queries and grades. All other fields of a question are written under the key
//! `ragtriage` of its query's `metadata`, which other tools ignore: kind, answers, evidence, facts, tags, split, and an
//! empty `relevant` for a question without judgments, which tells this project's reader to load the query. Other tools
//! ignore queries without judgments.

use std::io;
use std::path::Path;

use serde_json::json;

use crate::beir::OwnMetadata;
use crate::error::DatasetError;
use crate::line::{Labels, spaced, write_lines};
use crate::texts::DocumentTexts;
use ragtriage_core::types::{Dataset, QuestionId};

#[derive(serde::Serialize)]
struct WrittenQuery<'a> {
    #[serde(rename = "_id")]
    id: &'a QuestionId,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    metadata: Option<OwnMetadata<Labels<'a>>>,
}

pub(super) fn write(
    dataset: &Dataset,
    texts: &DocumentTexts<'_>,
    folder: &Path,
    split: &str,
) -> io::Result<()> {
    let documents = dataset.documents.iter().map(|document| {
        spaced(&json!({
            "_id": document.id, "title": document.title, "text": document.text, "metadata": document.metadata,
        }))
    });
    write_lines(&folder.join("corpus.jsonl"), documents)?;
    let queries = dataset.questions.iter().map(|question| {
        let mut labels = Labels::new(question, |doc| texts.of(doc));
        labels.relevant = Some(&question.relevant).filter(|relevant| relevant.is_empty());
        let metadata =
            Some(OwnMetadata { ragtriage: labels }).filter(|own| !own.ragtriage.is_plain());
        spaced(&WrittenQuery { id: &question.id, text: &question.text, metadata })
    });
    write_lines(&folder.join("queries.jsonl"), queries)?;
    std::fs::create_dir_all(folder.join("qrels"))?;
    let judgments = dataset.questions.iter().flat_map(|question| {
        question.relevant.iter().map(|(doc, grade)| format!("{}\t{doc}\t{grade}", question.id))
    });
    let header = "query-id\tcorpus-id\tscore".to_owned();
    let path = folder.join("qrels").join(format!("{split}.tsv"));
    write_lines(&path, std::iter::once(header).chain(judgments))
}

/// Rejects ids that a table does not round-trip, and a split that is not a valid file name.
pub(super) fn check(dataset: &Dataset, split: &str) -> Result<(), DatasetError> {
    if split.is_empty() || split.contains(['/', '\\']) || split.starts_with('.') {
        return Err(no_column("the split", split));
    }
    for question in &dataset.questions {
        if !fits(question.id.as_str()) {
            return Err(no_column("question", question.id.as_str()));
        }
        if let Some(doc) = question.relevant.keys().find(|doc| !fits(doc.as_str())) {
            return Err(no_column("document", doc.as_str()));
        }
    }
    Ok(())
}

fn fits(id: &str) -> bool {
    !id.is_empty() && id.trim() == id && !id.contains(['\t', '\n', '\r'])
}

fn no_column(what: &'static str, id: &str) -> DatasetError {
    DatasetError::NoColumn { what, id: id.into() }
}
