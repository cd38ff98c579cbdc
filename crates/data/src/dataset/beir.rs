//! BEIR folders (Thakur et al. 2021): `corpus.jsonl`, `queries.jsonl`, `qrels/<split>.tsv`.
//!
//! Loads the queries that the split judges. Document text is separate from the title. Graded judgments are loaded unchanged; a
//! grade of 0 or less means judged and not relevant.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::dataset::draft::{Draft, duplicate};
use crate::dataset::jsonl::Id;
use crate::dataset::lint::finding::Rule;
use crate::dataset::{load, read};
use crate::error::{Error, Place};
use ragtriage_core::types::{DocId, Document, Question};

/// The split of a BEIR set for which results are published.
const SPLIT: &str = "test";

#[derive(Deserialize)]
struct BeirDocument {
    #[serde(rename = "_id")]
    id: Id,
    title: Option<String>,
    text: String,
    metadata: Option<BTreeMap<String, Value>>,
}

#[derive(Deserialize)]
struct BeirQuery {
    #[serde(rename = "_id")]
    id: Id,
    text: String,
}

/// Reads the folder `path` into `draft`.
pub(super) fn read(path: &Path, split: Option<&str>, draft: &mut Draft) -> Result<(), Error> {
    let mut judgments = judgments(path, split.unwrap_or(SPLIT), draft)?;
    read::corpus(&path.join("corpus.jsonl"), draft, document)?;
    read::lines_of(&path.join("queries.jsonl"), draft, |place, line, draft| {
        let BeirQuery { id, text } = read::json(place, line)?;
        match judgments.question(place, &id.0, text)? {
            Some(question) => draft.push_question(place, question),
            None => draft.note(1, "[query|queries] without judgments in the split, skipped"),
        }
        Ok(())
    })?;
    judgments.finish(draft);
    Ok(())
}

fn document(place: &Place, line: &str) -> Result<Document, Error> {
    let BeirDocument { id, title, text, metadata } = read::json(place, line)?;
    Ok(Document {
        id: id.0.into(),
        title: title.unwrap_or_default(),
        text,
        metadata: metadata.unwrap_or_default(),
    })
}

fn judgments(folder: &Path, split: &str, draft: &mut Draft) -> Result<Judgments, Error> {
    let qrels = folder.join("qrels");
    let path = qrels.join(format!("{split}.tsv"));
    if qrels.is_dir() && !path.is_file() {
        let files = read::folder(&qrels)?;
        let tables = files.iter().filter(|file| file.extension().is_some_and(|end| end == "tsv"));
        let names: Vec<String> = tables
            .filter_map(|file| Some(format!("`{}`", file.file_stem()?.to_string_lossy())))
            .collect();
        return Err(load::unknown_split(split, &names.join(", ")));
    }
    let mut judgments = Judgments::default();
    read::lines_of(&path, draft, |place, line, draft| {
        let columns: Vec<&str> = line.split('\t').map(str::trim).collect();
        let [question, doc, grade] = columns[..] else {
            let expected = "expected `query-id`, `corpus-id` and `score` between tabs";
            return Err(not_a_judgment(place, expected));
        };
        if (question, grade) == ("query-id", "score") {
            return Ok(());
        }
        let grade = grade.parse().map_err(|_| {
            let hint = "write grades as whole numbers: 0 not relevant, 1 and up relevant";
            let message = format!("grade `{grade}` is not an integer");
            Error::data(Rule::BadField, message, hint).at(place)
        })?;
        judgments.insert(question, doc, grade, draft);
        Ok(())
    })?;
    Ok(judgments)
}

/// Returns the error of a line that does not hold what is `expected`.
pub(super) fn not_a_judgment(place: &Place, expected: &str) -> Error {
    Error::data(Rule::BrokenLine, expected, "fix that line").at(place)
}

/// Relevance judgments of a set whose questions are in a file of their own, held until the questions are read.
#[derive(Default)]
pub(super) struct Judgments {
    /// Grades by question and document.
    grades: HashMap<String, BTreeMap<DocId, i32>>,
    /// Ids of the questions read so far, judged or not.
    asked: HashSet<String>,
}

impl Judgments {
    /// Adds one judgment; of several for one pair the highest grade counts.
    pub(super) fn insert(&mut self, question: &str, doc: &str, grade: i32, draft: &mut Draft) {
        let grades = self.grades.entry(question.to_owned()).or_default();
        let best = grades
            .entry(doc.into())
            .and_modify(|_| {
                draft.note(1, "duplicate [judgment|judgments]; the highest grade is used");
            })
            .or_insert(grade);
        *best = grade.max(*best);
    }

    /// Returns the question of that id with its judgments; `None` if it has none. The id must be new: a second question
    /// would not be the one that was judged.
    pub(super) fn question(
        &mut self,
        place: &Place,
        id: &str,
        text: String,
    ) -> Result<Option<Question>, Error> {
        if !self.asked.insert(id.to_owned()) {
            return Err(duplicate("question", id, &place.of(id)));
        }
        let judged = self.grades.remove(id);
        Ok(judged.map(|relevant| Question { relevant, ..Question::new(id.into(), text) }))
    }

    /// Counts the judgments of missing questions.
    pub(super) fn finish(self, draft: &mut Draft) {
        let what = "judged [question that does|questions that do] not exist, skipped";
        draft.note(self.grades.len(), what);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{load, testing::with_files};
    use ragtriage_core::config::Format;
    use ragtriage_core::hint::Hint;
    use ragtriage_core::types::Dataset;

    const CORPUS: &str = "{\"_id\": \"d1\", \"title\": \"T\", \"text\": \"one\u{2028}line\", \"metadata\": {\"y\": 1}}\n{\"_id\": 2, \"text\": \"\"}\n";
    const QUERIES: &str =
        "{\"_id\": \"1\", \"text\": \"first\"}\n{\"_id\": \"2\", \"text\": \"second\"}\n";

    fn set(qrels: &str) -> Result<Dataset, Error> {
        let files =
            [("corpus.jsonl", CORPUS), ("queries.jsonl", QUERIES), ("qrels/test.tsv", qrels)];
        with_files(&files, Format::Beir, |spec| load(spec))
    }

    #[test]
    fn judged_queries_are_kept_with_their_grades() {
        let set = set("query-id\tcorpus-id\tscore\r\n2\td1\t2\r\n2\t2\t0\r\n2\tgone\t1\r\n")
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
        assert_eq!(set("1\td1\t1\n2\td1\t1\n").expect("loads").questions.len(), 2);
    }

    #[test]
    fn judgments_that_do_not_read_are_named_by_line() {
        let error = set("query-id\tcorpus-id\tscore\n1\td1\t0.5\n").unwrap_err();
        assert!(
            error.to_string().ends_with("test.tsv` line 2: grade `0.5` is not an integer"),
            "{error}"
        );
        let error = set("1 0 d1 1\n").unwrap_err();
        assert!(error.to_string().contains("expected `query-id`"), "{error}");
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
