//! Question-answer pairs in JSON lines, under the field names of common evaluation files.

use std::collections::HashMap;
use std::path::Path;

use serde_json::{Map, Value};

use crate::dataset::draft::duplicate;
use crate::dataset::jsonl::id_of;
use crate::dataset::lint::finding::Rule;
use crate::dataset::{nearest, read};
use crate::error::{Error, Place};
use ragtriage_core::types::{DocId, Document, Question, QuestionKind};

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
        documents: &[Document],
        numbers: &HashMap<&str, usize>,
    ) -> Result<Option<usize>, Error> {
        if let Some(doc) = &self.doc {
            let number = numbers.get(doc.as_str()).copied();
            return number.map(Some).ok_or_else(|| {
                let nearest = nearest::word(doc, documents.iter().map(|it| it.id.as_str()));
                let id = DocId::from(doc.as_str());
                Error::unknown_document(&self.place.of(&self.id), &id, nearest)
            });
        }
        Ok(self.source.as_ref().and_then(|source| by_path(source, numbers)))
    }

    /// Returns true if `other`, with the same question, has the same answers and document.
    fn is_same(&self, other: &Self) -> bool {
        self.answers.len() == other.answers.len()
            && other.answers.iter().all(|it| self.answers.contains(it))
            && (&self.doc, &self.source) == (&other.doc, &other.source)
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

/// Reads the pairs of the file `path`. Questions are numbered by a hash of their text if they have no id; equal pairs are then
/// read once.
///
/// # Errors
/// The file and the line of a record that is not a pair.
pub fn pairs(path: &Path) -> Result<Vec<QaPair>, Error> {
    let mut all: Vec<QaPair> = Vec::new();
    let mut ids: HashMap<String, usize> = HashMap::new();
    read::lines(path, |place, line| {
        let (pair, is_derived) = pair(place, &read::json(place, line)?)?;
        let next = all.len();
        match *ids.entry(pair.id.clone()).or_insert(next) {
            at if at == next => all.push(pair),
            at if is_derived && all[at].is_same(&pair) => {}
            at if is_derived && all[at].text == pair.text => {
                let message =
                    "an earlier line has other answers or another document for this question";
                let hint = "keep one of the two, or list all right answers in one line";
                return Err(Error::data(Rule::DuplicateId, message, hint).at(place));
            }
            _ => return Err(duplicate("question", &pair.id, place)),
        }
        Ok(())
    })?;
    if all.is_empty() {
        return Err(Error::no_questions(path, None));
    }
    Ok(all)
}

/// Returns the pair, and true if its id follows from its text.
fn pair(place: &Place, fields: &Map<String, Value>) -> Result<(QaPair, bool), Error> {
    let wrong =
        |field: &str, expected: &str| Error::record(place, format!("`{field}` must be {expected}"));
    let present = |name: &&str| fields.get(*name).is_some_and(|value| !is_blank(value));
    let string = |names: &[&str], expected| match names.iter().find(|name| present(name)) {
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
        id: id.clone().unwrap_or_else(|| id_of(&text)),
        doc: string(&DOC, "a document's id")?,
        source: fields.get(SOURCE).and_then(Value::as_str).map(str::to_owned),
        text,
        answers,
        place: place.clone(),
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
