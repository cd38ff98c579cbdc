//! Question-answer pairs in JSON lines or CSV, under the field names of common evaluation files.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use csv::StringRecord;
use serde_json::{Map, Value};

use crate::error::DatasetError;
use crate::place::Place;
use crate::{nearest, question_id, read};
use ragtriage_core::types::{DocId, Question, QuestionKind};

/// Names of the question, the first present is used.
const QUESTION: [&str; 5] = ["question", "query", "user_input", "input", "text"];
/// Names of the reference answer. `answer` is last: where another is present, as in Ragas' files, it is the generated answer.
const ANSWER: [&str; 8] = [
    "reference",
    "ground_truth",
    "ground_truths",
    "golden_answers",
    "expected_output",
    "reference_answer",
    "answers",
    "answer",
];
const ID: [&str; 4] = ["id", "_id", "query_id", "question_id"];
/// Names that must be a document's id.
const DOC: [&str; 2] = ["doc", "doc_id"];
/// A name that may be a document's id or path, or anything else.
const SOURCE: &str = "source";

/// A question with its reference answers.
#[derive(Clone, Debug, PartialEq)]
pub struct QaPair {
    place: Place,
    id: String,
    text: String,
    answers: Vec<String>,
    doc: Option<String>,
    source: Option<String>,
    /// True if another pair of this question has other answers or another document.
    is_disputed: bool,
}

impl QaPair {
    /// Returns it as a question without evidence.
    pub(super) fn question(&self) -> Question {
        let mut question = Question::new(self.id.as_str().into(), self.text.clone());
        question.answers.clone_from(&self.answers);
        let is_yes_no =
            |answer: &String| ["yes", "no"].iter().any(|it| answer.eq_ignore_ascii_case(it));
        question.kind = match &self.answers[..] {
            [] => QuestionKind::Free,
            answers if answers.iter().all(is_yes_no) => QuestionKind::YesNo,
            _ => QuestionKind::Span,
        };
        question
    }

    /// Returns the number of the document that the pair names; `None` if it names none.
    pub(super) fn within(
        &self,
        numbers: &HashMap<&str, usize>,
    ) -> Result<Option<usize>, DatasetError> {
        if let Some(doc) = &self.doc {
            let number = numbers.get(doc.as_str()).copied();
            return number.map(Some).ok_or_else(|| DatasetError::UnknownDocument {
                place: self.place.of(&self.id),
                doc: DocId::from(doc.as_str()),
                nearest: nearest::word(doc, numbers.keys().copied()).map(DocId::from),
            });
        }
        Ok(self.source.as_ref().and_then(|source| by_path(source, numbers)))
    }

    /// Returns true if another pair of its question has other answers or another document.
    pub(super) fn is_disputed(&self) -> bool {
        self.is_disputed
    }

    /// Adds what another pair of the same question says.
    fn merge(&mut self, other: Self) {
        let is_same = |known: &Vec<String>, given: &Vec<String>| {
            known.len() == given.len() && given.iter().all(|it| known.contains(it))
        };
        let has_both = !self.answers.is_empty() && !other.answers.is_empty();
        self.is_disputed |= has_both && !is_same(&self.answers, &other.answers);
        let new = other.answers.into_iter();
        let new: Vec<String> = new.filter(|it| !self.answers.contains(it)).collect();
        self.answers.extend(new);
        if (&self.doc, &self.source) != (&other.doc, &other.source) {
            self.is_disputed = true;
            (self.doc, self.source) = (None, None);
        }
    }

    /// Returns true if it has the field `source`.
    pub(super) fn names_source(&self) -> bool {
        self.source.is_some()
    }
}

/// Returns the document whose id is the longest end of `source` at a `/`: files are recorded with the path that they were read from.
fn by_path(source: &str, numbers: &HashMap<&str, usize>) -> Option<usize> {
    let ends = source.match_indices('/').map(|(at, _)| at + 1);
    std::iter::once(0).chain(ends).find_map(|at| numbers.get(&source[at..]).copied())
}

/// Reads the pairs of the file `path`: `.csv` and `.tsv` are tables with a header, all others JSON lines. Questions are numbered by
/// a hash of their text if they have no id; repeated ones are then one, which is disputed if they differ.
///
/// # Errors
/// The file and the line of a record that is not a pair.
pub fn pairs(path: &Path) -> Result<Vec<QaPair>, DatasetError> {
    let mut all: Vec<QaPair> = Vec::new();
    let mut ids: HashMap<String, usize> = HashMap::new();
    let mut add = |place: Place, fields: Map<String, Value>| {
        let (pair, is_derived) = pair(place, &fields)?;
        let next = all.len();
        match *ids.entry(pair.id.clone()).or_insert(next) {
            at if at == next => all.push(pair),
            at if is_derived && all[at].text == pair.text => all[at].merge(pair),
            _ => {
                return Err(DatasetError::DuplicateQuestion {
                    id: pair.id.into(),
                    place: pair.place,
                });
            }
        }
        Ok(())
    };
    let ending = path.extension().map(|it| it.to_string_lossy().to_lowercase());
    match ending.as_deref() {
        Some("csv" | "tsv") => table(path, &mut add)?,
        _ => read::lines(path, |place, line| {
            let fields = read::json(&place, line)?;
            add(place, fields)
        })?,
    }
    if all.is_empty() {
        return Err(DatasetError::NoQuestions { path: path.to_owned(), split: None });
    }
    Ok(all)
}

