//! `questions.jsonl`, the native questions: one JSON object per line.
//!
//! | key | holds |
//! |---|---|
//! | `id` (`query_id`, `_id`) | a string or a whole number |
//! | `text` (`question`, `query`) | the question |
//! | `kind` | `span`, `yes_no`, `free`, `unanswerable`; when absent: `yes_no` for answers that are all yes or no, `span` for others, `free` without answers |
//! | `answers` (`answer`) | a string or a list of aliases |
//! | `evidence` | a list of groups, all needed; a group is a member or a list of members, any will do; a member is `{"doc", "quotes": [...]}` or `{"doc", "ranges": [[start, end], ...]}` in bytes, or `{"doc"}` for the whole document |
//! | `relevant` (`relevant_doc_ids`) | `{doc: grade}` or a list of documents of grade 1; when absent: the documents of the evidence, grade 1 |
//! | `required`, `forbidden` | lists of facts; a fact is a wording or a list of them |
//! | `tags` | a list of strings |
//! | `split` | `tune` or `heldout` |
//!
//! Other keys are rejected, so that a typing error loses no label; those that begin with `_` are ignored.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::draft::Draft;
use super::record::{Id, JsonRecord};
use crate::error::DatasetError;
use crate::inspection::RepeatedQuote;
use crate::{nearest, read};
use ragtriage_core::text::quote::{self, Located};
use ragtriage_core::types::{
    ByteRange, DocId, Document, Group, KeyFact, Member, Question, QuestionKind,
};

/// The questions file of a data set's folder.
pub(super) const FILE: &str = "questions.jsonl";
/// The keys of graded documents.
pub(super) const RELEVANT: [&str; 2] = ["relevant", "relevant_doc_ids"];
/// The allowed values of `kind`.
pub(super) const KINDS: &str = "`span`, `yes_no`, `free` or `unanswerable`";

/// The keys of a question's id.
pub(super) const ID: [&str; 3] = ["id", "query_id", "_id"];
/// The keys of a question's text.
pub(super) const TEXT: [&str; 3] = ["text", "question", "query"];
/// The keys of a question's answers.
pub(super) const ANSWERS: [&str; 2] = ["answers", "answer"];
/// The keys of all other fields.
pub(super) const LABELS: [&str; 10] = [
    "kind",
    "answers",
    "answer",
    "evidence",
    "relevant",
    "relevant_doc_ids",
    "required",
    "forbidden",
    "tags",
    "split",
];
const MEMBER_KEYS: [&str; 3] = ["doc", "quotes", "ranges"];

/// Reads the questions of the file `path` into `draft`, which already has the whole corpus.
pub(super) fn read(path: &Path, draft: &mut Draft) -> Result<(), DatasetError> {
    read::each_line(path, |place, line| {
        let read = line.and_then(|line| {
            let mut record = JsonRecord::parse(place.clone(), line)?;
            match question(&mut record, draft)? {
                Some(question) => draft.push_question(&place, question),
                None => Ok(()),
            }
        });
        draft.settle(read).map(drop)
    })
}

/// Reads the question in a record, as [`labelled`].
pub(super) fn question(
    record: &mut JsonRecord,
    draft: &mut Draft,
) -> Result<Option<Question>, DatasetError> {
    refuse_unknown(record, &[&ID[..], &TEXT, &LABELS].concat(), draft)?;
    let id: Id = record.need(&ID, "a string that is not empty, or a whole number")?;
    record.identify(&id);
    let text = draft.settle(record.need(&TEXT, "a string"))?;
    labelled(&id, text, record, draft)
}

