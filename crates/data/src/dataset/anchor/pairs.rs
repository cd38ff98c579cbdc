//! Questions with reference answers and reference contexts, under the names of common evaluation files.

use std::collections::HashMap;

use serde_json::Value;

use super::without_hop;
use crate::dataset::draft::duplicate;
use crate::dataset::jsonl::id_of;
use crate::dataset::lint::finding::Rule;
use crate::dataset::mapped::is_marked;
use crate::dataset::nearest;
use crate::error::{Error, Place};
use crate::fields::{Fields, given_as};
use crate::rows;
use crate::run::external::input::Input;
use crate::unread::Unread;
use ragtriage_core::attribute::place::ForeignPassage;
use ragtriage_core::types::{DocId, Document, DocumentNames, Note, Question, QuestionKind, Turn};

/// Words from which a reference answer is an explanation, not a value.
const LONG_ANSWER: usize = 13;

/// A question with its reference answers.
#[derive(Clone, Debug, PartialEq)]
pub struct QaPair {
    place: Place,
    id: String,
    text: String,
    history: Vec<Turn>,
    standalone: Option<String>,
    pub(super) answers: Vec<String>,
    /// Passages of the documents that the question was made from; all are needed.
    pub(super) contexts: Vec<Reference>,
    doc: Option<String>,
    source: Option<String>,
    is_unanswerable: bool,
}

/// A reference context: a text, or a place in a document.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reference {
    /// `None` for a document, or a place in it.
    text: Option<String>,
    doc: Option<String>,
    start: Option<usize>,
    end: Option<usize>,
}

impl Reference {
    /// Returns it as a passage of another system.
    pub(super) fn passage(&self) -> ForeignPassage<'_> {
        ForeignPassage {
            text: self.text.as_deref().map(without_hop),
            title: None,
            document: self.doc.as_deref(),
            start: self.start,
            end: self.end,
        }
    }

    /// Returns the document that it names as a whole; `None` for a text or a place.
    pub(super) fn name(&self) -> Option<&str> {
        match (self.text.as_deref(), self.doc.as_deref()) {
            (Some(text), None) => Some(text).filter(|text| is_id(text)),
            (None, doc) => doc.filter(|_| self.start.is_none()),
            (Some(_), Some(_)) => None,
        }
    }
}

impl QaPair {
    /// Returns it as a question without evidence.
    pub(super) fn question(&self) -> Question {
        let mut question = Question::new(self.id.as_str().into(), self.text.clone());
        question.history.clone_from(&self.history);
        question.standalone.clone_from(&self.standalone);
        if self.is_unanswerable {
            question.kind = QuestionKind::Unanswerable;
        } else {
            question.answers.clone_from(&self.answers);
            question.kind = kind_of(&self.answers);
        }
        question
    }

    /// Returns the number of the document that the pair names; `None` if it names none.
    pub(super) fn within(
        &self,
        documents: &[Document],
        names: &DocumentNames,
    ) -> Result<Option<usize>, Error> {
        if let Some(doc) = &self.doc {
            let number = names.find(doc);
            return number.map(Some).ok_or_else(|| {
                let nearest = nearest::word(doc, documents.iter().map(|it| it.id.as_str()));
                let id = DocId::from(doc.as_str());
                Error::unknown_document(&self.place.of(&self.id), &id, nearest)
            });
        }
        Ok(self.source.as_ref().and_then(|source| names.find(source)))
    }

    /// Returns its reference contexts: those that are texts or places, and names of known documents.
    pub(super) fn evidence(&self, names: &DocumentNames) -> Vec<&Reference> {
        let is_known = |it: &&Reference| it.name().is_none_or(|name| names.find(name).is_some());
        self.contexts.iter().filter(is_known).collect()
    }

    /// Returns true if `other`, with the same question, has the same answers and document.
    fn is_same(&self, other: &Self) -> bool {
        self.answers.len() == other.answers.len()
            && other.answers.iter().all(|it| self.answers.contains(it))
            && (&self.doc, &self.source, &self.contexts)
                == (&other.doc, &other.source, &other.contexts)
    }

    /// Returns true if it has the field `source`, or ids in place of reference contexts.
    pub(super) fn names_source(&self) -> bool {
        self.source.is_some() || self.contexts.iter().any(|it| it.name().is_some())
    }
}

/// Returns true for a reference context that is no text but a name.
fn is_id(context: &str) -> bool {
    !context.contains(char::is_whitespace) && context.is_ascii()
}

/// Returns the kind of a question with these reference answers.
pub(in crate::dataset) fn kind_of(answers: &[String]) -> QuestionKind {
    let is_yes_no =
        |answer: &String| ["yes", "no"].iter().any(|it| answer.eq_ignore_ascii_case(it));
    let is_long = |answer: &String| answer.split_whitespace().count() >= LONG_ANSWER;
    match answers {
        [] => QuestionKind::Free,
        answers if answers.iter().all(is_yes_no) => QuestionKind::YesNo,
        answers if answers.iter().all(is_long) => QuestionKind::Free,
        _ => QuestionKind::Span,
    }
}

/// The meaning of a field `answer` in a file of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerField {
    /// The reference, unless the file has a field for that.
    Reference,
    /// A generated answer.
    Generated,
}

