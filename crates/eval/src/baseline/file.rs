//! The baseline file: a [`JudgedRun`] as JSON, without the text of any document, question or answer.
//!
//! Most columns have few different values, so a column is a table of them and an index per question. Values are written as
//! text, because a JSON number has no infinity and readers may round its last bit.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BaselineError, JudgedRun};
use crate::asked::AskedQuestion;
use ragtriage_core::language::Language;
use ragtriage_core::measure::Measure;
use ragtriage_core::measure::answer::Scorer;
use ragtriage_core::rightness::{Judge, RightRule};
use ragtriage_core::text::content_key::key;
use ragtriage_core::text::hex::hex;
use ragtriage_core::types::{FailureClass, Fault};
use ragtriage_runs::{Manifest, open_file};

/// The version of the file; raised when a reader of old files would misread new ones.
pub const SCHEMA: u32 = 1;
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
    /// Scores of each question, by measure.
    measures: BTreeMap<Measure, Column>,
    /// Digest of all other fields.
    digest: String,
}

/// A column of scores.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Column {
    /// Different values, as decimal numbers; `inf` is infinite.
    values: Vec<String>,
    /// Index into the values for each question; null where the measure is undefined. Empty where it is for all of them.
    of: Vec<Option<usize>>,
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
        measures: columns.map(|(measure, values)| (*measure, Column::new(values))).collect(),
        digest: String::new(),
    };
    file.digest = file.digest();
    json(&file) + "\n"
}

/// Reads a baseline file.
///
/// # Errors
/// A file that cannot be read, of another format or version, or damaged.
pub fn read(path: &Path) -> Result<JudgedRun, BaselineError> {
    let text = open_file(path)
        .and_then(std::io::read_to_string)
        .map_err(|source| BaselineError::Unreadable { path: path.to_owned(), source })?;
    parse(path, &text)
}

pub(super) fn parse(path: &Path, text: &str) -> Result<JudgedRun, BaselineError> {
    let path = || path.to_owned();
    let foreign = |problem: String| BaselineError::Foreign { path: path(), problem };
    let damaged = |problem: String| BaselineError::Damaged { path: path(), problem };
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
            return Err(BaselineError::OtherSchema { path: path(), found, expected: SCHEMA });
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
        let columns = columns.map(|(measure, column)| Some((measure, column.scores(n)?)));
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

impl Column {
    fn new(scores: &[Option<f64>]) -> Self {
        let mut values: Vec<f64> = scores.iter().flatten().copied().collect();
        values.sort_unstable_by(f64::total_cmp);
        values.dedup_by(|a, b| a.to_bits() == b.to_bits());
        let index = |score: &f64| values.binary_search_by(|value| value.total_cmp(score)).ok();
        let of = scores.iter().map(|score| score.as_ref().and_then(index));
        let of = of.filter(|_| !values.is_empty());
        Self { of: of.collect(), values: values.iter().map(ToString::to_string).collect() }
    }

    fn scores(&self, n: usize) -> Option<Vec<Option<f64>>> {
        let values = self.values.iter().map(|text| number(text));
        let values: Vec<f64> = values.collect::<Option<_>>()?;
        if values.is_empty() && self.of.is_empty() {
            return Some(vec![None; n]);
        }
        let score = |index: &Option<usize>| match index {
            None => Some(None),
            Some(index) => values.get(*index).copied().map(Some),
        };
        let scores = self.of.iter().map(score);
        scores.collect::<Option<Vec<_>>>().filter(|_| self.of.len() == n)
    }
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|value: &f64| !value.is_nan())
}

fn json(file: &BaselineFile) -> String {
    serde_json::to_string(file).expect("a baseline is plain JSON")
}
