//! Loads a data set: documents, then questions, with the reader of its format.

use std::path::{Path, PathBuf};

use ragtriage_core::config::{Format, MissingEvidence};
use ragtriage_core::types::{Dataset, Document, Question};

use crate::draft::Draft;
use crate::error::DatasetError;
use crate::place::Place;
use crate::spec::own_split;
use crate::{beir, files, hotpotqa, jsonl, queries, questions, smart, squad};
use ragtriage_core::config::DatasetSettings;

/// Loads and validates the data set that `spec` names.
///
/// Documents and questions retain the order of their source (`files`: ascending by path). Accepted and counted in the
/// notes: a byte order mark, `\r\n`, an empty document, stray white space around questions, and irregularities noted by
/// the format's loader. Fails with the file and line, id or byte offset of the first error.
pub fn load(spec: &DatasetSettings) -> Result<Dataset, DatasetError> {
    let split = own_split(spec)?;
    let mut draft = Draft::new(spec.missing_evidence()).limited_to(spec.max_document_bytes);
    read_documents(spec, &mut draft)?;
    read_questions(spec, &mut draft)?;
    draft.finish(&spec.path, split)
}

/// Reads the documents, and in a published format the questions they include.
pub(crate) fn read_documents(
    spec: &DatasetSettings,
    draft: &mut Draft,
) -> Result<(), DatasetError> {
    match spec.format {
        Format::Hotpotqa => hotpotqa::read(&spec.path, draft),
        Format::Squad => squad::read(&spec.path, draft),
        Format::Beir => beir::read(&spec.path, spec.split.as_deref(), draft),
        Format::Smart => smart::read(&spec.path, draft),
        Format::Jsonl => jsonl::documents(&spec.path, draft),
        Format::Files => {
            let links = crate::globs::Links::of(spec.follow_links);
            files::documents(&spec.path, &spec.globs, links, draft)
        }
    }
}

/// Reads the questions of the native format, after the documents.
pub(crate) fn read_questions(
    spec: &DatasetSettings,
    draft: &mut Draft,
) -> Result<(), DatasetError> {
    if spec.format.is_own() {
        questions::read(&spec.path.join(questions::FILE), draft)
    } else {
        Ok(())
    }
}

/// Reads the documents of the data set that `spec` names. A native data set may have no questions
/// yet.
pub fn documents(spec: &DatasetSettings) -> Result<Vec<Document>, DatasetError> {
    if !spec.format.is_own() {
        return Ok(load(spec)?.documents);
    }
    let mut draft = Draft::new(MissingEvidence::Error).limited_to(spec.max_document_bytes);
    read_documents(spec, &mut draft)?;
    draft.into_documents(&spec.path)
}

/// Loads the documents of the data set that `spec` names with the questions of the file `queries`, which need no labels: one
/// question per line; JSON lines with native keys, of which `text` suffices; or BEIR's queries.
///
/// A question without an id gets one derived from its text, so that it does not depend on the line's
/// position.
pub fn asked(spec: &DatasetSettings, queries: &Path) -> Result<Dataset, DatasetError> {
    let mut draft = Draft::new(MissingEvidence::Error);
    let place = Place::file(&spec.path);
    documents(spec)?.into_iter().try_for_each(|document| draft.push_document(&place, document))?;
    queries::read(queries, &mut draft)?;
    draft.finish(queries, None)
}

/// Reads native questions from the file `path`, without documents: quotes are not located and give no ranges.
pub(crate) fn questions_alone(path: &Path) -> Result<Vec<Question>, DatasetError> {
    let mut draft = Draft::new(MissingEvidence::Keep);
    questions::read(path, &mut draft)?;
    Ok(draft.into_questions())
}

/// Returns the path of questions.jsonl of the data set that `spec` names; `None` for published formats, which have none.
#[must_use]
pub fn questions_file(spec: &DatasetSettings) -> Option<PathBuf> {
    spec.format.is_own().then(|| spec.path.join(questions::FILE))
}
