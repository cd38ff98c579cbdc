//! Answer files of reading comprehension: predictions, and the gold answers they are scored against.
//!
//! Predictions: `HotpotQA`'s `{"answer": {id: text}, "sp": ...}` or SQuAD's `{id: text}`. Gold answers: `HotpotQA`'s list of
//! `{_id, answer, supporting_facts}` or SQuAD's `{"data": [...]}`, 1.1 and 2.0. Fields that scoring does not need are
//! skipped without being stored; texts borrow from the file if JSON has no escapes in them. If an id occurs twice in a
//! predictions file, its last text is used, as by Python's parser, and the duplicate is counted.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::marker::PhantomData;

use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::input::Input;
use super::join::duplicate_question;
use crate::dataset::hotpotqa::TitledPairs;
use crate::error::{Error, reason};
use ragtriage_core::metric::answer::Scorer;

/// The questions of a gold file.
#[derive(Clone, Debug, PartialEq)]
pub struct Golds<'t> {
    /// The scorer of the data set whose format the file has; `squad2` if any question has `is_impossible`.
    pub scorer: Scorer,
    /// In the file's order, without duplicate ids.
    pub questions: Vec<GoldAnswers<'t>>,
}

/// A question's gold answers.
#[derive(Clone, Debug, PartialEq)]
pub struct GoldAnswers<'t> {
    /// Its id.
    pub id: Cow<'t, str>,
    /// Its answers, any of which is correct; empty for an unanswerable question.
    pub answers: Vec<String>,
    /// The documents that contain its answer: `HotpotQA`'s supporting titles, SQuAD's paragraph. Empty if the file
    /// does not name them.
    pub documents: Vec<Cow<'t, str>>,
}

/// The answers of one system.
#[derive(Clone, Debug, PartialEq)]
pub struct Predictions<'t> {
    /// By question id; `None` for `null`.
    pub answers: HashMap<Cow<'t, str>, Option<Cow<'t, str>>>,
    /// Ids that occur more than once.
    pub n_repeated: usize,
}

impl<'t> Golds<'t> {
    /// Reads gold answers in any supported form.
    ///
    /// # Errors
    /// JSON of another structure, a duplicate id, a `HotpotQA` question without an answer.
    pub fn parse(input: &'t Input) -> Result<Self, Error> {
        let golds = if input.text().trim_start().starts_with('[') {
            hotpotqa(input, json(input)?)?
        } else {
            squad(json(input)?)
        };
        if golds.questions.is_empty() {
            let message = format!("`{}` has no questions", input.name());
            return Err(Error::new(message, "check that it is the gold file"));
        }
        let mut ids = HashSet::with_capacity(golds.questions.len());
        match golds.questions.iter().find(|question| !ids.insert(&question.id)) {
            None => Ok(golds),
            Some(again) => Err(duplicate_question(&input.position(&again.id), &again.id)),
        }
    }
}

impl Golds<'_> {
    /// Rejects questions without an answer, which only SQuAD 2.0's script can score. `input`: the source of the gold
    /// answers.
    pub fn all_answerable(&self, input: &Input) -> Result<(), Error> {
        match self.questions.iter().find(|question| question.answers.is_empty()) {
            None => Ok(()),
            Some(question) => Err(no_gold(input, &question.id)),
        }
    }
}

impl<'t> Predictions<'t> {
    /// Reads predictions.
    ///
    /// # Errors
    /// JSON of another structure: for example an answer that is neither a text nor `null`.
    pub fn parse(input: &'t Input) -> Result<Self, Error> {
        let Pairs(values): Pairs<'t, Prediction<'t>> = json(input)?;
        let mut pairs = Vec::with_capacity(values.len());
        for (key, value) in values {
            match value {
                _ if key.0 == "sp" => {}
                Prediction::Answer(text) => pairs.push((key, text)),
                Prediction::Answers(Pairs(answers)) if key.0 == "answer" => pairs.extend(answers),
                Prediction::Answers(_) | Prediction::Other(_) => {
                    let message = format!("`{}` holds no answer: a text, or null", key.0);
                    return Err(Error::in_line(&input.position(&key.0), message, FORMS));
                }
            }
        }
        let n_pairs = pairs.len();
        let answers: HashMap<_, _> =
            pairs.into_iter().map(|(id, text)| (id.0, text.map(|text| text.0))).collect();
        Ok(Self { n_repeated: n_pairs - answers.len(), answers })
    }
}

const FORMS: &str = "predictions are `{id: text}` or HotpotQA's `{\"answer\": {id: text}}`; gold files are the JSON of HotpotQA or SQuAD";

