//! CISI, in the format of the SMART system.
//!
//! A document's text is title, author, source and body, so its title field is empty; a query's is title and body.
//! The remaining fields of one CISI document (`.K` key words, `.C` categories) follow the body, as in the
//! published figures; `.X` (citations) is omitted. Only judged queries are loaded.
//!
//! `CISI.REL` lists relevant pairs; its last two columns have no meaning.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::dataset::beir::{Judgments, not_a_judgment};
use crate::dataset::draft::Draft;
use crate::dataset::read;
use crate::error::{Error, Place};
use ragtriage_core::types::Document;

const DOCUMENT_FIELDS: &str = "TABWKC";
const QUERY_FIELDS: &str = "TW";

/// The files of documents, queries and judgments.
const FILES: [&str; 3] = ["CISI.ALL", "CISI.QRY", "CISI.REL"];

/// Reads the folder `path` into `draft`.
pub(super) fn read(path: &Path, draft: &mut Draft) -> Result<(), Error> {
    let [all, queries, judgments] = recognise(path)?;
    for record in records(&all)? {
        let text = record.text(DOCUMENT_FIELDS);
        let document = Document {
            id: record.number.into(),
            title: String::new(),
            text,
            metadata: BTreeMap::new(),
        };
        draft.push_document(&record.place, document);
    }
    let mut judgments = self::judgments(&judgments, draft)?;
    for record in records(&queries)? {
        let text = record.text(QUERY_FIELDS);
        let question = judgments.question(&record.place, &record.number, text);
        match draft.check(question) {
            Some(Some(question)) => draft.push_question(&record.place, question),
            Some(None) => draft.note(1, "[query|queries] without judgments, left out"),
            None => {}
        }
    }
    judgments.finish(draft);
    Ok(())
}

fn recognise(path: &Path) -> Result<[PathBuf; 3], Error> {
    let folder = read::folder(path)?;
    match FILES.map(|name| named(&folder, name)) {
        [Some(all), Some(queries), Some(judgments)] => Ok([all, queries, judgments]),
        _ => Err(read::layout(path, "`CISI.ALL`, `CISI.QRY` and `CISI.REL`")),
    }
}

fn judgments(path: &Path, draft: &mut Draft) -> Result<Judgments, Error> {
    let mut judgments = Judgments::default();
    read::lines_of(path, draft, |place, line, draft| {
        let mut columns = line.split_whitespace();
        let (Some(question), Some(doc)) = (columns.next(), columns.next()) else {
            return Err(not_a_judgment(place, "expected a query's and a document's number"));
        };
        judgments.insert(question, doc, 1, draft);
        Ok(())
    })?;
    Ok(judgments)
}

/// One record: its number as written and its fields in the order of the file.
struct SmartRecord {
    /// The place of its `.I`.
    place: Place,
    /// The text after `.I`.
    number: String,
    fields: Vec<(char, String)>,
}

impl SmartRecord {
    /// Returns the fields of those letters, in that order, trimmed and joined by line feeds; empty ones are
    /// skipped.
    fn text(&self, letters: &str) -> String {
        let texts: Vec<&str> = letters
            .chars()
            .flat_map(|letter| self.fields.iter().filter(move |(name, _)| *name == letter))
            .map(|(_, text)| text.trim())
            .filter(|text| !text.is_empty())
            .collect();
        texts.join("\n")
    }
}

