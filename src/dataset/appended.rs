//! One's own `questions.jsonl`, to which lines are added; what is in it is never touched.

use std::collections::HashSet;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::record::Id;
use super::{DatasetError, read};
use crate::text::quote::one_spaced;
use crate::types::Question;

/// The file, open and locked, with what it holds already.
#[derive(Debug)]
pub struct Appended {
    path: PathBuf,
    file: File,
    ids: HashSet<String>,
    texts: HashSet<String>,
    /// Whether the last line lacks its line feed.
    is_open_ended: bool,
}

/// What of a question is looked at here; the rest is the loader's.
#[derive(Deserialize)]
struct Known {
    #[serde(alias = "query_id", alias = "_id")]
    id: Id,
    #[serde(alias = "question", alias = "query")]
    text: String,
}

impl Appended {
    /// Opens `path`, made where it is not there.
    ///
    /// # Errors
    /// `Write`, `Busy`, and for what is in it `Read`, `Utf8`, `Json`.
    pub fn open(path: &Path) -> Result<Self, DatasetError> {
        let unwritable = |source| DatasetError::Write { path: path.to_owned(), source };
        let file = OpenOptions::new().append(true).create(true).open(path).map_err(unwritable)?;
        if let Err(TryLockError::WouldBlock) = file.try_lock() {
            return Err(DatasetError::Busy { path: path.to_owned() });
        }
        let (mut ids, mut texts) = (HashSet::new(), HashSet::new());
        read::lines(path, |place, line| {
            let Known { id, text } = read::json(&place, line)?;
            ids.insert(id.0);
            texts.insert(one_spaced(&text));
            Ok(())
        })?;
        let text = read::text(path)?;
        let is_open_ended = !text.is_empty() && !text.ends_with('\n');
        Ok(Self { path: path.to_owned(), file, ids, texts, is_open_ended })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether a question of that id or that text, white space alike, is in it.
    #[must_use]
    pub fn holds(&self, question: &Question) -> bool {
        self.ids.contains(question.id.as_str()) || self.texts.contains(&one_spaced(&question.text))
    }

    /// Adds `line`, which is `question`'s, in one write: a kill leaves it whole or not at all.
    ///
    /// # Errors
    /// `Write`.
    pub fn append(&mut self, question: &Question, line: &str) -> Result<(), DatasetError> {
        let before = if self.is_open_ended { "\n" } else { "" };
        let written = self.file.write_all(format!("{before}{line}\n").as_bytes());
        written.map_err(|source| DatasetError::Write { path: self.path.clone(), source })?;
        self.is_open_ended = false;
        self.ids.insert(question.id.to_string());
        self.texts.insert(one_spaced(&question.text));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(id: &str, text: &str) -> Question {
        serde_json::from_value(serde_json::json!({ "id": id, "text": text, "kind": "free" })).expect("a question")
    }

    #[test]
    fn lines_are_added_and_what_is_there_stays_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("questions.jsonl");
        // By hand, without a line feed at its end.
        let before = "{\"id\": 1, \"query\": \"How  long?\", \"_by\": \"me\"}";
        std::fs::write(&path, before).expect("written");
        let mut file = Appended::open(&path).expect("opens");
        assert!(file.holds(&question("1", "else")) && file.holds(&question("2", " How long? ")));
        assert!(!file.holds(&question("2", "Why?")));
        for id in ["2", "3"] {
            file.append(&question(id, id), &format!("{{\"id\": \"{id}\", \"text\": \"{id}\"}}")).expect("written");
        }
        assert!(file.holds(&question("2", "Why?")));
        assert!(matches!(Appended::open(&path), Err(DatasetError::Busy { .. })), "one writer at a time");
        drop(file);
        let after = std::fs::read_to_string(&path).expect("there");
        assert_eq!(
            after,
            format!("{before}\n{{\"id\": \"2\", \"text\": \"2\"}}\n{{\"id\": \"3\", \"text\": \"3\"}}\n")
        );
        assert!(Appended::open(&path).expect("opens").holds(&question("3", "")));
    }

    #[test]
    fn a_file_that_does_not_read_is_not_added_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("questions.jsonl");
        std::fs::write(&path, "{\"id\": \"1\", \"te").expect("written");
        assert!(matches!(Appended::open(&path), Err(DatasetError::Json { .. })));
        assert!(matches!(Appended::open(&folder.path().join("no/such")), Err(DatasetError::Write { .. })));
    }
}
