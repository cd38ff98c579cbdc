//! The native format: `corpus.jsonl` or a folder of files, and `questions.jsonl`, one JSON object per line.
//!
//! A corpus line has `id` (`_id`, `doc_id`), `text`, and may have `title` and `metadata` (an object). Every other key
//! is metadata too, except those that begin with `_`, which are ignored; a likely misspelling of `title` or `metadata` is rejected.
//!
//! | key of a question | holds |
//! |---|---|
//! | `id` (`query_id`, `_id`) | a string or a whole number |
//! | `text` (`question`, `query`) | the question |
//! | `history` | the turns of the conversation before it, each `{"role", "text"}` of the `user` or the `assistant` |
//! | `standalone` | in a conversation: the question as one that needs no turn before it |
//! | `kind` | `span`, `yes_no`, `free`, `unanswerable`; when absent: `yes_no` for answers that are all yes or no, `span` for others, `free` without answers |
//! | `answers` (`answer`) | a string or a list of aliases |
//! | `evidence` | a list of groups, all needed; a group is a member or a list of members, any will do; a member is `{"doc", "quotes": [...]}` or `{"doc", "ranges": [[start, end], ...]}` in bytes, or `{"doc"}` for the whole document |
//! | `relevant` (`relevant_doc_ids`) | `{doc: grade}` or a list of documents of grade 1; when absent: the documents of the evidence, grade 1 |
//! | `required`, `forbidden` | lists of facts; a fact is a wording or a list of them |
//! | `tags` | a list of strings |
//! | `split` | `tune` or `heldout` |
//!
//! Other keys are rejected, so that a typing error loses no label; those that begin with `_` are ignored.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::marker::PhantomData;
use std::path::Path;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{IgnoredAny, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::dataset::draft::Draft;
use crate::dataset::lint::finding::Rule;
use crate::dataset::{nearest, read};
use crate::error::{Error, Place};
use crate::run::external::unique::UniqueFields;
use ragtriage_core::text::hex::hex;
use ragtriage_core::text::quote::{self, Located};
use ragtriage_core::types::{
    ByteRange, DocId, Document, Group, KeyFact, Member, Question, QuestionId, QuestionKind, Split,
    Turn,
};

/// The questions file of a data set's folder.
pub(super) const QUESTIONS: &str = "questions.jsonl";

/// Every key of a question and of its evidence, for suggestions.
const KEYS: &str = "id query_id text question query history role standalone kind answers evidence relevant required forbidden tags split doc quotes ranges";

/// Number of bytes of a text's hash that form an id: the probability that two of 10,000 questions share one is
/// under 1 in 20,000.
const ID_BYTES: usize = 5;

/// Candidate places of the answers, by question.
pub type Candidates = BTreeMap<QuestionId, Vec<(DocId, ByteRange)>>;

/// An id as written: a non-empty string, or a whole number.
#[derive(Deserialize)]
#[serde(try_from = "WrittenId")]
pub(super) struct Id(pub(super) String);

#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a string or a whole number")]
enum WrittenId {
    Text(String),
    Number(i64),
}

impl TryFrom<WrittenId> for Id {
    type Error = &'static str;

    fn try_from(id: WrittenId) -> Result<Self, Self::Error> {
        match id {
            WrittenId::Text(text) if text.trim().is_empty() => Err("the id is empty"),
            WrittenId::Text(text) => Ok(Self(text)),
            WrittenId::Number(number) => Ok(Self(number.to_string())),
        }
    }
}

/// Returns an id that depends only on the text.
pub(super) fn id_of(text: &str) -> String {
    format!("q-{}", hex(&Sha256::digest(text.trim())[..ID_BYTES]))
}

#[derive(Deserialize)]
struct DocumentRecord {
    #[serde(alias = "_id", alias = "doc_id")]
    id: Id,
    title: Option<String>,
    #[serde(alias = "contents")]
    text: String,
    metadata: Option<BTreeMap<String, Value>>,
    #[serde(flatten)]
    more: UniqueFields,
}

/// Reads the documents of the folder `path` into `draft`.
pub(super) fn documents(path: &Path, draft: &mut Draft) -> Result<(), Error> {
    read::corpus(&path.join("corpus.jsonl"), draft, document)
}

fn document(place: &Place, line: &str) -> Result<Document, Error> {
    let DocumentRecord { id, title, text, metadata, more: UniqueFields(mut fields) } =
        read::json(place, line)?;
    fields.retain(|key, _| !key.starts_with('_'));
    let absent = [(title.is_none(), "title"), (metadata.is_none(), "metadata")];
    let absent = absent.iter().filter(|(is_absent, _)| *is_absent).map(|(_, name)| *name);
    let misspelt = fields.keys().find_map(|key| Some((key, nearest::word(key, absent.clone())?)));
    if let Some((key, name)) = misspelt {
        return Err(unknown_key(place, key, Some(name)));
    }
    fields.extend(metadata.unwrap_or_default());
    Ok(Document {
        id: id.0.into(),
        title: title.unwrap_or_default(),
        text,
        metadata: fields.into_iter().collect(),
    })
}

fn unknown_key(place: &Place, key: &str, nearest: Option<&str>) -> Error {
    let hint = match nearest {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "remove it, or start its name with `_` to have it ignored".to_owned(),
    };
    Error::data(Rule::UnknownKey, format!("unknown key `{key}`"), hint).at(place)
}

#[derive(Deserialize)]
pub(super) struct QuestionRecord {
    #[serde(alias = "query_id", alias = "_id")]
    pub(super) id: Option<Id>,
    #[serde(alias = "question", alias = "query")]
    pub(super) text: String,
    history: Option<Vec<Turn>>,
    standalone: Option<String>,
    kind: Option<QuestionKind>,
    #[serde(alias = "answer")]
    answers: Option<OneOrMany<String>>,
    evidence: Option<Vec<OneOrMany<MemberRecord>>>,
    #[serde(alias = "relevant_doc_ids")]
    relevant: Option<Relevant>,
    required: Option<Vec<OneOrMany<String>>>,
    forbidden: Option<Vec<OneOrMany<String>>>,
    tags: Option<Vec<String>>,
    split: Option<Split>,
    /// Only in the file that `dataset anchor` leaves to an annotator.
    places: Option<Vec<CandidatePlace>>,
}

#[derive(Deserialize)]
struct MemberRecord {
    doc: Id,
    quotes: Option<Vec<String>>,
    ranges: Option<Vec<ByteRange>>,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected an object of whole grades by document, or a list of documents"
)]
enum Relevant {
    Grades(BTreeMap<DocId, i32>),
    Documents(Vec<Id>),
}

