//! The labels of `questions.jsonl` as written, before validation against documents: labels that a loader rejects can be read,
//! corrected and written back. Unchanged lines and the surrounding text are preserved byte for byte.

use std::collections::HashMap;
use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::line::spaced;
use super::record::{Id, JsonRecord};
use crate::error::DatasetError;
use crate::place::Place;
use crate::{questions, read};
use ragtriage_core::types::{ByteRange, DocId};

/// One line: a question with its quotes.
#[derive(Clone, Debug)]
pub struct LabelLine {
    /// Its place.
    pub place: Place,
    /// The question's id.
    pub id: String,
    /// The text of the question.
    pub text: String,
    /// Its answers that are strings.
    pub answers: Vec<String>,
    /// The required facts, each with its wordings.
    pub required: Vec<Vec<String>>,
    /// The pieces of its evidence, in the order of the line.
    pub pieces: Vec<LabelMember>,
    /// The documents it names as relevant, with any grade.
    pub relevant: Vec<DocId>,
    raw: String,
    fields: Map<String, Value>,
    is_changed: bool,
}

/// A member of an evidence group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelMember {
    /// Its document.
    pub doc: DocId,
    /// Its quotes.
    pub quotes: Vec<String>,
    /// Its byte ranges, as an alternative to quotes.
    pub ranges: Vec<ByteRange>,
    /// The index of its group, and its index within the group if that is a list.
    at: (usize, Option<usize>),
}

/// Reads the lines of `questions.jsonl` in `folder`.
///
/// # Errors
/// A file that cannot be read; a line that is not an object, has no id, or whose evidence is malformed.
pub fn labels(folder: &Path) -> Result<Vec<LabelLine>, DatasetError> {
    let mut lines = Vec::new();
    read::lines(&folder.join(questions::FILE), |place, raw| {
        lines.push(label_line(place, raw)?);
        Ok(())
    })?;
    Ok(lines)
}

/// Writes the changed ones of `lines` to `questions.jsonl` in `folder`, through a temporary file in that folder. The rest of the file
/// is unchanged, including lines added in the meantime.
///
/// # Errors
/// `Busy` while `label` adds questions, `ChangedMeanwhile` if a line to be written has changed since it was read; `Read`, `Utf8`,
/// `Write`.
pub fn write_labels(folder: &Path, lines: &[LabelLine]) -> Result<(), DatasetError> {
    let path = folder.join(questions::FILE);
    let path = path.canonicalize().unwrap_or(path); // preserves a link
    let held = File::options().append(true).open(&path).map_err(DatasetError::write(&path))?;
    if let Err(TryLockError::WouldBlock) = held.try_lock() {
        return Err(DatasetError::Busy { path });
    }
    let bytes = fs::read(&path).map_err(DatasetError::read(&path))?;
    let text = String::from_utf8(bytes).map_err(|broken| DatasetError::Utf8 {
        path: path.clone(),
        offset: broken.utf8_error().valid_up_to(),
    })?;
    let mut changed: HashMap<usize, &LabelLine> = lines
        .iter()
        .filter(|line| line.is_changed)
        .filter_map(|line| Some((line.place.line?, line)))
        .collect();
    let mut out = String::with_capacity(text.len());
    for (number, whole) in (1..).zip(text.split_inclusive('\n')) {
        let Some(line) = changed.remove(&number) else {
            out.push_str(whole);
            continue;
        };
        let Some(at) = whole.find(&line.raw) else {
            return Err(DatasetError::ChangedMeanwhile { place: line.place.clone() });
        };
        out.extend([&whole[..at], &spaced(&line.fields), &whole[at + line.raw.len()..]]);
    }
    if let Some(line) = changed.into_values().next() {
        return Err(DatasetError::ChangedMeanwhile { place: line.place.clone() });
    }
    let partial = PathBuf::from(format!("{}.partial-{}", path.display(), std::process::id()));
    let written = fs::copy(&path, &partial).and_then(|_| {
        let mut file = File::create(&partial)?; // the copy has the file's mode
        file.write_all(out.as_bytes())?;
        file.sync_data()?;
        fs::rename(&partial, &path)
    });
    written.map_err(|source| {
        let _ = fs::remove_file(&partial); // half a file is useless; the error is returned below
        DatasetError::write(&path)(source)
    })
}

impl LabelLine {
    /// Replaces the piece of that number.
    pub(crate) fn set_piece(
        &mut self,
        number: usize,
        doc: DocId,
        quotes: Vec<String>,
        ranges: Vec<ByteRange>,
    ) {
        let piece = &mut self.pieces[number];
        let (group, member) = piece.at;
        *piece = LabelMember { doc, quotes, ranges, at: piece.at };
        let evidence = &mut self.fields["evidence"][group];
        let written = match member {
            Some(member) => &mut evidence[member],
            None => evidence,
        };
        written["doc"] = json!(piece.doc);
        for (key, value) in [("quotes", json!(piece.quotes)), ("ranges", json!(piece.ranges))] {
            if written.get(key).is_some() {
                written[key] = value;
            }
        }
        self.is_changed = true;
    }