/// Reads the question of that id and text, with its other fields from `record`; `None` if a required field is invalid. Other
/// invalid fields are omitted.
pub(super) fn labelled(
    id: &Id,
    text: Option<String>,
    record: &mut JsonRecord,
    draft: &mut Draft,
) -> Result<Option<Question>, DatasetError> {
    let answered =
        answers(record, draft).and_then(|answers| Ok((kind(record, &answers)?, answers)));
    let answered = draft.settle(answered)?;
    let evidence = evidence(record, draft)?;
    let relevant = draft.settle(relevant(record))?.flatten();
    let relevant = relevant.unwrap_or_else(|| {
        evidence.iter().flatten().map(|member| (member.doc.clone(), 1)).collect()
    });
    let required = draft.settle(facts(record, "required"))?.unwrap_or_default();
    let forbidden = draft.settle(facts(record, "forbidden"))?.unwrap_or_default();
    let tags =
        draft.settle(record.take(&["tags"], "a list of strings"))?.flatten().unwrap_or_default();
    let split = draft.settle(record.take(&["split"], "`tune` or `heldout`"))?.flatten();
    let (Some(text), Some((kind, answers))) = (text, answered) else {
        return Ok(None);
    };
    let id = id.0.as_str().into();
    Ok(Some(Question {
        id,
        text,
        kind,
        answers,
        evidence,
        relevant,
        required,
        forbidden,
        tags,
        split,
    }))
}

