//! The baseline file: a [`JudgedRun`] as JSON, without the text of any document, question or answer.
//!
//! Scores are written as text, because a JSON number has no infinity and readers may round its last bit.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::JudgedRun;
use crate::Error;
use crate::asked::AskedQuestion;
use ragtriage_core::language::Language;
use ragtriage_core::measure::Measure;
use ragtriage_core::measure::answer::Scorer;
use ragtriage_core::rightness::{Judge, RightRule};
use ragtriage_core::text::content_key::key;
use ragtriage_core::text::hex::hex;
use ragtriage_core::types::{FailureClass, Fault};
use ragtriage_data::run::{Manifest, open_file};

/// The version of the file; raised when a reader of old files would misread new ones.
pub const SCHEMA: u32 = 2;
/// The value of `kind`.
const KIND: &str = "ragtriage baseline";

/// Baseline file: what gates read of a run.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BaselineFile {
    /// Version of this format.
    schema: u32,
    /// `ragtriage baseline`.
    kind: String,
    /// Name of the run.
    run: String,
    /// Start of the run, RFC 3339.
    started: String,
    /// Sha256 of the loaded data set.
    dataset_digest: String,
    /// Commit of the working directory's repository.
    git_commit: Option<String>,
    /// Version of ragtriage that made the run.
    version: String,
    /// Setting `evaluation.right`.
    right: RightRule,
    /// Setting `evaluation.scorer`.
    scorer: Scorer,
    /// Setting `dataset.language`, unless it is English.
    #[serde(default = "english", skip_serializing_if = "is_english")]
    language: String,
    /// Setting `evaluation.correct_f1`.
    correct_f1: String,
    /// Questions, in the order of the run.
    questions: Vec<AskedQuestion>,
    /// Failure class of each question.
    classes: Vec<FailureClass>,
    /// Generation fault of each question; null for other classes.
    faults: Vec<Option<Fault>>,
    /// Scores of each question, by measure: decimal numbers, `inf` is infinite; null where the measure is undefined.
    measures: BTreeMap<Measure, Vec<Option<String>>>,
    /// Digest of all other fields.
    digest: String,
}

/// Writes `judged`, of the run with this manifest, as the text of a baseline file.
#[must_use]
pub fn write(judged: &JudgedRun, manifest: &Manifest) -> String {
    let JudgedRun { name, judge, questions, classes, faults, columns } = judged;
    let columns = columns.iter();
    let mut file = BaselineFile {
        schema: SCHEMA,
        kind: KIND.to_owned(),
        run: name.clone(),
        started: manifest.started.clone(),
        dataset_digest: manifest.dataset_digest.clone(),
        git_commit: manifest.git_commit.clone(),
        version: manifest.version.clone(),
        right: judge.rule,
        scorer: judge.scorer,
        language: judge.language.code.clone(),
        correct_f1: judge.correct_f1.to_string(),
        questions: questions.clone(),
        classes: classes.clone(),
        faults: faults.clone(),
        measures: columns
            .map(|(measure, scores)| {
                let scores = scores.iter().map(|score| score.map(|score| score.to_string()));
                (*measure, scores.collect())
            })
            .collect(),
        digest: String::new(),
    };
    file.digest = file.digest();
    json(&file) + "\n"
}

/// Reads a baseline file.
///
/// # Errors
/// A file that cannot be read, of another format or version, or damaged.
pub fn read(path: &Path) -> Result<JudgedRun, Error> {
    let text = open_file(path).and_then(std::io::read_to_string).map_err(|error| {
        let message = format!("cannot read `{}`: {error}", path.display());
        Error::new(message, "check the path of the baseline")
    })?;
    parse(path, &text)
}

pub(super) fn parse(path: &Path, text: &str) -> Result<JudgedRun, Error> {
    let path = path.display();
    let foreign = |problem: String| {
        let hint = "name a run folder, or a file written from one; `ragtriage report RUN --format baseline` writes one";
        Error::new(format!("`{path}` is not a baseline file: {problem}"), hint)
    };
    let again = "write the file again from its run folder";
    let damaged = |problem: String| {
        let hint = format!("{again}; `ragtriage report RUN --format baseline` writes one");
        Error::new(format!("baseline `{path}` is damaged: {problem}"), hint)
    };
    let value: serde_json::Value =
        serde_json::from_str(text).map_err(|error| match error.classify() {
            serde_json::error::Category::Eof if !text.trim().is_empty() => {
                damaged("it is cut off".to_owned())
            }
            _ => foreign(error.to_string()),
        })?;
    if value["kind"] != KIND {
        return Err(foreign(format!("`kind` is not \"{KIND}\"")));
    }
    match value["schema"].as_u64() {
        Some(found) if found != u64::from(SCHEMA) => {
            let message = format!("baseline `{path}` has schema {found}, expected {SCHEMA}");
            let newer = "the file was written by a newer version of ragtriage: update this one";
            let is_newer = found > u64::from(SCHEMA);
            return Err(Error::new(message, if is_newer { newer } else { again }));
        }
        Some(_) => {}
        None => return Err(foreign("`schema` is not a number".to_owned())),
    }
    let mut file: BaselineFile =
        serde_json::from_value(value).map_err(|error| damaged(error.to_string()))?;
    let given = std::mem::take(&mut file.digest);
    if given != file.digest() {
        return Err(damaged("its digest does not match".to_owned()));
    }
    file.judged().ok_or_else(|| damaged("its lists do not fit its questions".to_owned()))
}

fn english() -> String {
    Language::english().code.clone()
}

fn is_english(code: &String) -> bool {
    *code == english()
}

impl BaselineFile {
    /// Returns the digest of the fields; the field `digest` is empty.
    fn digest(&self) -> String {
        hex(&key(&[&json(self)]))
    }

    /// `None` if a list has another length than the questions, a question occurs twice, or a value is not a number.
    fn judged(self) -> Option<JudgedRun> {
        let n = self.questions.len();
        let columns = self.measures.into_iter();
        let columns = columns.map(|(measure, scores)| {
            let scores = scores.iter().map(|score| match score {
                None => Some(None),
                Some(text) => number(text).map(Some),
            });
            let scores: Vec<Option<f64>> = scores.collect::<Option<_>>()?;
            (scores.len() == n).then_some((measure, scores))
        });
        let judge = Judge {
            rule: self.right,
            scorer: self.scorer,
            language: Language::of(&self.language),
            correct_f1: number(&self.correct_f1)?,
        };
        let ids: HashSet<_> = self.questions.iter().map(|question| &question.id).collect();
        let fits = ids.len() == n && self.classes.len() == n && self.faults.len() == n;
        let judged = JudgedRun {
            name: self.run,
            judge,
            questions: self.questions,
            classes: self.classes,
            faults: self.faults,
            columns: columns.collect::<Option<_>>()?,
        };
        fits.then_some(judged)
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| !value.is_nan())
}

fn json(file: &BaselineFile) -> String {
    serde_json::to_string(file).expect("a baseline is plain JSON")
}