    /// Renames a relevant document, if the line lists grades or ids; of two grades the higher is used.
    pub(crate) fn rename_relevant(&mut self, from: &DocId, to: &DocId) {
        if !self.relevant.contains(from) {
            return;
        }
        for key in questions::RELEVANT {
            match self.fields.get_mut(key) {
                Some(Value::Object(grades)) => {
                    let known = std::mem::take(grades);
                    for (doc, grade) in known {
                        let doc = if doc == from.as_str() { to.to_string() } else { doc };
                        match grades.get(&doc).and_then(Value::as_i64) {
                            Some(other) if Some(other) >= grade.as_i64() => {}
                            _ => {
                                grades.insert(doc, grade);
                            }
                        }
                    }
                    self.is_changed = true;
                }
                Some(Value::Array(docs)) => {
                    docs.iter_mut()
                        .filter(|doc| doc.as_str() == Some(from.as_str()))
                        .for_each(|doc| *doc = json!(to));
                    self.is_changed = true;
                }
                _ => {}
            }
        }
        self.relevant.iter_mut().filter(|doc| *doc == from).for_each(|doc| *doc = to.clone());
    }

    /// Copies the relevance grade of `other` to `doc`, if the line lists grades: part of its text has moved to `doc`.
    pub(crate) fn relevant_as(&mut self, other: &DocId, doc: &DocId) {
        for key in questions::RELEVANT {
            if let Some(Value::Object(grades)) = self.fields.get_mut(key)
                && let (Some(grade), None) =
                    (grades.get(other.as_str()).cloned(), grades.get(doc.as_str()))
            {
                grades.insert(doc.to_string(), grade);
                self.relevant.push(doc.clone());
                self.is_changed = true;
            }
        }
    }
}

fn label_line(place: Place, raw: &str) -> Result<LabelLine, DatasetError> {
    let fields: Map<String, Value> = read::json(&place, raw)?;
    let mut record = JsonRecord::parse(place, raw)?;
    let id: Id = record.need(&questions::ID, "a string that is not empty, or a whole number")?;
    record.identify(&id);
    let text: String = record.need(&questions::TEXT, "a string")?;
    let answers: Option<Value> =
        record.take(&["answers", "answer"], "a string or a list of strings")?;
    let evidence: Option<Vec<Value>> = record.take(&["evidence"], "a list of groups")?;
    let relevant: Option<Value> = record.take(&questions::RELEVANT, "an object or a list")?;
    let required: Option<Vec<Value>> = record.take(&["required"], "a list of facts")?;
    let mut pieces = Vec::new();
    for (group, value) in evidence.unwrap_or_default().into_iter().enumerate() {
        match value {
            Value::Array(members) => {
                for (member, value) in members.into_iter().enumerate() {
                    pieces.push(piece(&record, value, (group, Some(member)))?);
                }
            }
            member => pieces.push(piece(&record, member, (group, None))?),
        }
    }
    let place = record.place().clone();
    let relevant = match relevant {
        Some(Value::Object(grades)) => grades.into_iter().map(|(doc, _)| doc.into()).collect(),
        Some(Value::Array(docs)) => strings(docs).into_iter().map(DocId::from).collect(),
        _ => pieces.iter().map(|piece: &LabelMember| piece.doc.clone()).collect(),
    };
    let answers = answers.map(wordings).unwrap_or_default();
    let required = required.unwrap_or_default().into_iter().map(wordings).collect();
    let raw = raw.to_owned();
    Ok(LabelLine {
        place,
        id: id.0,
        text,
        answers,
        required,
        pieces,
        relevant,
        raw,
        fields,
        is_changed: false,
    })
}

fn piece(
    record: &JsonRecord,
    value: Value,
    at: (usize, Option<usize>),
) -> Result<LabelMember, DatasetError> {
    let mut member = JsonRecord::inside(record.place(), "evidence", value)?;
    let doc = DocId::from(member.need::<Id>(&["doc"], "a document's id")?.0);
    let quotes: Option<Vec<String>> = member.take(&["quotes"], "a list of strings")?;
    let ranges: Option<Vec<ByteRange>> =
        member.take(&["ranges"], "a list of `[start, end]` in bytes")?;
    Ok(LabelMember {
        doc,
        quotes: quotes.unwrap_or_default(),
        ranges: ranges.unwrap_or_default(),
        at,
    })
}