/// Reports every key of `record` that is not `known`.
pub(super) fn refuse_unknown(
    record: &JsonRecord,
    known: &[&'static str],
    draft: &mut Draft,
) -> Result<(), DatasetError> {
    let mut unknown = record.unknown_keys(known).into_iter();
    unknown.try_for_each(|unknown| draft.settle::<()>(Err(unknown)).map(drop))
}

/// A string, or a list of them.
#[derive(Deserialize)]
#[serde(untagged)]
pub(super) enum Strings {
    One(String),
    Many(Vec<String>),
}

impl Strings {
    pub(super) fn trimmed(self) -> Vec<String> {
        let all = match self {
            Self::One(text) => vec![text],
            Self::Many(texts) => texts,
        };
        all.into_iter().map(|text| text.trim().to_owned()).collect()
    }
}

fn answers(record: &mut JsonRecord, draft: &mut Draft) -> Result<Vec<String>, DatasetError> {
    let given: Option<Strings> = record.take(&ANSWERS, "a string or a list of strings")?;
    let mut answers: Vec<String> = Vec::new();
    for answer in given.map(Strings::trimmed).unwrap_or_default() {
        if answer.is_empty() {
            return Err(record.wrong("answers", "a list of non-empty strings"));
        }
        if answers.contains(&answer) {
            draft.note(1, "repeated or empty gold [answer|answers], left out");
        } else {
            answers.push(answer);
        }
    }
    Ok(answers)
}

fn kind(record: &mut JsonRecord, answers: &[String]) -> Result<QuestionKind, DatasetError> {
    let all_yes_no = answers
        .iter()
        .all(|answer| ["yes", "no"].iter().any(|word| answer.eq_ignore_ascii_case(word)));
    let given = record.take(&["kind"], KINDS)?;
    match given {
        None if answers.is_empty() => Ok(QuestionKind::Free),
        None => Ok(if all_yes_no { QuestionKind::YesNo } else { QuestionKind::Span }),
        Some(kind @ (QuestionKind::Span | QuestionKind::YesNo)) if answers.is_empty() => {
            Err(DatasetError::NoAnswers { place: record.place().clone(), kind })
        }
        Some(QuestionKind::YesNo) if !all_yes_no => {
            Err(record.wrong("answers", "`yes` or `no` for kind `yes_no`"))
        }
        Some(QuestionKind::Unanswerable) if !answers.is_empty() => {
            Err(record.wrong("answers", "left out for kind `unanswerable`"))
        }
        Some(kind) => Ok(kind),
    }
}

fn facts(record: &mut JsonRecord, name: &'static str) -> Result<Vec<KeyFact>, DatasetError> {
    let given: Option<Vec<Strings>> =
        record.take(&[name], "a list of facts, each a string or a list of strings")?;
    let facts: Vec<KeyFact> = given.unwrap_or_default().into_iter().map(Strings::trimmed).collect();
    if facts.iter().any(|fact| fact.is_empty() || fact.iter().any(String::is_empty)) {
        return Err(record.wrong(name, "a list of non-empty facts"));
    }
    Ok(facts)
}

fn relevant(record: &mut JsonRecord) -> Result<Option<BTreeMap<DocId, i32>>, DatasetError> {
    let expected = "an object of grades by document, or a list of documents";
    let graded = match record.take(&RELEVANT, expected)? {
        None => return Ok(None),
        Some(Value::Object(grades)) => grades
            .into_iter()
            .map(|(doc, grade)| {
                let whole = grade.as_i64().and_then(|grade| i32::try_from(grade).ok());
                let grade = whole.ok_or_else(|| DatasetError::Grade {
                    place: record.place().clone(),
                    grade: grade.to_string().into(),
                })?;
                Ok((DocId::from(doc), grade))
            })
            .collect(),
        Some(list @ Value::Array(_)) => {
            let docs: Vec<Id> =
                serde_json::from_value(list).map_err(|_| record.wrong("relevant", expected))?;
            Ok(docs.into_iter().map(|doc| (doc.0.into(), 1)).collect())
        }
        Some(_) => Err(record.wrong("relevant", expected)),
    };
    graded.map(Some)
}

fn evidence(record: &mut JsonRecord, draft: &mut Draft) -> Result<Vec<Group>, DatasetError> {
    let groups: Option<Vec<Value>> =
        draft.settle(record.take(&["evidence"], "a list of groups"))?.flatten();
    let mut evidence = Vec::new();
    for group in groups.unwrap_or_default() {
        let members = match group {
            Value::Array(members) if members.is_empty() => {
                draft.settle::<()>(Err(record.wrong("evidence", "a list of non-empty groups")))?;
                continue;
            }
            Value::Array(members) => members,
            member => vec![member],
        };
        let mut group = Group::new();
        for member in members {
            let member = self::member(record, member, draft);
            group.extend(draft.settle(member)?);
        }
        if !group.is_empty() {
            evidence.push(group);
        }
    }
    Ok(evidence)
}

fn member(record: &JsonRecord, value: Value, draft: &mut Draft) -> Result<Member, DatasetError> {
    let mut member = JsonRecord::inside(record.place(), "evidence", value)?;
    refuse_unknown(&member, &MEMBER_KEYS, draft)?;
    let doc = DocId::from(member.need::<Id>(&["doc"], "a document's id")?.0);
    let quotes: Option<Vec<String>> = member.take(&["quotes"], "a list of strings")?;
    let given: Option<Vec<ByteRange>> =
        member.take(&["ranges"], "a list of `[start, end]` in bytes")?;
    let mut ranges = Vec::new();
    for range in given.unwrap_or_default() {
        // The draft counts or rejects missing documents with all others.
        let Some(document) = draft.document(&doc) else {
            break;
        };
        let range = checked(&member, document, range);
        ranges.extend(draft.settle(range)?);
    }
    for quote in quotes.unwrap_or_default() {
        let Some(document) = draft.document(&doc) else {
            break;
        };
        let located =
            quote::locate(&document.text, &quote).ok_or_else(|| DatasetError::QuoteNotFound {
                place: member.place().clone(),
                doc: doc.clone(),
                quote: nearest::shorten(&quote),
                nearest: nearest::passage(&document.text, &quote),
            });
        let Some(Located { range, n_found }) = draft.settle(located)? else {
            continue;
        };
        ranges.push(range);
        if n_found > 1 {
            let (place, doc) = (member.place().clone(), doc.clone());
            draft.note_repeated(RepeatedQuote {
                place,
                doc,
                quote: nearest::shorten(&quote),
                n_found,
            });
        }
    }
    ranges.sort_unstable();
    ranges.dedup();
    Ok(Member { doc, ranges })
}

fn checked(
    member: &JsonRecord,
    document: &Document,
    range: ByteRange,
) -> Result<ByteRange, DatasetError> {
    let trimmed = quote::trim(&document.text, range);
    if trimmed.is_empty() {
        return Err(DatasetError::Range {
            place: member.place().clone(),
            doc: document.id.clone(),
            start: range.start,
            end: range.end,
            length: document.text.len(),
        });
    }
    Ok(trimmed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{load, spec::tests::with_files};
    use ragtriage_core::config::{Format, MissingEvidence};
    use ragtriage_core::hint::Hint;
    use ragtriage_core::types::{Dataset, Split};

    const CORPUS: &str = "{\"id\": \"a\", \"text\": \"It waits 6 minutes. It waits.\\n\"}\n{\"id\": \"b\", \"text\": \"Zürich\\n  lake\"}\n";

    fn loaded(questions: &str) -> Result<Dataset, DatasetError> {
        with_files(
            &[("corpus.jsonl", CORPUS), ("questions.jsonl", questions)],
            Format::Jsonl,
            |spec| load(spec),
        )
    }

    fn only(question: &str) -> Question {
        loaded(question).expect("loads").questions.remove(0)
    }

    fn said(question: &str) -> (String, String) {
        let error = loaded(question).expect_err("refused");
        let text = error.to_string();
        (
            text[text.find("` line").map_or(0, |at| at + 2)..].to_owned(),
            error.hint().expect("a hint"),
        )
    }

    #[test]
    fn a_full_question_reads_with_quotes_as_bytes() {
        let question = only(
            r#"{"id": "q", "text": "How long?", "kind": "free", "answers": ["6 minutes"], "split": "tune",
            "evidence": [[{"doc": "a", "quotes": ["waits 6 minutes", " It waits.\n"]}, {"doc": "b", "ranges": [[0, 9]]}], {"doc": "b"}],
            "relevant": {"a": 3, "b": 0}, "required": ["6", ["six", "VI"]], "forbidden": [["7"]], "tags": ["t"], "_by": "me"}"#
                .replace('\n', " ")
                .as_str(),
        );
        // `It waits 6 minutes. It waits.`: `waits 6 minutes` at 3..18, `It waits.` at 20..29; `Zürich` is 0..7.
        let a = Member { doc: "a".into(), ranges: vec![(3, 18).into(), (20, 29).into()] };
        let b = Member { doc: "b".into(), ranges: vec![(0, 7).into()] };
        assert_eq!(
            question.evidence,
            [vec![a, b], vec![Member { doc: "b".into(), ranges: Vec::new() }]]
        );
        assert_eq!(question.relevant, BTreeMap::from([("a".into(), 3), ("b".into(), 0)]));
        assert_eq!(question.required, [vec!["6".to_owned()], vec!["six".into(), "VI".into()]]);
        assert_eq!((question.split, question.kind), (Some(Split::Tune), QuestionKind::Free));
    }

    #[test]
    fn the_other_names_of_the_fields_are_accepted() {
        let question = only(
            r#"{"query_id": 7, "query": "Where?", "answer": "Zürich", "relevant_doc_ids": ["b"]}"#,
        );
        assert_eq!((question.id.as_str(), question.text.as_str()), ("7", "Where?"));
        assert_eq!(question.relevant, BTreeMap::from([("b".into(), 1)]));
    }

    #[test]
    fn a_kind_not_given_follows_from_the_answers() {
        assert_eq!(
            only(r#"{"id": "q", "text": "?", "answers": ["Yes"]}"#).kind,
            QuestionKind::YesNo
        );
        assert_eq!(
            only(r#"{"id": "q", "text": "?", "answers": ["yes", "lake"]}"#).kind,
            QuestionKind::Span
        );
        assert_eq!(
            only(r#"{"id": "q", "text": "?", "required": ["lake"]}"#).kind,
            QuestionKind::Free
        );
    }

    #[test]
    fn evidence_makes_its_documents_relevant_where_nothing_else_is_said() {
        let question = only(
            r#"{"id": "q", "text": "?", "evidence": [{"doc": "b", "quotes": ["Zürich lake"]}]}"#,
        );
        assert_eq!(question.relevant, BTreeMap::from([("b".into(), 1)]));
        assert_eq!(question.evidence[0][0].ranges, [(0, 14).into()]); // 7 + line feed + 2 spaces + 4
    }

    #[test]
    fn a_quote_that_stands_twice_is_taken_first_and_noted() {
        let set = loaded(
            r#"{"id": "q", "text": "?", "evidence": [{"doc": "a", "quotes": ["It waits"]}]}"#,
        )
        .expect("loads");
        assert_eq!(set.questions[0].evidence[0][0].ranges, [(0, 8).into()]);
        assert_eq!(set.notes[0].count, 1);
    }

    #[test]
    fn a_quote_that_is_not_there_is_answered_with_the_nearest_text() {
        let (text, hint) = said(
            "\n{\"id\": \"q\", \"text\": \"?\", \"evidence\": [{\"doc\": \"a\", \"quotes\": [\"It waits 7 minutes.\"]}]}",
        );
        assert_eq!(text, "line 2 (`q`): the quote `It waits 7 minutes.` is not in document `a`");
        assert_eq!(hint, "the nearest text there is `It waits 6 minutes.`");
    }

    #[test]
    fn every_slip_is_named_with_line_and_id() {
        let cases = [
            (r#"{"id": "q", "text": " "}"#, "line 1 (`q`): the question is empty"),
            (
                r#"{"id": "q", "text": "?", "kind": "span"}"#,
                "line 1 (`q`): a `span` question needs at least one answer",
            ),
            (
                r#"{"id": "q", "text": "?", "relevant": {"a": 1.5}}"#,
                "line 1 (`q`): grade `1.5` is not an integer",
            ),
            (r#"{"id": "q", "text": "?", "relevent": ["a"]}"#, "line 1: unknown key `relevent`"),
            (
                r#"{"id": "q", "text": "?", "relevant": ["c"]}"#,
                "line 1 (`q`): document `c` is not in the corpus",
            ),
            (
                r#"{"id": "q", "text": "?", "answers": [1]}"#,
                "line 1 (`q`): `answers` must be a string or a list of strings",
            ),
            (
                r#"{"id": "q", "text": "?", "kind": "spam"}"#,
                "line 1 (`q`): `kind` must be `span`, `yes_no`, `free` or `unanswerable`",
            ),
            (
                r#"{"id": "q", "text": "?", "evidence": [[]]}"#,
                "line 1 (`q`): `evidence` must be a list of non-empty groups",
            ),
            (
                r#"{"id": "q", "text": "?", "evidence": [{"doc": "a", "quote": "x"}]}"#,
                "line 1 (`q`): unknown key `quote`",
            ),
            (
                r#"{"id": "q", "text": "?", "evidence": [{"doc": "b", "ranges": [[0, 2]]}]}"#,
                "line 1 (`q`): invalid byte range 0 to 2 of document `b`, which has 14 bytes",
            ),
            (r#"{"id": "q" "text": "?"}"#, "line 1 column 12: invalid JSON: expected `,` or `}`"),
            (r#"["id"]"#, "line 1 column 1: invalid JSON: invalid type: sequence, expected a map"),
        ];
        for (question, expected) in cases {
            assert_eq!(said(question).0, expected);
        }
    }

    #[test]
    fn missing_documents_are_kept_when_asked_for() {
        let files = [
            ("corpus.jsonl", CORPUS),
            (
                "questions.jsonl",
                r#"{"id": "q", "text": "?", "evidence": [{"doc": "c", "quotes": ["x"]}]}"#,
            ),
        ];
        let set = with_files(&files, Format::Jsonl, |spec| {
            spec.missing_evidence = Some(MissingEvidence::Keep);
            load(spec)
        });
        let set = set.expect("loads");
        assert_eq!(set.questions[0].evidence, [[Member { doc: "c".into(), ranges: Vec::new() }]]);
        assert_eq!(
            set.notes[0].to_string(),
            "1 piece of evidence whose document is not in the corpus, kept"
        );
    }

    #[test]
    fn a_split_keeps_its_questions_only() {
        let lines = "{\"id\": 1, \"text\": \"?\", \"split\": \"tune\"}\n{\"id\": 2, \"text\": \"?\", \"split\": \"heldout\"}\n{\"id\": 3, \"text\": \"?\"}\n";
        let set = with_files(
            &[("corpus.jsonl", CORPUS), ("questions.jsonl", lines)],
            Format::Jsonl,
            |spec| {
                spec.split = Some("heldout".into());
                load(spec)
            },
        );
        let set = set.expect("loads");
        assert_eq!(set.questions.len(), 1);
        assert_eq!((set.questions[0].id.as_str(), set.notes[0].count), ("2", 2));
    }
}