/// Reads the pairs of a file. Questions are numbered by a hash of their text if they have no id; equal pairs are then
/// read once. Also returns a note of the keys that are not read.
///
/// # Errors
/// The place of a row that is not a pair; no row has a reference answer or context.
pub fn pairs(
    input: &Input,
    fields: &Fields,
    answer: AnswerField,
) -> Result<(Vec<QaPair>, Vec<Note>), Error> {
    let mut rows: Vec<(Place, Value)> = Vec::new();
    rows::each(input, fields, |place, row| {
        rows.push((place.clone(), Value::Object(row)));
        Ok(())
    })?;
    let has = |name| rows.iter().any(|(_, row)| fields.has("row", name, row));
    let reference = match answer {
        AnswerField::Reference if !has("reference") => "sole_answer",
        _ => "reference",
    };
    // A chain's `context` is what it retrieved; DeepEval's, next to `retrieval_context`, is gold.
    let is_retrieved = |row| fields.is_at("row", "contexts", "/context", row);
    let is_results = answer == AnswerField::Generated || has("reference") && has("answer");
    let is_gold = || !is_results || !rows.iter().any(|(_, row)| is_retrieved(row));
    let contexts = if !has("reference_contexts") && is_gold() {
        "sole_contexts"
    } else {
        "reference_contexts"
    };
    let mut unread = Unread::default();
    for (_, row) in &rows {
        let keys = row.as_object().into_iter().flat_map(|row| row.keys());
        let keys = keys.filter(|key| !fields.is_known("row", key));
        unread.add(keys.cloned().collect(), fields.suggested(row, [reference, contexts]));
    }
    if answer == AnswerField::Reference
        && !has(reference)
        && !has(contexts)
        && let [(place, Value::Object(row)), ..] = rows.as_slice()
    {
        let message = format!("no reference answer; {}", rows::keys(row));
        let map = Some(unread.options(" or ")).filter(|options| !options.is_empty());
        let map = map.unwrap_or_else(|| "`--map reference=/KEY`".to_owned());
        return Err(Error::in_line(place, message, format!("name it with {map}")));
    }
    let mut all: Vec<QaPair> = Vec::new();
    let mut ids: HashMap<String, usize> = HashMap::new();
    for (place, row) in &rows {
        let (pair, is_derived) = pair(place, row, fields, (reference, contexts))?;
        let next = all.len();
        match *ids.entry(pair.id.clone()).or_insert(next) {
            at if at == next => all.push(pair),
            at if all[at].text == pair.text && all[at].is_same(&pair) => {}
            at if is_derived && all[at].text == pair.text => {
                let message = format!(
                    "an earlier line has other answers or another document for `{}`",
                    pair.text
                );
                let hint = "keep one of the two, or list all right answers in one line";
                return Err(Error::data(Rule::DuplicateId, message, hint).at(place));
            }
            _ => return Err(duplicate("question", &pair.id, place)),
        }
    }
    if all.is_empty() {
        return Err(Error::no_questions(input.name().as_ref(), None));
    }
    let mut notes = Vec::new();
    unread.note(&mut notes);
    Ok((all, notes))
}

/// Returns the pair, and true if its id follows from its text.
fn pair(
    place: &Place,
    row: &Value,
    fields: &Fields,
    (reference, contexts): (&str, &str),
) -> Result<(QaPair, bool), Error> {
    let keys = || row.as_object().map_or(String::new(), rows::keys);
    let wrong = |field: &str, expected: &str| {
        let field = given_as(field);
        let message = format!("`{field}` must be {expected}; {}", keys());
        let hint =
            format!("correct it, or name its place, for instance `--map {field}=/KEY/*/KEY`");
        Error::in_line(place, message, hint)
    };
    let found = |name: &str| fields.find("row", name, row).filter(|value| !is_blank(value));
    let one = |name: &str| found(name).as_ref().and_then(text);
    let question = one("question").ok_or_else(|| rows::no_question(place, &keys()))?;
    let answers = found(reference).map_or(Some(Vec::new()), |value| texts(&value, fields));
    let of_contexts = found(contexts).map_or(Some(Vec::new()), |value| references(&value, fields));
    let id = one("id");
    let history = fields.history(place, row, &question)?;
    let turns: String = history.iter().map(|turn| turn.text.as_str()).collect();
    let pair = QaPair {
        id: id.clone().unwrap_or_else(|| id_of(&(turns + &question))),
        answers: answers.ok_or_else(|| wrong(reference, "a string or a list of strings"))?,
        contexts: of_contexts.ok_or_else(|| {
            wrong(
                contexts,
                "texts, or objects with a text or with a `doc_id`, and `start` and `end`",
            )
        })?,
        doc: one("doc"),
        source: one("source"),
        history,
        standalone: one("standalone"),
        is_unanswerable: found("answerable").is_some_and(|mark| !is_marked(&mark)),
        text: question,
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

/// Returns the distinct texts of a value, a list, or passages; `None` for a value of another type.
fn texts(value: &Value, fields: &Fields) -> Option<Vec<String>> {
    let references = references(value, fields)?.into_iter();
    references.map(|reference| reference.text).collect()
}

/// Returns the distinct passages of a value or a list; `None` for a value of another type.
fn references(value: &Value, fields: &Fields) -> Option<Vec<Reference>> {
    let items = match value {
        Value::Array(items) => &items[..],
        one => std::slice::from_ref(one),
    };
    let of_text =
        |value: &Value| Some(Reference { text: Some(text(value)?), ..Reference::default() });
    let mut all: Vec<Reference> = Vec::new();
    for item in items.iter().filter(|item| !is_blank(item)) {
        let one = match item {
            Value::Object(_) => {
                let field = |name: &str| fields.find("hit", name, item);
                let offset = |name: &str| usize::try_from(field(name)?.as_u64()?).ok();
                let [text, doc] = ["text", "doc_id"].map(|name| text(&field(name)?));
                let (start, end) = (offset("start"), offset("end"));
                let one = Reference { text, doc, start, end };
                Some(one).filter(|one| one.text.is_some() || one.doc.is_some())?
            }
            Value::Array(items) if items.len() == 1 => of_text(&items[0])?,
            item => of_text(item)?,
        };
        if !all.contains(&one) {
            all.push(one);
        }
    }
    Some(all)
}
