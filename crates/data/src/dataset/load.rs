//! Loads a data set: documents, then questions, with the reader of its format.
//!
//! One pass collects every error. [`load`] fails with the first, [`inspect`] returns them all next to the valid records: a
//! question without a usable id, text, kind or answers is omitted, otherwise only its invalid part is; a quote that is not found
//! is replaced by its whole document.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::dataset::draft::Draft;
use crate::dataset::jsonl::{self, QUESTIONS};
use crate::dataset::lint::finding::Rule;
use crate::dataset::{beir, digest, files, hotpotqa, mapped, smart, squad};
use crate::error::{Error, Kind, Place};
use crate::fields::Fields;
use crate::run::external::input::Input;
use ragtriage_core::config::{DatasetSettings, Format};
use ragtriage_core::types::{Dataset, Document, Note, Question, Split};

pub use crate::dataset::jsonl::Candidates;

/// The contents of a data set, and every error in it.
#[derive(Debug, Default)]
pub struct Inspection {
    /// The documents, in the order of their source.
    pub documents: Vec<Document>,
    /// The questions, in the order of their source.
    pub questions: Vec<Question>,
    /// The place of each question, parallel to the questions.
    pub places: Vec<Place>,
    /// The errors, in the order they occur; `load` fails with the first.
    pub errors: Vec<Error>,
    /// What loads and should be corrected: quotes with several occurrences, labels of missing documents.
    pub warnings: Vec<Error>,
    /// Accepted irregularities.
    pub notes: Vec<Note>,
}

impl Inspection {
    /// Returns this unless it has errors, else the first.
    pub(crate) fn sound(mut self) -> Result<Self, Error> {
        if self.errors.is_empty() { Ok(self) } else { Err(self.errors.remove(0)) }
    }

    /// Returns the data set of the questions of `split` (default: all).
    fn data_set(mut self, path: &Path, split: Option<Split>) -> Result<Dataset, Error> {
        if split.is_some() {
            let n_all = self.questions.len();
            self.questions.retain(|question| question.split == split);
            let count = n_all - self.questions.len();
            if count > 0 {
                let what = "[question|questions] outside the split, left out".to_owned();
                self.notes.push(Note { count, what });
            }
        }
        if self.questions.is_empty() {
            return Err(Error::no_questions(path, split.map(digest::split_name)));
        }
        let Self { documents, questions, notes, .. } = self;
        let digest = digest::digest(&documents, &questions);
        Ok(Dataset { documents, questions, notes, digest })
    }
}

/// Loads and validates the data set that `spec` names.
///
/// Documents and questions retain the order of their source (`files`: ascending by path). Accepted and counted in the
/// notes: a byte order mark, `\r\n`, an empty document, stray white space around questions, and irregularities noted by
/// the format's loader. Fails with the file and line, id or byte offset of the first error.
pub fn load(spec: &DatasetSettings) -> Result<Dataset, Error> {
    load_with(spec, Vec::new())
}

/// As [`load`], with `more` questions, which the data set's file does not have.
pub fn load_with(spec: &DatasetSettings, more: Vec<Question>) -> Result<Dataset, Error> {
    let split = own_split(spec)?;
    let mut read = inspect(spec)?;
    if !more.is_empty() {
        read.errors.retain(|error| error.kind != Kind::Data(Rule::NoQuestions));
    }
    let mut read = read.sound()?;
    read.questions.extend(more);
    read.data_set(&spec.path, split)
}

/// Reads as much as possible of the data set that `spec` names, whatever its split.
///
/// # Errors
/// Errors that leave nothing to inspect: a missing path, a folder that cannot be read or has another format's layout, an invalid
/// split or pattern. A missing questions file is collected as an error.
pub fn inspect(spec: &DatasetSettings) -> Result<Inspection, Error> {
    own_split(spec)?;
    let mut draft = Draft::default();
    match read_documents(spec, &mut draft) {
        Err(error) if matches!(error.kind, Kind::Missing | Kind::Unusable) => return Err(error),
        read => drop(draft.check(read)),
    }
    if let Some(path) = questions_file(spec) {
        let read = match &spec.fields {
            fields if fields.is_empty() => jsonl::questions(&path, &mut draft),
            fields => mapped(&path, fields, &mut draft),
        };
        draft.check(read);
    }
    let mut read = draft.finish(&spec.path);
    if read.questions.is_empty() && read.errors.is_empty() {
        read.errors.push(Error::no_questions(&spec.path, None));
    }
    Ok(read)
}

/// Reads the documents, and in a published format the questions they include.
fn read_documents(spec: &DatasetSettings, draft: &mut Draft) -> Result<(), Error> {
    match spec.format {
        Format::Hotpotqa => hotpotqa::read(&spec.path, draft),
        Format::Squad => squad::read(&spec.path, draft),
        Format::Beir => beir::read(&spec.path, spec.split.as_deref(), draft),
        Format::Smart => smart::read(&spec.path, draft),
        Format::Rows => mapped(&spec.path, &spec.fields, draft),
        Format::Jsonl => jsonl::documents(&spec.path, draft),
        Format::Files => files::documents(&spec.path, &spec.globs, draft),
    }
}

