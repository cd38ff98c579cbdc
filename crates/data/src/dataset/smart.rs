//! CISI and Cranfield in the format of the SMART system.
//!
//! A document's text is title, author, source and body, so its title field is empty; a query's is title and body.
//! The remaining fields of one CISI document (`.K` key words, `.C` categories) follow the body, as in the
//! published figures; `.X` (citations) is omitted. Only judged queries are loaded.
//!
//! `CISI.REL` lists relevant pairs; its last two columns have no meaning. `cranqrel` numbers queries by their
//! position in `cran.qry`, not by their `.I`, and so do our ids; its codes run from 1 (a complete answer) to 5 (no
//! interest), giving the grade 5 - code. A code of -1 is undefined in its readme and is read as judged and not
//! relevant.

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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Collection {
    Cisi,
    Cranfield,
}

impl Collection {
    /// Returns the files of documents, queries and judgments.
    fn files(self) -> [&'static str; 3] {
        match self {
            Self::Cisi => ["CISI.ALL", "CISI.QRY", "CISI.REL"],
            Self::Cranfield => ["cran.all.1400", "cran.qry", "cranqrel"],
        }
    }

    /// Parses the grade from a judgment's columns after query and document.
    fn grade(self, columns: &[&str]) -> Option<i32> {
        match (self, columns) {
            (Self::Cisi, _) => Some(1),
            (Self::Cranfield, ["-1", ..]) => Some(0),
            (Self::Cranfield, [code, ..]) => {
                code.parse().ok().filter(|code| (1..=5).contains(code)).map(|code: i32| 5 - code)
            }
            (Self::Cranfield, []) => None,
        }
    }
}

/// Reads the folder `path` into `draft`.
pub(super) fn read(path: &Path, draft: &mut Draft) -> Result<(), Error> {
    let (collection, [all, queries, judgments]) = recognise(path)?;
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
    let mut judgments = self::judgments(collection, &judgments, draft)?;
    for (index, record) in records(&queries)?.into_iter().enumerate() {
        let text = record.text(QUERY_FIELDS);
        let id = match collection {
            Collection::Cisi => record.number,
            Collection::Cranfield => (index + 1).to_string(),
        };
        let question = judgments.question(&record.place, &id, text);
        match draft.check(question) {
            Some(Some(question)) => draft.push_question(&record.place, question),
            Some(None) => draft.note(1, "[query|queries] without judgments, left out"),
            None => {}
        }
    }
    judgments.finish(draft);
    Ok(())
}

fn recognise(path: &Path) -> Result<(Collection, [PathBuf; 3]), Error> {
    let folder = read::folder(path)?;
    for collection in [Collection::Cisi, Collection::Cranfield] {
        if let [Some(all), Some(queries), Some(judgments)] =
            collection.files().map(|name| named(&folder, name))
        {
            return Ok((collection, [all, queries, judgments]));
        }
    }
    let expected =
        "`CISI.ALL`, `CISI.QRY` and `CISI.REL`, nor `cran.all.1400`, `cran.qry` and `cranqrel`";
    Err(read::layout(path, expected))
}

fn judgments(collection: Collection, path: &Path, draft: &mut Draft) -> Result<Judgments, Error> {
    let mut judgments = Judgments::default();
    read::lines_of(path, draft, |place, line, draft| {
        let columns: Vec<&str> = line.split_whitespace().collect();
        let [question, doc, rest @ ..] = &columns[..] else {
            return Err(not_a_judgment(place, "expected a query's and a document's number"));
        };
        let Some(grade) = collection.grade(rest) else {
            return Err(not_a_judgment(
                place,
                "expected query, document and a code of -1 or 1 to 5",
            ));
        };
        if collection == Collection::Cranfield && rest[0] == "-1" {
            draft.note(
                1,
                "[judgment|judgments] of code -1, which the readme does not define, treated as not relevant",
            );
        }
        judgments.insert(question, doc, grade, draft);
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

    fn cranfield(qrels: &str) -> Result<ragtriage_core::types::Dataset, Error> {
        let files = [
            (
                "cran.all.1400",
                ".I 1\n.T\nwing\n.A\n.B\n.W\nlift at\n.5 mach .\n.I 2\n.T\nslip\n.W\nstream .\n",
            ),
            ("cran.qry", ".I 001\n.W\nwhat lift .\n.I 004\n.W\nwhich stream .\n"),
            ("cranqrel", qrels),
        ];
        with_files(&files, Format::Smart, |spec| load(spec))
    }

    #[test]
    fn cranfield_queries_count_by_position_and_code_1_is_the_best_grade() {
        let set = cranfield("1 1 1\n2 1  5 \n2 2 -1\n").expect("loads");
        assert_eq!(set.documents[0].text, "wing\nlift at\n.5 mach .");
        // Grade = 5 - code: 4 and 0; -1 stays as judged, not relevant.
        assert_eq!(set.questions[0].relevant, BTreeMap::from([("1".into(), 4)]));
        assert_eq!(set.questions[1].id.as_str(), "2");
        assert_eq!(set.questions[1].text, "which stream .");
        assert_eq!(set.questions[1].relevant, BTreeMap::from([("1".into(), 0), ("2".into(), 0)]));
        assert_eq!(set.notes[0].count, 1);
    }

    #[test]
    fn a_code_outside_the_scale_is_refused_by_line() {
        let error = cranfield("1 1 1\n1 2 6\n").unwrap_err();
        assert!(
            error.to_string().contains("cranqrel` line 2: expected query, document and a code"),
            "{error}"
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
