//! Export of a loaded data set to files, in a layout that this and other tools read.
//!
//! The export is lossless: before the folder is renamed it is read back, and its digest must equal the data set's. Data that a
//! layout cannot hold is rejected with its name.

mod beir;
mod jsonl;

#[cfg(test)]
mod tests;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::digest;
use crate::error::DatasetError;
use crate::load::load;
use crate::texts::DocumentTexts;
use ragtriage_core::config::DatasetSettings;
use ragtriage_core::config::{Format, MissingEvidence};
use ragtriage_core::text::causes::with_causes;
use ragtriage_core::types::Dataset;

/// The layout to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportLayout<'a> {
    /// `corpus.jsonl` and `questions.jsonl`.
    Jsonl,
    /// `corpus.jsonl`, `queries.jsonl`, `qrels/<split>.tsv`.
    Beir {
        /// The name of the judgments' file, without its extension.
        split: &'a str,
    },
}

/// The result of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exported {
    /// The digest, equal for the original and the export.
    pub digest: String,
    /// Questions without judgments.
    pub n_unjudged: usize,
    /// Labels that name documents missing from the corpus: the export loads with [`MissingEvidence::Keep`]
    /// only.
    pub n_missing: usize,
}

/// Writes `dataset` to the folder `to`, built in a temporary sibling folder and renamed at the end.
///
/// # Errors
/// `Occupied` if `to` exists, `NoColumn` for an id that a tab-separated table cannot hold, `NotKept` for data that the layout
/// does not round-trip, `Write`.
pub fn export(
    dataset: &Dataset,
    layout: ExportLayout<'_>,
    to: &Path,
) -> Result<Exported, DatasetError> {
    // Without a trailing slash, which would put the temporary folder inside.
    let to: PathBuf = to.components().collect();
    let to = to.as_path();
    if to.exists() {
        return Err(DatasetError::Occupied { path: to.to_owned() });
    }
    if let ExportLayout::Beir { split } = layout {
        beir::check(dataset, split)?;
    }
    let texts = DocumentTexts::new(&dataset.documents);
    let mut partial = to.as_os_str().to_owned();
    partial.push(format!(".partial-{}", std::process::id()));
    let partial = Path::new(&partial);
    let failed = DatasetError::write(to);
    let written = write(dataset, &texts, layout, partial).map_err(failed);
    let digest = written
        .and_then(|()| read_back(dataset, layout, partial))
        .and_then(|digest| fs::rename(partial, to).map_err(failed).map(|()| digest));
    if digest.is_err() {
        let _ = fs::remove_dir_all(partial); // half a data set is useless; the error is returned
    }
    let questions = &dataset.questions;
    let evidence = questions
        .iter()
        .flat_map(|question| question.evidence.iter().flatten())
        .map(|member| &member.doc);
    let named = evidence.chain(questions.iter().flat_map(|question| question.relevant.keys()));
    Ok(Exported {
        digest: digest?,
        n_unjudged: questions.iter().filter(|question| question.relevant.is_empty()).count(),
        n_missing: named.filter(|doc| texts.of(doc).is_none()).count(),
    })
}

fn write(
    dataset: &Dataset,
    texts: &DocumentTexts<'_>,
    layout: ExportLayout<'_>,
    folder: &Path,
) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    match layout {
        ExportLayout::Jsonl => jsonl::write(dataset, texts, folder),
        ExportLayout::Beir { split } => beir::write(dataset, texts, folder, split),
    }
}

/// Reads the export and compares it with the original.
fn read_back(
    dataset: &Dataset,
    layout: ExportLayout<'_>,
    folder: &Path,
) -> Result<String, DatasetError> {
    let (format, split) = match layout {
        ExportLayout::Jsonl => (Format::Jsonl, None),
        ExportLayout::Beir { split } => (Format::Beir, Some(split.to_owned())),
    };
    let spec = DatasetSettings {
        split,
        missing_evidence: Some(MissingEvidence::Keep),
        ..DatasetSettings::new(format, folder)
    };
    let back =
        load(&spec).map_err(|error| DatasetError::NotKept { format, what: with_causes(&error) })?;
    let digest = digest::digest(&dataset.documents, &dataset.questions);
    if back.digest == digest {
        return Ok(digest);
    }
    let documents = dataset.documents.iter().zip(&back.documents);
    let questions = dataset.questions.iter().zip(&back.questions);
    let document = { documents }.find(|(before, after)| before != after);
    let question = { questions }.find(|(before, after)| before != after);
    let what = match (document, question) {
        (Some((document, _)), _) => format!("document `{}` would change", document.id),
        (None, Some((question, _))) => format!("question `{}` would change", question.id),
        (None, None) => "its digest would change".to_owned(),
    };
    Err(DatasetError::NotKept { format, what })
}