/// Reads a file of any layout, with the fields of `settings`.
fn mapped(
    path: &Path,
    settings: &BTreeMap<String, String>,
    draft: &mut Draft,
) -> Result<(), Error> {
    let fields = Fields::of_dataset(settings)?;
    mapped::read(&Input::read(path)?, &fields, draft)
}

/// Reads the documents of the data set that `spec` names. A native data set may have no questions
/// yet.
pub fn documents(spec: &DatasetSettings) -> Result<Vec<Document>, Error> {
    if !spec.format.is_own() {
        return Ok(load(spec)?.documents);
    }
    let mut draft = Draft::default();
    read_documents(spec, &mut draft)?;
    draft.into_documents(&spec.path)
}

/// Loads the documents of the data set that `spec` names with the questions of the file `queries`, which need no labels: one
/// question per line; JSON lines with native keys, of which `text` suffices; or BEIR's queries. Returns the candidate places that
/// the file names too.
///
/// A question without an id gets one derived from its text, so that it does not depend on the line's
/// position.
pub fn asked(spec: &DatasetSettings, queries: &Path) -> Result<(Dataset, Candidates), Error> {
    let mut draft = Draft::default();
    let place = Place::file(&spec.path);
    documents(spec)?.into_iter().for_each(|document| draft.push_document(&place, document));
    let candidates = jsonl::queries(queries, &mut draft)?;
    Ok((draft.finish(queries).sound()?.data_set(queries, None)?, candidates))
}

/// Returns the path of questions.jsonl of the data set that `spec` names; `None` for published formats, which have none.
#[must_use]
pub fn questions_file(spec: &DatasetSettings) -> Option<PathBuf> {
    let default = || spec.path.join(QUESTIONS);
    spec.format.is_own().then(|| spec.questions.clone().unwrap_or_else(default))
}

/// Returns the requested part of native questions.
fn own_split(spec: &DatasetSettings) -> Result<Option<Split>, Error> {
    let Some(split) = spec.split.as_deref() else {
        return Ok(None);
    };
    match (spec.format, split) {
        (Format::Beir, _) => Ok(None), // the name of a qrels file
        (Format::Jsonl | Format::Files, "tune") => Ok(Some(Split::Tune)),
        (Format::Jsonl | Format::Files, "heldout" | "held_out") => Ok(Some(Split::Heldout)),
        (Format::Jsonl | Format::Files, _) => Err(unknown_split(split, "`tune`, `heldout`")),
        (format @ (Format::Hotpotqa | Format::Squad | Format::Smart | Format::Rows), _) => {
            Err(Error::new(
                format!(
                    "format `{format}` has no splits; `dataset.split = \"{split}\"` does not apply"
                ),
                "remove `dataset.split`",
            ))
        }
    }
}