#[derive(Deserialize)]
struct CandidatePlace {
    doc: DocId,
    range: ByteRange,
    #[serde(rename = "sentence")]
    _sentence: Option<IgnoredAny>,
}

/// A value, or a list of them.
struct OneOrMany<T>(Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OneOrMany<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Form<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Form<T> {
            type Value = OneOrMany<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value or a list of them")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Self::Value, E> {
                Ok(OneOrMany(vec![T::deserialize(text.into_deserializer())?]))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
                Ok(OneOrMany(vec![T::deserialize(MapAccessDeserializer::new(map))?]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Self::Value, A::Error> {
                Vec::deserialize(SeqAccessDeserializer::new(list)).map(OneOrMany)
            }
        }
        deserializer.deserialize_any(Form(PhantomData))
    }
}

impl QuestionRecord {
    /// Returns its answers without surrounding white space.
    pub(super) fn answers(&self) -> Vec<String> {
        let given = self.answers.iter().flat_map(|answers| &answers.0);
        given.map(|answer| answer.trim().to_owned()).collect()
    }
}

/// Reads the questions of the file `path` into `draft`, which already has the whole corpus.
pub(super) fn questions(path: &Path, draft: &mut Draft) -> Result<(), Error> {
    read::lines_of(path, draft, |place, line, draft| {
        let record = record(place, line, &[], draft)?;
        let Some(Id(id)) = &record.id else {
            return Err(Error::record(place, "missing field `id`"));
        };
        question(id.clone(), record, place, false, draft);
        Ok(())
    })
}

/// Reads the file `path` of questions that may have no labels into `draft`, which already has the whole corpus. JSON lines are
/// detected by the first line's brace.
pub(super) fn queries(path: &Path, draft: &mut Draft) -> Result<Candidates, Error> {
    let mut is_json = None;
    let (mut seen, mut candidates) = (HashSet::new(), Candidates::new());
    read::lines_of(path, draft, |place, line, draft| {
        if *is_json.get_or_insert_with(|| line.trim_start().starts_with('{')) {
            // `metadata` is BEIR's, the others are those of unresolved.jsonl.
            let mut record =
                record(place, line, &["metadata", "reason", "n_found", "places"], draft)?;
            let id = record.id.take().map_or_else(|| id_of(&record.text), |id| id.0);
            if let Some(places) = record.places.take() {
                let places = places.into_iter().map(|it| (it.doc, it.range)).collect();
                candidates.insert(id.as_str().into(), places);
            }
            question(id, record, place, true, draft);
            return Ok(());
        }
        let text = line.trim();
        if seen.insert(text.to_owned()) {
            draft.push_question(place, Question::new(id_of(text).into(), text.to_owned()));
        } else {
            draft.note(1, "repeated [question|questions], left out");
        }
        Ok(())
    })?;
    Ok(candidates)
}

/// Parses a question's line. Keys that are neither known nor `allowed` are errors of `draft`.
fn record(
    place: &Place,
    line: &str,
    allowed: &[&str],
    draft: &mut Draft,
) -> Result<QuestionRecord, Error> {
    // A list would be read as the fields in their order.
    if line.trim_start().starts_with('[') {
        let hint = "write one object per line, for instance with `jq -c '.[]' FILE`";
        let message = "a list, where an object is expected";
        return Err(Error::data(Rule::BadField, message, hint).at(place));
    }
    let mut reader = serde_json::Deserializer::from_str(line);
    let mut unknown = Vec::new();
    let record: Result<QuestionRecord, _> = serde_ignored::deserialize(&mut reader, |path| {
        if let serde_ignored::Path::Map { key, .. } = path {
            unknown.push(key);
        }
    });
    let Some(record) = record.ok().filter(|_| reader.end().is_ok()) else {
        return Err(read::fault::<QuestionRecord>(&identified(place, line), line));
    };
    if record.places.is_some() {
        unknown.push("places".to_owned());
    }
    unknown.retain(|key| !key.starts_with('_') && !allowed.contains(&key.as_str()));
    for key in unknown {
        draft.fail(unknown_key(
            &identified(place, line),
            &key,
            nearest::word(&key, KEYS.split(' ')),
        ));
    }
    Ok(record)
}

/// Returns the place of a faulty question with its id, if it has one.
fn identified(place: &Place, line: &str) -> Place {
    let fields: Value = serde_json::from_str(line).unwrap_or_default();
    let mut ids = ["id", "query_id", "_id"].iter().filter_map(|name| fields.get(name));
    let id = ids.find_map(|id| Id::deserialize(id).ok());
    id.map_or_else(|| place.clone(), |id| place.of(&id.0))
}

/// Adds the question of a record to `draft`, unless a field that it needs is invalid; other invalid fields are omitted. A question
/// that `is_unlabelled` may have a kind without the answers that it needs.
fn question(
    id: String,
    record: QuestionRecord,
    place: &Place,
    is_unlabelled: bool,
    draft: &mut Draft,
) {
    let place = place.of(&id);
    let answers = answers(&record, &place, draft);
    let answered = answers
        .and_then(|answers| Ok((kind(record.kind, &answers, &place, is_unlabelled)?, answers)));
    let answered = draft.check(answered);
    let evidence = evidence(record.evidence.unwrap_or_default(), &place, draft);
    let relevant = match record.relevant {
        Some(Relevant::Grades(grades)) => grades,
        Some(Relevant::Documents(docs)) => docs.into_iter().map(|doc| (doc.0.into(), 1)).collect(),
        None => evidence.iter().flatten().map(|member| (member.doc.clone(), 1)).collect(),
    };
    let mut facts = |given, name| {
        let facts = facts(given, name, &place);
        draft.check(facts).unwrap_or_default()
    };
    let required = facts(record.required, "required");
    let forbidden = facts(record.forbidden, "forbidden");
    let Some((kind, answers)) = answered else {
        return;
    };
    let question = Question {
        id: id.into(),
        text: record.text,
        history: record.history.unwrap_or_default(),
        standalone: record.standalone,
        kind,
        answers,
        evidence,
        relevant,
        required,
        forbidden,
        tags: record.tags.unwrap_or_default(),
        split: record.split,
    };
    draft.push_question(&place, question);
}

fn answers(
    record: &QuestionRecord,
    place: &Place,
    draft: &mut Draft,
) -> Result<Vec<String>, Error> {
    let mut answers: Vec<String> = Vec::new();
    for answer in record.answers() {
        if answer.is_empty() {
            return Err(Error::record(place, "`answers` must be a list of non-empty strings"));
        }
        if answers.contains(&answer) {
            draft.note(1, "repeated or empty gold [answer|answers], left out");
        } else {
            answers.push(answer);
        }
    }
    Ok(answers)
}

fn kind(
    given: Option<QuestionKind>,
    answers: &[String],
    place: &Place,
    is_unlabelled: bool,
) -> Result<QuestionKind, Error> {
    let all_yes_no = answers
        .iter()
        .all(|answer| ["yes", "no"].iter().any(|word| answer.eq_ignore_ascii_case(word)));
    match given {
        None if answers.is_empty() => Ok(QuestionKind::Free),
        None => Ok(if all_yes_no { QuestionKind::YesNo } else { QuestionKind::Span }),
        Some(kind) if answers.is_empty() && is_unlabelled => Ok(kind),
        Some(kind @ (QuestionKind::Span | QuestionKind::YesNo)) if answers.is_empty() => {
            let message = format!("a `{kind}` question needs at least one answer");
            let hint = "add `answers`, or set `kind` to `free` or `unanswerable`";
            Err(Error::data(Rule::NoAnswers, message, hint).at(place))
        }
        Some(QuestionKind::YesNo) if !all_yes_no => {
            Err(Error::record(place, "`answers` must be `yes` or `no` for kind `yes_no`"))
        }
        Some(QuestionKind::Unanswerable) if !answers.is_empty() => {
            Err(Error::record(place, "`answers` must be left out for kind `unanswerable`"))
        }
        Some(kind) => Ok(kind),
    }
}

fn facts(
    given: Option<Vec<OneOrMany<String>>>,
    name: &str,
    place: &Place,
) -> Result<Vec<KeyFact>, Error> {
    let trimmed = |fact: OneOrMany<String>| -> KeyFact {
        fact.0.iter().map(|wording| wording.trim().to_owned()).collect()
    };
    let facts: Vec<KeyFact> = given.unwrap_or_default().into_iter().map(trimmed).collect();
    if facts.iter().any(|fact| fact.is_empty() || fact.iter().any(String::is_empty)) {
        return Err(Error::record(place, format!("`{name}` must be a list of non-empty facts")));
    }
    Ok(facts)
}

fn evidence(groups: Vec<OneOrMany<MemberRecord>>, place: &Place, draft: &mut Draft) -> Vec<Group> {
    let mut evidence = Vec::new();
    for OneOrMany(members) in groups {
        if members.is_empty() {
            draft.fail(Error::record(place, "`evidence` must be a list of non-empty groups"));
            continue;
        }
        evidence.push(members.into_iter().map(|it| member(it, place, draft)).collect());
    }
    evidence
}

fn member(record: MemberRecord, place: &Place, draft: &mut Draft) -> Member {
    let doc = DocId::from(record.doc.0);
    let mut ranges = Vec::new();
    // The draft counts missing documents with all others.
    for range in record.ranges.unwrap_or_default() {
        let Some(document) = draft.document(&doc) else {
            break;
        };
        let range = checked(range, document, place);
        ranges.extend(draft.check(range));
    }
    for quote in record.quotes.unwrap_or_default() {
        let Some(document) = draft.document(&doc) else {
            break;
        };
        let located = located(&quote, document, place);
        let Some(Located { range, n_found }) = draft.check(located) else {
            continue;
        };
        ranges.push(range);
        if n_found > 1 {
            let quote = nearest::shorten(&quote);
            let message = format!("the quote `{quote}` occurs {n_found} times in document `{doc}`");
            let hint = "extend the quote with the surrounding text, or give its byte range";
            draft.warn(
                "[quote that occurs|quotes that occur] more than once in [its|their] document; the first occurrence is used",
                Error::data(Rule::RepeatedQuote, message, hint).at(place).about(&doc),
            );
        }
    }
    ranges.sort_unstable();
    ranges.dedup();
    Member { doc, ranges }
}

fn located(quote: &str, document: &Document, place: &Place) -> Result<Located, Error> {
    quote::locate(&document.text, quote).ok_or_else(|| {
        let hint = match nearest::passage(&document.text, quote) {
            Some(text) => format!("the nearest text there is `{text}`"),
            None => "copy the quote from the document unchanged".to_owned(),
        };
        let (quote, id) = (nearest::shorten(quote), &document.id);
        let message = format!("the quote `{quote}` is not in document `{id}`");
        Error::data(Rule::QuoteNotFound, message, hint).at(place).about(id)
    })
}

fn checked(range: ByteRange, document: &Document, place: &Place) -> Result<ByteRange, Error> {
    let trimmed = quote::trim(&document.text, range);
    if !trimmed.is_empty() {
        return Ok(trimmed);
    }
    let message = format!(
        "invalid byte range {} to {} of document `{}`, which has {} bytes",
        range.start,
        range.end,
        document.id,
        document.text.len()
    );
    let hint = "give half-open byte ranges on character boundaries, or quotes instead";
    Err(Error::data(Rule::RangeOutside, message, hint).at(place).about(&document.id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{asked, load, testing::with_files};
    use crate::error::Kind;
    use ragtriage_core::config::Format;
    use ragtriage_core::hint::Hint;
    use ragtriage_core::types::Dataset;

    const CORPUS: &str = "{\"id\": \"a\", \"text\": \"It waits 6 minutes. It waits.\\n\"}\n{\"id\": \"b\", \"text\": \"Zürich\\n  lake\"}\n";

    fn loaded(questions: &str) -> Result<Dataset, Error> {
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
                "line 1 (`q`): `relevant`: expected an object of whole grades by document, or a list of documents",
            ),
            (
                r#"{"id": "q", "text": "?", "relevent": ["a"]}"#,
                "line 1 (`q`): unknown key `relevent`",
            ),
            (
                r#"{"id": "q", "text": "?", "answers": [1]}"#,
                "line 1 (`q`): `answers[0]`: invalid type: integer `1`, expected a string",
            ),
            (
                r#"{"id": "q", "text": "?", "kind": "spam"}"#,
                "line 1 (`q`): `kind`: unknown variant `spam`, expected one of `span`, `yes_no`, `free`, `unanswerable`",
            ),
            (
                r#"{"id": "q", "text": "?", "history": [{"role": "agent", "text": " "}]}"#,
                "line 1 (`q`): `history` has a turn without text",
            ),
            (
                r#"{"id": "q", "text": "?", "history": [{"role": "user", "txt": "a", "text": "a"}]}"#,
                "line 1 (`q`): unknown key `txt`",
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
            (
                r#"{"id": "q" "text": "?"}"#,
                "line 1: invalid JSON at column 12: expected `,` or `}`",
            ),
            ("[{}]", "line 1: a list, where an object is expected"),
            (r#"{"id": " ", "text": "?"}"#, "line 1: `id`: the id is empty"),
            (r#"{"text": "?"}"#, "line 1: missing field `id`"),
            (r#"{"id": 7, "query_id": "8", "text": "?"}"#, "line 1 (`7`): duplicate field `id`"),
            (
                r#"{"id": "q", "text": "?", "answers": ["a"], "answer": "b"}"#,
                "line 1 (`q`): duplicate field `answers`",
            ),
            (r#"{"id": "q", "text": "?", "places": []}"#, "line 1 (`q`): unknown key `places`"),
        ];
        for (question, expected) in cases {
            assert_eq!(said(question).0, expected);
        }
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

    fn corpus_of(corpus: &str) -> Result<Dataset, Error> {
        let questions = r#"{"id": "q", "text": "why?"}"#;
        let files = [("corpus.jsonl", corpus), ("questions.jsonl", questions)];
        with_files(&files, Format::Jsonl, |spec| load(spec))
    }

    fn queries_of(queries: &str) -> Result<Dataset, Error> {
        let corpus = "{\"id\": \"a\", \"text\": \"It waits 6 minutes.\"}\n";
        with_files(&[("corpus.jsonl", corpus), ("asked", queries)], Format::Jsonl, |spec| {
            Ok(asked(spec, &spec.path.join("asked"))?.0)
        })
    }

    #[test]
    fn a_byte_order_mark_crlf_and_an_empty_document_are_accepted() {
        let set = corpus_of("\u{feff}{\"doc_id\": 1, \"text\": \"a\\r\\nb\"}\r\n{\"_id\": \"2\", \"text\": \"\"}\r\n")
            .expect("loads");
        assert_eq!((set.documents[0].id.as_str(), set.documents[0].text.as_str()), ("1", "a\r\nb"));
        assert_eq!(set.notes[0].to_string(), "1 empty document (no chunk)");
    }

    #[test]
    fn keys_of_ones_own_are_metadata() {
        let line = r#"{"id": "a", "title": "T", "text": "t", "url": "u", "_seen": 1, "metadata": {"year": 1998}}"#;
        let document = corpus_of(line).expect("loads").documents.remove(0);
        let metadata = BTreeMap::from([("url".into(), "u".into()), ("year".into(), 1998.into())]);
        assert_eq!((document.title.as_str(), document.metadata), ("T", metadata));
    }

    #[test]
    fn what_is_wrong_in_the_corpus_is_named_by_line() {
        let cases = [
            (
                "{\"id\": 1, \"text\": \"a\"}\n{\"id\": \"1\", \"text\": \"b\"}",
                "line 2: duplicate document `1`",
            ),
            ("{\"id\": 1, \"text\": \"a\", \"titel\": \"b\"}", "line 1: unknown key `titel`"),
            ("{\"id\": 1, \"body\": \"a\"}", "line 1: missing field `text`"),
            ("{\"text\": \"a\"}", "line 1: missing field `id`"),
            ("{\"id\": 1, \"text\": \"a\", \"u\": 1, \"u\": 2}", "line 1: duplicate key `u`"),
        ];
        for (corpus, expected) in cases {
            let error = corpus_of(corpus).expect_err("refused").to_string();
            assert!(error.ends_with(expected), "{error}");
        }
        assert_eq!(corpus_of("").expect_err("empty").kind, Kind::Data(Rule::EmptyCorpus));
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let error = with_files(
            &[("corpus.jsonl", "{\"id\": 1, \"text\": \"a\"}")],
            Format::Jsonl,
            |spec| load(spec),
        );
        let error = error.expect_err("refused");
        assert_eq!(error.kind, Kind::Missing);
        assert!(error.to_string().contains("questions.jsonl"), "{error}");
    }

    #[test]
    fn a_line_is_a_question_whose_id_is_its_texts_alone() {
        let set =
            queries_of("\u{feff}How long?\r\n\r\n  Why so? \r\nHow long?\r\n").expect("reads");
        let texts: Vec<&str> =
            set.questions.iter().map(|question| question.text.as_str()).collect();
        assert_eq!(texts, ["How long?", "Why so?"]);
        assert_eq!(set.notes[0].to_string(), "1 repeated question, left out");
        // printf 'How long?' | sha256sum | cut -c1-10
        assert_eq!(set.questions[0].id.as_str(), "q-82f333e6f7");
        assert_eq!(queries_of("Why so?").expect("reads").questions[0].id, set.questions[1].id);
    }

    #[test]
    fn json_lines_keep_what_is_known_of_a_question() {
        let set = queries_of(concat!(
            r#"{"_id": "7", "text": "How long?", "metadata": {"url": "x"}}"#,
            "\n",
            r#"{"text": "Does it wait?", "kind": "yes_no", "tags": ["chat"], "split": "tune", "_from": "ticket 12"}"#,
            "\n",
            r#"{"id": 3, "query": "For how many?", "answers": ["6"], "evidence": [{"doc": "a", "quotes": ["6 minutes"]}]}"#,
        ))
        .expect("reads");
        let [first, second, third] = &set.questions[..] else { panic!("three") };
        assert_eq!((first.id.as_str(), first.kind), ("7", QuestionKind::Free));
        assert_eq!(
            (second.kind, &second.tags[..]),
            (QuestionKind::YesNo, &["chat".to_owned()][..])
        );
        assert!(second.id.as_str().starts_with("q-") && second.split.is_some());
        assert_eq!(
            (third.kind, third.evidence[0][0].ranges[0]),
            (QuestionKind::Span, (9, 18).into())
        );
    }

    #[test]
    fn a_slip_of_the_pen_is_refused() {
        for (queries, expected) in [
            (r#"{"text": "?", "kind": "spam"}"#, "`kind`: unknown variant `spam`"),
            (r#"{"text": "?", "tag": ["x"]}"#, "unknown key `tag`"),
            (r#"{"id": "q"}"#, "missing field `text`"),
            ("{\"text\": \"?\"}\nplain?", "expected value"),
            ("\n \n", "has no questions"),
        ] {
            let error = queries_of(queries).expect_err("refused").to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
