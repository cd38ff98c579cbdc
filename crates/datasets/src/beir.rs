//! BEIR folders (Thakur et al. 2021): `corpus.jsonl`, `queries.jsonl`, `qrels/<split>.tsv`.
//!
//! Loads the queries that the split judges, and those marked as having no relevant document. Document text is separate from the
//! title. Graded judgments are loaded unchanged; a grade of 0 or less means judged and not relevant.
//!
//! `dataset convert` writes query fields that BEIR has no file for under the key `ragtriage` of the query's `metadata`: the fields
//! of a native `questions.jsonl` line except `id` and `text`. An empty `relevant` there marks a query without relevant documents.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::draft::Draft;
use super::judgments::Judgments;
use super::parsed_lines::parsed_lines;
use super::record::{Id, JsonRecord};
use crate::error::DatasetError;
use crate::place::Place;
use crate::{questions, read};
use ragtriage_core::types::Document;

/// The split of a BEIR set for which results are published.
const SPLIT: &str = "test";

#[derive(Deserialize)]
struct BeirDocument {
    #[serde(rename = "_id")]
    id: Id,
    #[serde(default)]
    title: Option<String>,
    text: String,
    #[serde(default)]
    metadata: Option<BTreeMap<String, Value>>,
}

#[derive(Deserialize)]
struct BeirQuery {
    #[serde(rename = "_id")]
    id: Id,
    text: String,
    #[serde(default)]
    metadata: Value,
}

/// The part of a query's `metadata` written by this project.
#[derive(Serialize)]
pub(super) struct OwnMetadata<T> {
    pub(super) ragtriage: T,
}

/// The key of [`OwnMetadata`].
const OWN: &str = "ragtriage";

/// Reads the folder `path` into `draft`.
pub(super) fn read(
    path: &Path,
    split: Option<&str>,
    draft: &mut Draft,
) -> Result<(), DatasetError> {
    let mut judgments = judgments(path, split.unwrap_or(SPLIT), draft)?;
    parsed_lines(&path.join("corpus.jsonl"), document, |place, document| {
        let read = document.and_then(|document| draft.push_document(&place, document));
        draft.settle(read).map(drop)
    })?;
    read::each_line(&path.join("queries.jsonl"), |place, line| {
        let read = line.and_then(|line| query(&place, line, &mut judgments, draft));
        draft.settle(read).map(drop)
    })?;
    judgments.finish(draft)
}

fn document(place: &Place, line: &str) -> Result<Document, DatasetError> {
    let BeirDocument { id, title, text, metadata } = read::json(place, line)?;
    Ok(Document {
        id: id.0.into(),
        title: title.unwrap_or_default(),
        text,
        metadata: metadata.unwrap_or_default(),
    })
}

fn query(
    place: &Place,
    line: &str,
    judgments: &mut Judgments,
    draft: &mut Draft,
) -> Result<(), DatasetError> {
    let BeirQuery { id, text, mut metadata } = read::json(place, line)?;
    let own = metadata.as_object_mut().and_then(|fields| fields.remove(OWN));
    let judged = judgments.question(place, &id.0, text.clone())?;
    let says_unjudged = own.as_ref().is_some_and(|own| own.get("relevant").is_some());
    let question = match (own, judged) {
        (Some(own), judged) if judged.is_some() || says_unjudged => {
            let mut record = JsonRecord::inside(&place.of(&id.0), "metadata", own)?;
            questions::refuse_unknown(&record, &questions::LABELS, draft)?;
            let Some(mut question) = questions::labelled(&id, Some(text), &mut record, draft)?
            else {
                return Ok(());
            };
            question.relevant = judged.map_or(question.relevant, |judged| judged.relevant);
            question
        }
        (_, Some(judged)) => judged,
        (_, None) => {
            draft.note(1, "[query|queries] without judgments in the split, skipped");
            return Ok(());
        }
    };
    draft.push_question(place, question)
}

fn judgments(folder: &Path, split: &str, draft: &mut Draft) -> Result<Judgments, DatasetError> {
    let path = folder.join("qrels").join(format!("{split}.tsv"));
    if folder.join("qrels").is_dir() && !path.is_file() {
        return Err(DatasetError::UnknownSplit {
            split: split.into(),
            known: splits(&folder.join("qrels"))?.into(),
        });
    }
    let mut judgments = Judgments::default();
    read::each_line(&path, |place, line| {
        let read = line.and_then(|line| judgment(place, line, &mut judgments, draft));
        draft.settle(read).map(drop)
    })?;
    Ok(judgments)
}

fn judgment(
    place: Place,
    line: &str,
    judgments: &mut Judgments,
    draft: &mut Draft,
) -> Result<(), DatasetError> {
    let columns: Vec<&str> = line.split('\t').map(str::trim).collect();
    let [question, doc, grade] = columns[..] else {
        return Err(DatasetError::Line {
            place,
            expected: "`query-id`, `corpus-id` and `score` between tabs",
        });
    };
    if (question, grade) == ("query-id", "score") {
        return Ok(());
    }
    let Ok(grade) = grade.parse() else {
        return Err(DatasetError::Grade { place, grade: grade.into() });
    };
    judgments.insert(place, question, doc, grade, draft);
    Ok(())
}