/// Reads a table. Cells are separated as its header is: by the most frequent of comma, semicolon and tab.
fn table(
    path: &Path,
    add: &mut impl FnMut(Place, Map<String, Value>) -> Result<(), DatasetError>,
) -> Result<(), DatasetError> {
    let text = read::text(path)?;
    let shared: Arc<Path> = Arc::from(path);
    let at =
        |line: u64| Place { path: Arc::clone(&shared), line: usize::try_from(line).ok(), id: None };
    let first = text.lines().next().unwrap_or_default();
    let separators = [b',', b';', b'\t'];
    let separator = separators
        .into_iter()
        .rev() // of equals the last is returned: the comma
        .max_by_key(|separator| first.bytes().filter(|byte| byte == separator).count())
        .unwrap_or(b',');
    let mut reader = csv::ReaderBuilder::new().delimiter(separator).from_reader(text.as_bytes());
    let uneven = |error: &csv::Error| DatasetError::Line {
        place: at(error.position().map_or(1, csv::Position::line)),
        expected: "as many cells as the header has",
    };
    let header = reader.headers().map_err(|error| uneven(&error))?.clone();
    if !header.is_empty() {
        check_header(&at(1), &header)?;
    }
    for row in reader.records() {
        let row = row.map_err(|error| uneven(&error))?;
        let cells = header.iter().zip(&row);
        let fields = cells.map(|(name, cell)| (name.trim().to_owned(), value(cell)));
        let line = row.position().map_or(1, csv::Position::line);
        add(at(line), fields.collect())?;
    }
    Ok(())
}

/// A table needs a column of questions and one of answers, and each column once.
fn check_header(place: &Place, header: &StringRecord) -> Result<(), DatasetError> {
    let names: Vec<&str> = header.iter().map(str::trim).collect();
    let lacks = |known: &[&str]| !names.iter().any(|name| known.contains(name));
    let missing = |field, expected| DatasetError::Field { place: place.clone(), field, expected };
    if lacks(&QUESTION) {
        let expected = "a column of the header (also `query`, `user_input`, `input` or `text`)";
        return Err(missing("question", expected));
    }
    if lacks(&ANSWER) {
        let expected = "a column of the header (also `reference`, `ground_truth`, `golden_answers` or `expected_output`)";
        return Err(missing("answer", expected));
    }
    let known = QUESTION.iter().chain(&ANSWER).chain(&ID).chain(&DOC);
    let is_repeated = |known: &&str| names.iter().filter(|name| *name == known).count() > 1;
    if known.chain([&SOURCE]).any(is_repeated) {
        return Err(DatasetError::Line {
            place: place.clone(),
            expected: "each column once in the header",
        });
    }
    Ok(())
}

/// Returns a cell's value: a list if it is one in JSON, else its text.
fn value(cell: &str) -> Value {
    let list = Some(cell).filter(|cell| cell.trim_start().starts_with('['));
    list.and_then(|cell| serde_json::from_str(cell).ok())
        .filter(Value::is_array)
        .unwrap_or_else(|| Value::from(cell))
}

/// Returns the pair, and true if its id follows from its text.
fn pair(place: Place, fields: &Map<String, Value>) -> Result<(QaPair, bool), DatasetError> {
    let wrong = |field, expected| DatasetError::Field { place: place.clone(), field, expected };
    let present = |name: &&str| fields.get(*name).is_some_and(|value| !is_blank(value));
    let string = |names: &[&'static str], expected| match names.iter().find(|name| present(name)) {
        None => Ok(None),
        Some(name) => text(&fields[*name]).map(Some).ok_or_else(|| wrong(name, expected)),
    };
    let asked = string(&QUESTION, "a string")?;
    let text = asked.ok_or_else(|| {
        wrong("question", "a string (also `query`, `user_input`, `input` or `text`)")
    })?;
    let id = string(&ID, "a string or a whole number")?;
    let answers = match ANSWER.iter().find(|name| present(name)) {
        None => Vec::new(),
        Some(name) => {
            answers(&fields[*name]).ok_or_else(|| wrong(name, "a string or a list of strings"))?
        }
    };
    let pair = QaPair {
        id: id.clone().unwrap_or_else(|| question_id::id_of(&text)),
        doc: string(&DOC, "a document's id")?,
        source: fields.get(SOURCE).and_then(Value::as_str).map(str::to_owned),
        text,
        answers,
        place,
        is_disputed: false,
    };
    Ok((pair, id.is_none()))
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Array(items) => items.iter().all(is_blank),
        _ => false,
    }
}

/// Returns a string or a number as text.
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// Returns the distinct answers of a value; `None` for a value of another type.
fn answers(value: &Value) -> Option<Vec<String>> {
    let items = match value {
        Value::Array(items) => &items[..],
        one => std::slice::from_ref(one),
    };
    let mut all: Vec<String> = Vec::new();
    for item in items.iter().filter(|item| !is_blank(item)) {
        let answer = text(item)?;
        if !all.contains(&answer) {
            all.push(answer);
        }
    }
    Some(all)
}