fn json<'t, T: Deserialize<'t>>(input: &'t Input) -> Result<T, Error> {
    serde_json::from_str(input.text()).map_err(|error| {
        let (position, column) = (input.line(error.line()), error.column().max(1));
        Error::new(format!("{position} column {column}: {}", reason(&error)), FORMS)
    })
}

/// A text that borrows if possible, also inside lists and maps, where serde would copy.
#[derive(Deserialize, PartialEq, Eq, Hash)]
struct JsonText<'t>(#[serde(borrow)] Cow<'t, str>);

#[derive(Deserialize)]
struct HotpotqaRow<'t> {
    #[serde(borrow, rename = "_id", alias = "id")]
    id: JsonText<'t>,
    #[serde(borrow, default)]
    answer: Option<JsonText<'t>>,
    supporting_facts: Option<TitledPairs<IgnoredAny>>,
}

fn hotpotqa<'t>(input: &Input, rows: Vec<HotpotqaRow<'t>>) -> Result<Golds<'t>, Error> {
    let questions: Result<_, _> = rows
        .into_iter()
        .map(|row: HotpotqaRow<'t>| {
            let HotpotqaRow { id: JsonText(id), answer, supporting_facts } = row;
            let Some(JsonText(answer)) = answer else {
                return Err(no_gold(input, &id));
            };
            let facts = supporting_facts.map_or(Vec::new(), |facts| facts.0);
            let documents = facts.into_iter().map(|(title, _)| Cow::Owned(title)).collect();
            Ok(GoldAnswers { id, answers: vec![answer.into_owned()], documents })
        })
        .collect();
    Ok(Golds { scorer: Scorer::Hotpotqa, questions: questions? })
}

fn no_gold(input: &Input, id: &str) -> Error {
    Error::in_line(
        &input.position(id),
        format_args!("question `{id}` has no gold answer"),
        "add a gold answer, or remove the question; `--scorer squad2` scores questions without one",
    )
}

#[derive(Deserialize)]
struct SquadFile<'t> {
    #[serde(borrow)]
    data: Vec<Article<'t>>,
}

#[derive(Deserialize)]
struct Article<'t> {
    #[serde(borrow)]
    paragraphs: Vec<Paragraph<'t>>,
}

#[derive(Deserialize)]
struct Paragraph<'t> {
    #[serde(borrow, default)]
    qas: Vec<SquadGold<'t>>,
}

#[derive(Deserialize)]
struct SquadGold<'t> {
    #[serde(borrow)]
    id: JsonText<'t>,
    #[serde(borrow, default)]
    answers: Vec<SquadGoldAnswer<'t>>,
    #[serde(default)]
    is_impossible: Option<bool>,
}

#[derive(Deserialize)]
struct SquadGoldAnswer<'t> {
    #[serde(borrow)]
    text: JsonText<'t>,
}

fn squad(file: SquadFile<'_>) -> Golds<'_> {
    let mut golds = Golds { scorer: Scorer::Squad, questions: Vec::new() };
    for (a, article) in file.data.into_iter().enumerate() {
        for (p, paragraph) in article.paragraphs.into_iter().enumerate() {
            for asked in paragraph.qas {
                if asked.is_impossible.is_some() {
                    golds.scorer = Scorer::Squad2;
                }
                let answers =
                    if asked.is_impossible == Some(true) { Vec::new() } else { asked.answers };
                golds.questions.push(GoldAnswers {
                    id: asked.id.0,
                    answers: answers.into_iter().map(|answer| answer.text.0.into_owned()).collect(),
                    documents: vec![format!("{a}/{p}").into()],
                });
            }
        }
    }
    golds
}

/// The keys and values of an object in the file's order, repeated ones too.
struct Pairs<'t, V>(Vec<(JsonText<'t>, V)>);

/// The value of a key of a predictions file.
#[derive(Deserialize)]
#[serde(untagged)]
enum Prediction<'t> {
    Answer(#[serde(borrow)] Option<JsonText<'t>>),
    Answers(#[serde(borrow)] Pairs<'t, Option<JsonText<'t>>>),
    Other(IgnoredAny),
}

impl<'de, V: Deserialize<'de>> Deserialize<'de> for Pairs<'de, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(PairsVisitor(PhantomData))
    }
}

struct PairsVisitor<V>(PhantomData<V>);