/// Reads the records of a file.
fn records(path: &Path) -> Result<Vec<SmartRecord>, Error> {
    let shared: Arc<Path> = Arc::from(path);
    let mut records: Vec<SmartRecord> = Vec::new();
    for (index, line) in read::text(path)?.split('\n').enumerate() {
        let line = line.trim_end();
        let place = Place { path: Arc::clone(&shared), line: Some(index + 1), id: None };
        if let Some(number) = line.strip_prefix(".I ") {
            let number = number.trim().to_owned();
            records.push(SmartRecord { place, number, fields: Vec::new() });
            continue;
        }
        match (records.last_mut(), field_name(line)) {
            (Some(record), Some(letter)) => record.fields.push((letter, String::new())),
            (Some(SmartRecord { fields, .. }), None) if !fields.is_empty() => {
                let text = &mut fields.last_mut().expect("not empty by the guard").1;
                text.push_str(line);
                text.push('\n');
            }
            _ if line.is_empty() => {}
            _ => {
                return Err(not_a_judgment(
                    &place,
                    "expected a record's `.I` and a field's letter first",
                ));
            }
        }
    }
    Ok(records)
}

/// Returns the file of a folder with this name, ignoring case.
fn named(folder: &[PathBuf], name: &str) -> Option<PathBuf> {
    let found = folder
        .iter()
        .find(|path| path.file_name().is_some_and(|own| own.eq_ignore_ascii_case(name)));
    found.cloned()
}

/// `.T` followed by nothing (white space is already trimmed) is a header. A body may contain lines such as `.5
/// mach`.
fn field_name(line: &str) -> Option<char> {
    match line.as_bytes() {
        [b'.', letter] if letter.is_ascii_uppercase() => Some(char::from(*letter)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{load, testing::with_files};
    use ragtriage_core::config::Format;

    const CISI: [(&str, &str); 3] = [
        (
            "cisi.all",
            ".I 1\n.T \n A title\n.A\nDoe, J.\n.A\nRoe, R.\n.B\n1970\n.W\n   The body\nof  it.\n.X\n1\t5\t1\n.I 2\n.T\n.W\n",
        ),
        (
            "CISI.QRY",
            ".I 1\n.W\nFirst?\n.I 2\n.T\nHead\n.A\nWho\n.W\nSecond?\n.B\n(where)\n.I 3\n.W\nUnjudged\n",
        ),
        (
            "CISI.REL",
            "     1     1\t0\t0.000000\n     1     1\t0\t0.000000\n     2     1\t0\t0.000000\n",
        ),
    ];

    #[test]
    fn a_document_is_title_author_source_and_body_and_a_query_title_and_body() {
        let set = with_files(&CISI, Format::Smart, |spec| load(spec)).expect("loads");
        assert_eq!(set.documents[0].text, "A title\nDoe, J.\nRoe, R.\n1970\nThe body\nof  it.");
        assert_eq!((set.documents[0].title.as_str(), set.documents[1].text.as_str()), ("", ""));
        let texts: Vec<&str> =
            set.questions.iter().map(|question| question.text.as_str()).collect();
        assert_eq!(texts, ["First?", "Head\nSecond?"]);
    }

    #[test]
    fn every_pair_is_relevant_once_and_unjudged_queries_are_left_out() {
        let set = with_files(&CISI, Format::Smart, |spec| load(spec)).expect("loads");
        assert_eq!(set.questions[0].relevant, BTreeMap::from([("1".into(), 1)]));
        let notes: Vec<String> = set.notes.iter().map(ToString::to_string).collect();
        assert_eq!(
            notes,
            [
                "1 empty document (no chunk)",
                "1 duplicate judgment; the highest grade is used",
                "1 query without judgments, left out",
            ]
        );
    }

    #[test]
    fn text_before_the_first_record_is_refused() {
        let files = [("CISI.ALL", "stray\n.I 1\n"), CISI[1], CISI[2]];
        let error = with_files(&files, Format::Smart, |spec| load(spec)).unwrap_err();
        assert!(
            error.to_string().contains("CISI.ALL` line 1: expected a record's `.I`"),
            "{error}"
        );
    }

    #[test]
    fn a_folder_without_a_known_collection_is_refused() {
        let error = with_files(&CISI[..2], Format::Smart, |spec| load(spec)).unwrap_err();
        assert!(error.to_string().contains("has no `CISI.ALL`, `CISI.QRY`"), "{error}");
    }
}