/// Parses a string or a list of strings.
fn wordings(value: Value) -> Vec<String> {
    match value {
        Value::Array(values) => strings(values),
        one => strings(vec![one]),
    }
}

fn strings(values: Vec<Value>) -> Vec<String> {
    let strings = values.into_iter().filter_map(|value| match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    });
    strings.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(lines: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join(questions::FILE), lines).expect("written");
        folder
    }

    fn text(folder: &tempfile::TempDir) -> String {
        fs::read_to_string(folder.path().join(questions::FILE)).expect("readable")
    }

    #[test]
    fn a_line_that_nothing_changed_in_keeps_its_bytes() {
        let lines = "{\"id\":  \"q\", \"text\": \"Z\\u00fcrich?\"}\n{\"text\": \"why?\", \"id\": 2, \"evidence\": [{\"doc\": \"a\", \"quotes\": [\"x\"]}]}\n";
        let folder = written(lines);
        let read = labels(folder.path()).expect("reads");
        write_labels(folder.path(), &read).expect("written");
        assert_eq!(text(&folder), lines);
    }

    #[test]
    fn a_mended_piece_and_a_renamed_document_leave_all_else_in_its_order() {
        let folder = written(
            "{\"text\": \"why?\", \"id\": \"q\", \"evidence\": [[{\"doc\": \"a\", \"quotes\": [\"x\"]}], {\"doc\": \"b\", \"ranges\": [[0, 2]]}], \"relevant\": {\"a\": 3, \"b\": 1}, \"_note\": 1}\n",
        );
        let mut lines = labels(folder.path()).expect("reads");
        assert_eq!(lines[0].pieces.len(), 2);
        lines[0].set_piece(0, "new".into(), vec!["y".to_owned()], Vec::new());
        lines[0].set_piece(1, "b".into(), Vec::new(), vec![(4, 6).into()]);
        lines[0].rename_relevant(&"a".into(), &"new".into());
        write_labels(folder.path(), &lines).expect("written");
        assert_eq!(
            text(&folder),
            "{\"text\": \"why?\", \"id\": \"q\", \"evidence\": [[{\"doc\": \"new\", \"quotes\": [\"y\"]}], {\"doc\": \"b\", \"ranges\": [[4, 6]]}], \"relevant\": {\"new\": 3, \"b\": 1}, \"_note\": 1}\n"
        );
    }

    #[test]
    fn what_stands_around_a_changed_line_stays_and_of_two_grades_the_higher_holds() {
        let other = "{\"id\": \"r\", \"text\":   \"?\"}";
        let line = "{\"id\": \"q\", \"text\": \"?\", \"relevant\": {\"old\": 3, \"new\": 0}}";
        let folder = written(&format!("\u{feff}{line}\r\n\r\n{other}\r\n"));
        let mut lines = labels(folder.path()).expect("reads");
        for line in &mut lines {
            line.rename_relevant(&"old".into(), &"new".into());
        }
        let added = "{\"id\": \"late\", \"text\": \"?\"}\n";
        fs::write(folder.path().join(questions::FILE), text(&folder) + added).expect("added");
        write_labels(folder.path(), &lines).expect("written");
        let renamed = "{\"id\": \"q\", \"text\": \"?\", \"relevant\": {\"new\": 3}}";
        assert_eq!(text(&folder), format!("\u{feff}{renamed}\r\n\r\n{other}\r\n{added}"));
        // The line that was read no longer exists.
        let again = write_labels(folder.path(), &lines);
        assert!(matches!(again, Err(DatasetError::ChangedMeanwhile { .. })), "{again:?}");
    }

    #[test]
    fn nothing_is_written_while_somebody_labels() {
        let folder = written("{\"id\": \"q\", \"text\": \"?\"}\n");
        let lines = labels(folder.path()).expect("reads");
        let labelling =
            super::super::Appended::open(&folder.path().join(questions::FILE)).expect("opens");
        assert!(matches!(write_labels(folder.path(), &lines), Err(DatasetError::Busy { .. })));
        drop(labelling);
        write_labels(folder.path(), &lines).expect("written");
    }

    #[test]
    fn what_a_loader_refuses_can_be_read() {
        let folder = written(
            "{\"id\": \"q\", \"text\": \"?\", \"kind\": \"spam\", \"answers\": \"a\", \"evidence\": [{\"doc\": \"gone\", \"quotes\": [\"x\"]}]}\n",
        );
        let lines = labels(folder.path()).expect("reads");
        assert_eq!(
            (lines[0].answers.as_slice(), lines[0].relevant.as_slice()),
            (["a".to_owned()].as_slice(), ["gone".into()].as_slice())
        );
        let folder = written("{\"id\": \"q\", \"text\": \"?\", \"evidence\": [7]}\n");
        assert!(labels(folder.path()).is_err());
    }
}