fn splits(qrels: &Path) -> Result<String, DatasetError> {
    let files = read::folder(qrels)?;
    let tables = files.iter().filter(|file| file.extension().is_some_and(|end| end == "tsv"));
    let names: Vec<String> = tables
        .filter_map(|file| Some(format!("`{}`", file.file_stem()?.to_string_lossy())))
        .collect();
    Ok(names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{load, spec::tests::with_files};
    use ragtriage_core::config::{Format, MissingEvidence};
    use ragtriage_core::hint::Hint;
    use ragtriage_core::types::Dataset;

    const CORPUS: &str = "{\"_id\": \"d1\", \"title\": \"T\", \"text\": \"one\u{2028}line\", \"metadata\": {\"y\": 1}}\n{\"_id\": 2, \"text\": \"\"}\n";
    const QUERIES: &str =
        "{\"_id\": \"1\", \"text\": \"first\"}\n{\"_id\": \"2\", \"text\": \"second\"}\n";

    fn set(qrels: &str, missing: Option<MissingEvidence>) -> Result<Dataset, DatasetError> {
        let files =
            [("corpus.jsonl", CORPUS), ("queries.jsonl", QUERIES), ("qrels/test.tsv", qrels)];
        with_files(&files, Format::Beir, |spec| {
            spec.missing_evidence = missing;
            load(spec)
        })
    }

    #[test]
    fn judged_queries_are_kept_with_their_grades() {
        let set = set("query-id\tcorpus-id\tscore\r\n2\td1\t2\r\n2\t2\t0\r\n2\tgone\t1\r\n", None)
            .expect("loads");
        assert_eq!(set.documents[0].text, "one\u{2028}line");
        assert_eq!(set.documents[0].metadata["y"], 1);
        let [question] = &set.questions[..] else { panic!("one is judged") };
        let grades: Vec<_> =
            question.relevant.iter().map(|(doc, grade)| (doc.as_str(), *grade)).collect();
        assert_eq!(grades, [("2", 0), ("d1", 2), ("gone", 1)]);
        let notes: Vec<String> = set.notes.iter().map(ToString::to_string).collect();
        assert_eq!(
            notes,
            [
                "1 empty document (no chunk)",
                "1 query without judgments in the split, skipped",
                "1 judged document that is not in the corpus, kept",
            ]
        );
    }

    #[test]
    fn an_id_of_two_queries_is_refused_judged_or_not() {
        for (id, qrels) in [("1", "1\td1\t1\n"), ("2", "1\td1\t1\n")] {
            let queries = format!("{QUERIES}{{\"_id\": \"{id}\", \"text\": \"another\"}}\n");
            let files =
                [("corpus.jsonl", CORPUS), ("queries.jsonl", &queries), ("qrels/test.tsv", qrels)];
            let error = with_files(&files, Format::Beir, |spec| load(spec)).unwrap_err();
            let expected = format!("queries.jsonl` line 3 (`{id}`): duplicate question `{id}`");
            assert!(error.to_string().ends_with(&expected), "{error}");
        }
    }

    #[test]
    fn a_document_that_is_only_a_title_has_it_as_its_text() {
        let corpus = "{\"_id\": \"d1\", \"title\": \"Alpha particles\", \"text\": \" \"}\n";
        let files = [
            ("corpus.jsonl", corpus),
            ("queries.jsonl", QUERIES),
            ("qrels/test.tsv", "1\td1\t1\n"),
        ];
        let set = with_files(&files, Format::Beir, |spec| load(spec)).expect("loads");
        let document = &set.documents[0];
        assert_eq!((document.title.as_str(), document.text.as_str()), ("", "Alpha particles"));
        assert!(set.notes.iter().all(|note| !note.what.contains("empty")), "{:?}", set.notes);
    }

    #[test]
    fn a_table_without_a_header_loses_no_line() {
        assert_eq!(set("1\td1\t1\n2\td1\t1\n", None).expect("loads").questions.len(), 2);
    }

    #[test]
    fn judgments_that_do_not_read_are_named_by_line() {
        let error = set("query-id\tcorpus-id\tscore\n1\td1\t0.5\n", None).unwrap_err();
        assert!(
            error.to_string().ends_with("test.tsv` line 2: grade `0.5` is not an integer"),
            "{error}"
        );
        let error = set("1 0 d1 1\n", None).unwrap_err();
        assert!(matches!(error, DatasetError::Line { .. }), "{error}");
    }

    #[test]
    fn unknown_questions_and_documents_are_refused_when_asked_for() {
        let strict = Some(MissingEvidence::Error);
        assert!(matches!(
            set("1\td1\t1\n7\td1\t1\n", strict),
            Err(DatasetError::UnknownQuestion { .. })
        ));
        assert!(matches!(set("1\td9\t1\n", strict), Err(DatasetError::UnknownDocument { .. })));
    }

    #[test]
    fn a_split_that_is_not_there_is_answered_with_those_that_are() {
        let files = [("corpus.jsonl", CORPUS), ("queries.jsonl", QUERIES), ("qrels/dev.tsv", "")];
        let error = with_files(&files, Format::Beir, |spec| load(spec)).unwrap_err();
        assert_eq!(
            (error.to_string(), error.hint().expect("a hint")),
            ("unknown split `test`".into(), "known splits: `dev`".into())
        );
    }
}
