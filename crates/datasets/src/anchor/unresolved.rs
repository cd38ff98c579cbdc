//! Questions left to an annotator, and the file that they are written to.
//!
//! A line of `unresolved.jsonl` is a question that labelling reads, with the reason and the candidate places as further fields.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::DatasetError;
use crate::line::{Labels, spaced, write_lines};
use crate::{question_id, questions, read};
use ragtriage_core::types::{ByteRange, DocId, Question, QuestionId};

/// The fields of a line that are not the question's.
pub(crate) const FIELDS: [&str; 3] = ["reason", "n_found", "places"];

/// The reason that an answer was not anchored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The answer occurs at several places.
    Several,
    /// The answer does not occur.
    Never,
    /// The answer is `yes` or `no`, which is nowhere evidence by itself.
    YesNo,
    /// The pair has no answer.
    NoAnswer,
    /// Several pairs of the file give different answers, or different documents.
    Disputed,
}

/// A question whose answer was not anchored.
#[derive(Clone, Debug, PartialEq)]
pub struct Unresolved {
    /// The question, without evidence.
    pub question: Question,
    /// The reason.
    pub reason: Reason,
    /// Number of occurrences of the answer.
    pub n_found: usize,
    /// Candidate places: the first occurrences, or the nearest sentences.
    pub places: Vec<AnswerPlace>,
}

/// A candidate place of an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AnswerPlace {
    /// The document.
    pub doc: DocId,
    /// The words that the answer touches, or the nearest sentence, in bytes.
    pub range: ByteRange,
    /// The text of the sentence.
    pub sentence: String,
}

/// Candidate places by question.
pub type Candidates = BTreeMap<QuestionId, Vec<(DocId, ByteRange)>>;

#[derive(Serialize)]
struct UnresolvedLine<'a> {
    id: &'a str,
    text: &'a str,
    #[serde(flatten)]
    labels: Labels<'a>,
    reason: Reason,
    n_found: usize,
    places: &'a [AnswerPlace],
}

/// Writes `unresolved` to the file `path`, one question a line; the file is replaced.
///
/// # Errors
/// `Write`.
pub fn write_unresolved(path: &Path, unresolved: &[Unresolved]) -> Result<(), DatasetError> {
    let lines = unresolved.iter().map(|it| {
        spaced(&UnresolvedLine {
            id: it.question.id.as_str(),
            text: &it.question.text,
            labels: Labels::new(&it.question, |_| None),
            reason: it.reason,
            n_found: it.n_found,
            places: &it.places,
        })
    });
    write_lines(path, lines).map_err(DatasetError::write(path))
}

#[derive(Deserialize)]
struct GivenPlace {
    doc: DocId,
    range: ByteRange,
}

/// Reads the candidate places of a file of questions; empty for a file that has none, such as plain lines.
///
/// # Errors
/// `Read`, `Utf8`; `Field` for `places` of another form.
pub fn candidates(path: &Path) -> Result<Candidates, DatasetError> {
    let mut all = Candidates::new();
    read::lines(path, |place, line| {
        // Lines that are not objects are plain questions; the reader of the questions reports others.
        let Ok(Value::Object(mut fields)) = serde_json::from_str(line) else {
            return Ok(());
        };
        let Some(places) = fields.remove("places").filter(|places| !places.is_null()) else {
            return Ok(());
        };
        let text_of = |names: &[&str]| names.iter().find_map(|name| fields.get(*name)?.as_str());
        let id = text_of(&questions::ID).map(str::to_owned);
        let Some(id) = id.or_else(|| text_of(&questions::TEXT).map(question_id::id_of)) else {
            return Ok(());
        };
        let wrong = |_| DatasetError::Field {
            place: place.clone(),
            field: "places",
            expected: "a list of places, each with `doc` and `range`",
        };
        let given: Vec<GivenPlace> = serde_json::from_value(places).map_err(wrong)?;
        let given = given.into_iter().map(|it| (it.doc, it.range)).collect();
        all.insert(id.into(), given);
        Ok(())
    })?;
    Ok(all)
}
