//! The record of one question by an external RAG: a JSON object, on a line of a file or from a
//! service.
//!
//! | key | holds |
//! |---|---|
//! | `id` | the question's id, a string or a whole number |
//! | `question` (`user_input`) | its text; one of the two is needed |
//! | `contexts` (`retrieved_contexts`) | the retrieved contexts, best first: texts, or `{text, doc_id?, title?, score?}` |
//! | `answer` (`response`) | the answer; `null`: there was none |
//! | `prompt` | the whole prompt: the contexts that it contains were packed; without it, all of them |
//! | `arms` | `oracle`, `gold_in_noise`, `closed_book`: an answer, or `{answer, contexts?}` |
//! | `error` | the reason the question failed there; contexts and answer are then optional |
//!
//! Other keys are ignored and counted, in contexts and arms as well; a misspelled key is rejected, so that it loses no
//! answer. The names in brackets are those of Ragas.

use serde_json::{Map, Value};

use super::input::Input;
use super::unique::UniqueFields;
use super::{ExternalError, Position};
use ragtriage_core::types::ArmName;

/// Keys whose misspellings are rejected: those long enough to be distinctive. `score` is excluded: without one the
/// order counts, and `store` is a plausible key.
const KEYS: [&str; 8] = [
    "question",
    "user_input",
    "contexts",
    "retrieved_contexts",
    "answer",
    "response",
    "prompt",
    "error",
];
/// Keys of a context.
const CONTEXT_KEYS: [&str; 2] = ["doc_id", "title"];
/// Keys of an arm.
const ARM_KEYS: [&str; 1] = ["contexts"];

/// One question as an external RAG answered it.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// Its position, for errors.
    pub position: Position,
    /// The question's id.
    pub id: Option<String>,
    /// The question's text.
    pub question: Option<String>,
    /// The retrieved contexts, best first.
    pub contexts: Vec<RecordedContext>,
    /// Number of contexts in the prompt where none is recorded, or it contains no context; `None`: all.
    pub packed: Option<usize>,
    /// The answer.
    pub answer: RecordedAnswer,
    /// The prompt, which decides what was packed.
    pub prompt: Option<String>,
    /// Answers of further arms, in the order of [`ArmName::ALL`].
    pub arms: Vec<RecordedArm>,
    /// The error with which it failed there.
    pub error: Option<String>,
    /// Ignored keys.
    pub unread: Vec<String>,
}

/// A passage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecordedContext {
    /// Its text; `None`: the document as a whole.
    pub text: Option<String>,
    /// Its document, by the source's id.
    pub doc_id: Option<String>,
    /// Its document's title.
    pub title: Option<String>,
    /// The source's score; finite.
    pub score: Option<f64>,
}

/// The recorded answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum RecordedAnswer {
    /// Answers are not recorded: retrieval only.
    #[default]
    Unsaid,
    /// No answer was given.
    None,
    /// The answer's text.
    Text(String),
}

/// The answer of another arm to the question.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedArm {
    /// The arm.
    pub arm: ArmName,
    /// The answer; `None`: there was none.
    pub answer: Option<String>,
    /// The contexts in its prompt.
    pub contexts: Vec<RecordedContext>,
}

/// Reads a record: a JSON object on each non-blank line.
///
/// # Errors
/// The first line that is not a valid object or lacks a required key.
pub fn read(input: &Input) -> Result<Vec<Recorded>, ExternalError> {
    let lines = input
        .text()
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty());
    lines
        .map(|(number, line): (usize, &str)| {
            let position = input.line(number + 1);
            let recorded = object(&position, line)?;
            if recorded.id.is_none() && recorded.question.is_none() {
                let expected = "a string, or there must be an `id`";
                return Err(ExternalError::Field {
                    position,
                    field: "question".to_owned(),
                    expected,
                });
            }
            Ok(recorded)
        })
        .collect()
}

/// Reads the object at `position`.
///
/// # Errors
/// `Line`, `Field`, `UnknownKey`. The question's id may be missing.
pub fn object(position: &Position, text: &str) -> Result<Recorded, ExternalError> {
    let UniqueFields(fields) = serde_json::from_str(text)
        .map_err(|error| ExternalError::json(position.clone(), &error))?;
    RecordedFields { position, fields }.recorded()
}

/// The fields of an object that have not been taken yet.
struct RecordedFields<'p> {
    position: &'p Position,
    fields: Map<String, Value>,
}