/// Returns the error of a split that does not exist.
pub(crate) fn unknown_split(split: &str, known: &str) -> Error {
    Error::new(format!("unknown split `{split}`"), format!("known splits: {known}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::testing::with_files;

    const CORPUS: &str = "{\"id\": \"a\", \"text\": \"It waits 6 minutes. It waits.\"}\n";

    fn inspected(corpus: &str, questions: &str) -> Inspection {
        let files = [("corpus.jsonl", corpus), ("questions.jsonl", questions)];
        with_files(&files, Format::Jsonl, |spec| inspect(spec)).expect("inspected")
    }

    /// Error messages without the file name.
    fn errors(inspection: &Inspection) -> Vec<String> {
        let without_file = |error: &Error| {
            let text = error.to_string();
            text.split_once("` ").map_or(text.clone(), |(_, rest)| rest.to_owned())
        };
        inspection.errors.iter().map(without_file).collect()
    }

    #[test]
    fn every_slip_is_listed_and_the_rest_is_kept() {
        let corpus = format!(
            "{CORPUS}{{\"id\": 1\n{{\"id\": \"a\", \"text\": \"again\"}}\n{{\"id\": \"b\", \"text\": \"b\"}}\n"
        );
        let questions = [
            r#"{"id": "1", "text": "?", "answers": ["6"], "evidence": [{"doc": "a", "quotes": ["It waits 7", "6 minutes", "gone"]}]}"#,
            r#"{"id": "2", "tag": [], "txt": "?", "text": "?", "relevant": ["c", "b"]}"#,
            r#"{"id": "3", "text": "?", "kind": "span", "evidence": [{"doc": "b", "quotes": ["c"]}]}"#,
            r#"{"id": "4" "text": "?"}"#,
            r#"{"id": "1", "text": "again?"}"#,
            r#"{"id": "5", "text": " "}"#,
        ];
        let inspection = inspected(&corpus, &questions.join("\n"));
        assert_eq!(
            errors(&inspection),
            [
                "line 2: invalid JSON at column 8: EOF while parsing an object",
                "line 3: duplicate document `a`",
                "line 1 (`1`): the quote `It waits 7` is not in document `a`",
                "line 1 (`1`): the quote `gone` is not in document `a`",
                "line 2 (`2`): unknown key `tag`",
                "line 2 (`2`): unknown key `txt`",
                "line 3 (`3`): a `span` question needs at least one answer",
                "line 3 (`3`): the quote `c` is not in document `b`",
                "line 4: invalid JSON at column 12: expected `,` or `}`",
                "line 5 (`1`): duplicate question `1`",
                "line 6 (`5`): the question is empty",
            ]
        );
        let kept: Vec<&str> =
            inspection.questions.iter().map(|question| question.id.as_str()).collect();
        assert_eq!(kept, ["1", "2"]);
        assert_eq!(inspection.questions[0].evidence[0][0].ranges, [(9, 18).into()], "`6 minutes`");
        let documents: Vec<&str> =
            inspection.documents.iter().map(|document| document.text.as_str()).collect();
        assert_eq!(documents, ["It waits 6 minutes. It waits.", "b"]);
    }

    #[test]
    fn what_is_listed_first_is_what_loading_refuses() {
        let questions = "{\"id\": \"1\", \"text\": \"?\", \"txt\": 1}\n{\"id\": \"2\"}\n";
        let files = [("corpus.jsonl", CORPUS), ("questions.jsonl", questions)];
        let (refused, listed) =
            with_files(&files, Format::Jsonl, |spec| (load(spec), inspect(spec)));
        assert_eq!(
            refused.unwrap_err().to_string(),
            listed.expect("inspected").errors[0].to_string()
        );
    }

    #[test]
    fn a_quote_that_stands_twice_is_told_with_its_question() {
        let question =
            r#"{"id": "q", "text": "?", "evidence": [{"doc": "a", "quotes": ["It waits"]}]}"#;
        let inspection = inspected(CORPUS, question);
        let warning = inspection.warnings[0].to_string();
        let expected = "line 1 (`q`): the quote `It waits` occurs 2 times in document `a`";
        assert!(warning.ends_with(expected), "{warning}");
        assert!(inspection.errors.is_empty());
    }

    #[test]
    fn no_questions_and_an_empty_corpus_are_errors() {
        assert_eq!(errors(&inspected(CORPUS, "\n")), ["has no questions"]);
        assert_eq!(
            errors(&inspected("{\"id\": \"a\", \"text\": \" \"}", "{\"id\": 1, \"text\": \"?\"}"))
                .len(),
            1
        );
        let alone = with_files(&[("corpus.jsonl", CORPUS)], Format::Jsonl, |spec| inspect(spec))
            .expect("inspected");
        assert_eq!(alone.errors[0].kind, Kind::Missing);
        assert_eq!(alone.documents.len(), 1);
        let nothing = with_files(&[("questions.jsonl", "")], Format::Jsonl, |spec| inspect(spec));
        assert_eq!(nothing.expect_err("no corpus").kind, Kind::Missing);
    }

    #[test]
    fn a_line_and_a_document_that_are_no_utf_8_cost_only_themselves() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::create_dir(folder.path().join("corpus")).expect("made");
        std::fs::write(folder.path().join("corpus/a.md"), b"caf\xe9").expect("written");
        std::fs::write(folder.path().join("corpus/b.md"), "tea").expect("written");
        std::fs::write(
            folder.path().join("questions.jsonl"),
            b"\xff\n{\"id\": 1, \"text\": \"?\"}\n",
        )
        .expect("written");
        let spec = DatasetSettings::new(Format::Files, folder.path());
        let inspection = inspect(&spec).expect("inspected");
        assert_eq!((inspection.documents.len(), inspection.questions.len()), (1, 1));
        assert!(inspection.errors.iter().all(|error| error.kind == Kind::NotText));
        assert_eq!(inspection.errors.len(), 2);
    }

    #[test]
    fn both_parts_of_a_split_are_read() {
        let lines = "{\"id\": 1, \"text\": \"?\", \"split\": \"tune\"}\n{\"id\": 2, \"text\": \"?\", \"split\": \"heldout\"}\n";
        let files = [("corpus.jsonl", CORPUS), ("questions.jsonl", lines)];
        let inspection = with_files(&files, Format::Jsonl, |spec| {
            spec.split = Some("tune".into());
            inspect(spec)
        });
        assert_eq!(inspection.expect("inspected").questions.len(), 2);
    }

    #[test]
    fn a_split_is_refused_where_the_format_has_none_of_that_name() {
        let spec = |format, split: &str| DatasetSettings {
            split: Some(split.into()),
            ..DatasetSettings::new(format, Path::new(""))
        };
        assert_eq!(
            own_split(&spec(Format::Files, "heldout")).expect("known"),
            Some(Split::Heldout)
        );
        assert_eq!(own_split(&spec(Format::Beir, "dev")).expect("a file name"), None);
        for (format, split, error) in [
            (Format::Jsonl, "train", "unknown split `train`"),
            (
                Format::Squad,
                "tune",
                "format `squad` has no splits; `dataset.split = \"tune\"` does not apply",
            ),
        ] {
            assert_eq!(own_split(&spec(format, split)).expect_err("refused").to_string(), error);
        }
    }
}