impl<'de, V: Deserialize<'de>> Visitor<'de> for PairsVisitor<V> {
    type Value = Pairs<'de, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("answers by question id")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Pairs(pairs))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(text: &str) -> Input {
        Input::new("f.json", text.to_owned()).expect("text")
    }

    #[test]
    fn both_forms_of_predictions_read_the_same() {
        let hotpotqa =
            input(r#"{"answer": {"a": "caf\u00e9", "b": null}, "sp": {"a": [["T", 0]]}}"#);
        let squad = input("{\"a\": \"café\", \"b\": null}");
        let predictions = Predictions::parse(&hotpotqa).expect("predictions");
        assert_eq!(predictions, Predictions::parse(&squad).expect("predictions"));
        assert_eq!(predictions.answers["a"].as_deref(), Some("café"));
        assert_eq!(predictions.answers["b"], None);
    }

    #[test]
    fn of_an_id_that_is_repeated_the_last_answer_counts() {
        let input = input(r#"{"a": "one", "b": "x", "a": "two"}"#);
        let predictions = Predictions::parse(&input).expect("predictions");
        assert_eq!((predictions.answers["a"].as_deref(), predictions.n_repeated), (Some("two"), 1));
    }

    #[test]
    fn hotpotqa_golds_name_their_supporting_titles_in_both_forms() {
        let input = input(
            r#"[{"_id": "a", "answer": "yes", "supporting_facts": [["T", 0], ["U", 3]], "context": [["T", ["x"]]]},
                {"id": "b", "answer": "no", "supporting_facts": {"title": ["U"], "sent_id": [1]}},
                {"_id": "c", "answer": "18"}]"#,
        );
        let golds = Golds::parse(&input).expect("golds");
        assert_eq!(golds.scorer, Scorer::Hotpotqa);
        let documents: Vec<Vec<Cow<str>>> =
            golds.questions.iter().map(|gold| gold.documents.clone()).collect();
        assert_eq!(documents, [vec!["T", "U"], vec!["U"], vec![]]);
        assert_eq!(golds.questions[2].answers, ["18"]);
    }

    #[test]
    fn squad_is_2_0_where_a_question_says_whether_it_is_impossible() {
        let file = |more: &str| {
            format!(
                r#"{{"version": "x", "data": [{{"title": "T", "paragraphs": [{{"context": "c", "qas": [
                {{"id": "a", "question": "?", "answers": [{{"text": "one", "answer_start": 0}}, {{"text": "1"}}]}}{more}]}}]}}]}}"#
            )
        };
        let one = input(&file(""));
        assert_eq!(Golds::parse(&one).expect("golds").scorer, Scorer::Squad);
        let two = input(&file(
            r#", {"id": "b", "is_impossible": true, "answers": [], "plausible_answers": [{"text": "two"}]}"#,
        ));
        let golds = Golds::parse(&two).expect("golds");
        assert_eq!(golds.scorer, Scorer::Squad2);
        assert_eq!((golds.questions[0].answers.len(), golds.questions[1].answers.len()), (2, 0));
        assert_eq!(golds.questions[0].documents, golds.questions[1].documents);
    }

    #[test]
    fn golds_that_cannot_be_used_are_refused_with_their_line() {
        for (text, expected) in [
            (
                "[{\"_id\": \"a\", \"answer\": \"x\"},\n{\"_id\": \"a\", \"answer\": \"y\"}]",
                "`f.json` line 2: duplicate question `a`",
            ),
            (
                "[\n{\"_id\": \"a\", \"answer\": null}]",
                "`f.json` line 2: question `a` has no gold answer",
            ),
            (
                "[\n{\"_id\": 7}]",
                "`f.json` line 2 column 9: invalid type: integer `7`, expected a string",
            ),
            ("{\"a\": \"text\"}", "`f.json` line 1 column 13: missing field `data`"),
            ("[]", "`f.json` has no questions"),
            ("{\"data\": []}", "`f.json` has no questions"),
            ("[{\"_id\": \"a\"", "`f.json` line 1 column 12: EOF while parsing an object"),
        ] {
            assert_eq!(Golds::parse(&input(text)).expect_err("refused").to_string(), expected);
        }
    }

    #[test]
    fn predictions_that_are_no_texts_are_refused_with_their_line() {
        for (text, expected) in [
            ("{\"a\": \"x\",\n \"b\": 5}", "`f.json` line 2: `b` holds no answer: a text, or null"),
            ("{\"a\": {\"b\": \"x\"}}", "`f.json` line 1: `a` holds no answer: a text, or null"),
            (
                "[\"x\"]",
                "`f.json` line 1 column 1: invalid type: sequence, expected answers by question id",
            ),
        ] {
            assert_eq!(
                Predictions::parse(&input(text)).expect_err("refused").to_string(),
                expected
            );
        }
    }
}