impl RecordedFields<'_> {
    fn recorded(mut self) -> Result<Recorded, ExternalError> {
        self.refuse_slips("", &self.fields, &KEYS)?;
        let id = self.fields.remove("id");
        let id = self.id("id", id)?;
        let question = self.text(&["question", "user_input"])?;
        let error = self.text(&["error"])?;
        let mut unread = Vec::new();
        let contexts = match self.take(&["contexts", "retrieved_contexts"])? {
            None | Some((_, Value::Null)) if error.is_some() => Vec::new(),
            Some((key, Value::Array(items))) => self.contexts(key, items, &mut unread)?,
            _ => return Err(self.wrong("contexts", "a list of texts, or of objects with a `text`")),
        };
        let answer = match self.take(&["answer", "response"])? {
            None => RecordedAnswer::Unsaid,
            Some((_, Value::Null)) => RecordedAnswer::None,
            Some((_, Value::String(text))) => RecordedAnswer::Text(text),
            Some((key, _)) => {
                return Err(self.wrong(key, "a string, or null where there was no answer"));
            }
        };
        let prompt = self.text(&["prompt"])?;
        let arms = self.arms(&mut unread)?;
        let position = self.position.clone();
        unread.extend(self.fields.into_iter().map(|(key, _)| key));
        unread.sort_unstable();
        unread.dedup();
        Ok(Recorded {
            position,
            id,
            question,
            contexts,
            packed: None,
            answer,
            prompt,
            arms,
            error,
            unread,
        })
    }

    /// Removes and returns the value of the one of `keys` that is present.
    fn take(
        &mut self,
        keys: &[&'static str],
    ) -> Result<Option<(&'static str, Value)>, ExternalError> {
        let mut taken = None;
        for key in keys {
            match self.fields.remove(*key) {
                None => {}
                Some(_) if taken.is_some() => {
                    return Err(self.wrong(key, "given under one of its names only"));
                }
                Some(value) => taken = Some((*key, value)),
            }
        }
        Ok(taken)
    }

    fn text(&mut self, keys: &[&'static str]) -> Result<Option<String>, ExternalError> {
        match self.take(keys)? {
            None => Ok(None),
            Some((key, value)) => self.string(key, Some(value)),
        }
    }

    fn string(&self, name: &str, value: Option<Value>) -> Result<Option<String>, ExternalError> {
        match value {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(name, "a string")),
        }
    }

    fn id(&self, name: &str, value: Option<Value>) -> Result<Option<String>, ExternalError> {
        match value {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(id)) if !id.is_empty() => Ok(Some(id)),
            Some(Value::Number(number)) if !number.is_f64() => Ok(Some(number.to_string())),
            Some(_) => Err(self.wrong(name, "a string that is not empty, or a whole number")),
        }
    }

    fn contexts(
        &self,
        key: &str,
        items: Vec<Value>,
        unread: &mut Vec<String>,
    ) -> Result<Vec<RecordedContext>, ExternalError> {
        let mut contexts = Vec::with_capacity(items.len());
        for (at, item) in items.into_iter().enumerate() {
            let (context, others) = self.context(&format!("{key}[{at}]"), item)?;
            unread.extend(others.keys().map(|other| format!("{key}[].{other}")));
            contexts.push(context);
        }
        Ok(contexts)
    }

    /// Reads a context, and returns it with its ignored keys.
    fn context(
        &self,
        name: &str,
        item: Value,
    ) -> Result<(RecordedContext, Map<String, Value>), ExternalError> {
        let (text, mut fields) = match item {
            Value::Object(mut fields) => (fields.remove("text"), fields),
            text => (Some(text), Map::new()),
        };
        let text = match text {
            Some(Value::String(text)) if !text.trim().is_empty() => text,
            _ => {
                let expected = "a text that is not blank, or an object with one as `text`";
                return Err(self.wrong(name, expected));
            }
        };
        self.refuse_slips(&format!("{name}."), &fields, &CONTEXT_KEYS)?;
        let doc_id = self.id(&format!("{name}.doc_id"), fields.remove("doc_id"))?;
        let title = self.string(&format!("{name}.title"), fields.remove("title"))?;
        let score = match fields.remove("score") {
            None | Some(Value::Null) => None,
            Some(Value::Number(score)) => score.as_f64().filter(|score| score.is_finite()),
            Some(_) => return Err(self.wrong(&format!("{name}.score"), "a number")),
        };
        Ok((
            RecordedContext {
                text: Some(text),
                doc_id,
                title,
                score,
            },
            fields,
        ))
    }

    fn arms(&mut self, unread: &mut Vec<String>) -> Result<Vec<RecordedArm>, ExternalError> {
        let mut given = match self.fields.remove("arms") {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::Object(arms)) => arms,
            Some(_) => return Err(self.wrong("arms", "an object of arms")),
        };
        let mut arms = Vec::new();
        for &arm in ArmName::ALL
            .iter()
            .filter(|arm| **arm != ArmName::Retrieved)
        {
            let name = format!("arms.{arm}");
            let (answer, contexts) = match given.remove(arm.name()) {
                None => continue,
                Some(Value::Object(mut fields)) => {
                    self.refuse_slips(&format!("{name}."), &fields, &ARM_KEYS)?;
                    let (answer, contexts) = (fields.remove("answer"), fields.remove("contexts"));
                    unread.extend(fields.keys().map(|other| format!("{name}.{other}")));
                    (answer, contexts)
                }
                Some(answer) => (Some(answer), None),
            };
            let answer = match answer {
                Some(Value::String(text)) => Some(text),
                Some(Value::Null) => None,
                _ => return Err(self.wrong(&name, "an answer, or an object with an `answer`")),
            };
            let contexts = match contexts {
                None | Some(Value::Null) => Vec::new(),
                Some(Value::Array(items)) => {
                    self.contexts(&format!("{name}.contexts"), items, unread)?
                }
                Some(_) => return Err(self.wrong(&format!("{name}.contexts"), "a list")),
            };
            arms.push(RecordedArm {
                arm,
                answer,
                contexts,
            });
        }
        match given.into_iter().next() {
            None => Ok(arms),
            Some((arm, _)) => Err(self.wrong(
                &format!("arms.{arm}"),
                "left out: there are `oracle`, `gold_in_noise`, `closed_book`",
            )),
        }
    }

    /// Rejects a key of `fields` that is a misspelling of one of `known`: one character of five, two of more. `place`:
    /// the location of the fields.
    fn refuse_slips(
        &self,
        place: &str,
        fields: &Map<String, Value>,
        known: &[&'static str],
    ) -> Result<(), ExternalError> {
        let absent: Vec<&'static str> = known
            .iter()
            .copied()
            .filter(|name| !fields.contains_key(*name))
            .collect();
        for key in fields.keys().filter(|key| !known.contains(&key.as_str())) {
            if let Some(nearest) = absent.iter().find(|name: &&&'static str| {
                strsim::damerau_levenshtein(name, &key.to_lowercase())
                    <= if name.len() > 5 { 2 } else { 1 }
            }) {
                let (position, key) = (self.position.clone(), format!("{place}{key}"));
                return Err(ExternalError::UnknownKey {
                    position,
                    key,
                    nearest,
                });
            }
        }
        Ok(())
    }

    fn wrong(&self, field: &str, expected: &'static str) -> ExternalError {
        ExternalError::Field {
            position: self.position.clone(),
            field: field.to_owned(),
            expected,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Result<Recorded, ExternalError> {
        object(
            &Position {
                file: "f.jsonl".to_owned(),
                line: Some(7),
            },
            text,
        )
    }

    fn context(text: &str) -> RecordedContext {
        RecordedContext {
            text: Some(text.to_owned()),
            ..RecordedContext::default()
        }
    }

    #[test]
    fn every_form_that_the_table_names_is_read() {
        let whole = line(
            r#"{"id": 4, "question": "q?", "contexts": ["a", {"text": "b", "doc_id": 9, "title": "T", "score": 0.5}],
                "answer": "x", "prompt": "p", "arms": {"closed_book": "y", "oracle": {"answer": null, "contexts": ["c"]}}, "cost": 1}"#,
        )
        .expect("reads");
        assert_eq!(
            (whole.id.as_deref(), whole.question.as_deref()),
            (Some("4"), Some("q?"))
        );
        let second = RecordedContext {
            doc_id: Some("9".into()),
            title: Some("T".into()),
            score: Some(0.5),
            ..context("b")
        };
        assert_eq!(whole.contexts, [context("a"), second]);
        assert_eq!(
            (whole.answer, whole.prompt.as_deref()),
            (RecordedAnswer::Text("x".into()), Some("p"))
        );
        let oracle = RecordedArm {
            arm: ArmName::Oracle,
            answer: None,
            contexts: vec![context("c")],
        };
        let closed = RecordedArm {
            arm: ArmName::ClosedBook,
            answer: Some("y".into()),
            contexts: vec![],
        };
        assert_eq!(whole.arms, [oracle, closed]);
        assert_eq!(whole.unread, ["cost"]);
    }

    #[test]
    fn keys_that_are_not_read_are_told_wherever_they_stand_each_once() {
        let read = line(
            r#"{"id": 1, "contexts": [{"text": "a", "rank": 1, "store": "s"}, {"text": "b", "rank": 2}], "order": 3,
                "arms": {"oracle": {"answer": "x", "cost": 1, "contexts": [{"text": "c", "page": 4}]}}}"#,
        )
        .expect("reads");
        let expected = [
            "arms.oracle.contexts[].page",
            "arms.oracle.cost",
            "contexts[].rank",
            "contexts[].store",
            "order",
        ];
        assert_eq!(read.unread, expected);
    }

    #[test]
    fn no_answer_and_nothing_said_of_answers_differ() {
        assert_eq!(
            line(r#"{"id": "a", "contexts": []}"#)
                .expect("reads")
                .answer,
            RecordedAnswer::Unsaid
        );
        assert_eq!(
            line(r#"{"id": "a", "contexts": [], "answer": null}"#)
                .expect("reads")
                .answer,
            RecordedAnswer::None
        );
        let ragas = line(r#"{"user_input": "q", "retrieved_contexts": ["a"], "response": "r"}"#)
            .expect("reads");
        assert_eq!(
            (ragas.answer, ragas.contexts.len()),
            (RecordedAnswer::Text("r".into()), 1)
        );
    }

    #[test]
    fn a_question_that_failed_there_needs_no_contexts() {
        assert_eq!(
            line(r#"{"id": "a", "error": "timeout"}"#)
                .expect("reads")
                .error
                .as_deref(),
            Some("timeout")
        );
    }

    #[test]
    fn lines_are_numbered_and_must_say_which_question_they_are() {
        let input = Input::new(
            "f.jsonl",
            "{\"id\": 1, \"contexts\": []}\n\n{\"contexts\": []}\n".to_owned(),
        )
        .expect("text");
        let error = read(&input).expect_err("whose?").to_string();
        assert_eq!(
            error,
            "`f.jsonl` line 3: `question` must be a string, or there must be an `id`"
        );
    }

    #[test]
    fn what_is_wrong_is_named_by_file_line_and_field() {
        for (text, expected) in [
            (
                "[1]",
                "`f.jsonl` line 7 column 1: not a JSON object: invalid type: sequence, expected a map",
            ),
            (
                r#"{"id": "a", "contexts": [NaN]}"#,
                "`f.jsonl` line 7 column 26: not a JSON object: expected value",
            ),
            (
                r#"{"id": "a", "contexts": [{"text": "t", "score": 1e999}]}"#,
                "`f.jsonl` line 7 column 53: not a JSON object: number out of range",
            ),
            (
                r#"{"id": 1.5, "contexts": []}"#,
                "`f.jsonl` line 7: `id` must be a string that is not empty, or a whole number",
            ),
            (
                r#"{"id": "a"}"#,
                "`f.jsonl` line 7: `contexts` must be a list of texts, or of objects with a `text`",
            ),
            (
                r#"{"id": "a", "contexts": ["t", {"doc_id": "d"}]}"#,
                "`f.jsonl` line 7: `contexts[1]` must be a text that is not blank, or an object with one as `text`",
            ),
            (
                r#"{"id": "a", "contexts": [" "]}"#,
                "`f.jsonl` line 7: `contexts[0]` must be a text that is not blank, or an object with one as `text`",
            ),
            (
                r#"{"id": "a", "contexts": [{"text": "t", "score": "high"}]}"#,
                "`f.jsonl` line 7: `contexts[0].score` must be a number",
            ),
            (
                r#"{"id": "a", "contexts": [], "answer": 42}"#,
                "`f.jsonl` line 7: `answer` must be a string, or null where there was no answer",
            ),
            (
                r#"{"id": "a", "contexts": [], "anwser": "x"}"#,
                "`f.jsonl` line 7: unknown key `anwser`",
            ),
            (
                r#"{"id": "a", "contexts": [], "eror": "x"}"#,
                "`f.jsonl` line 7: unknown key `eror`",
            ),
            (
                r#"{"id": "a", "contexts": ["t", {"text": "t", "docId": "d"}]}"#,
                "`f.jsonl` line 7: unknown key `contexts[1].docId`",
            ),
            (
                r#"{"id": "a", "contexts": [], "arms": {"oracle": {"answer": "x", "context": ["t"]}}}"#,
                "`f.jsonl` line 7: unknown key `arms.oracle.context`",
            ),
            (
                r#"{"id": "a", "contexts": [], "arms": {"retrieved": "x"}}"#,
                "`f.jsonl` line 7: `arms.retrieved` must be left out: there are `oracle`, `gold_in_noise`, `closed_book`",
            ),
        ] {
            assert_eq!(line(text).expect_err(text).to_string(), expected);
        }
    }
}
