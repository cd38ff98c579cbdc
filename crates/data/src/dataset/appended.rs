//! Adds lines to a native `questions.jsonl`; of the existing ones only that of a question labelled again is replaced.

use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use crate::dataset::jsonl::QuestionRecord;
use crate::dataset::read;
use crate::error::Error;
use crate::run::{SHARED, write_file};
use ragtriage_core::text::quote::one_spaced;
use ragtriage_core::types::Question;

/// The file with its existing questions; open and locked if it exists.
#[derive(Debug)]
pub struct Appended {
    path: PathBuf,
    /// `None` until the file is created.
    file: Option<File>,
    /// The text of each id.
    ids: HashMap<String, String>,
    texts: HashSet<String>,
    /// Its length as last read or written.
    n_bytes: u64,
    /// True if the last line lacks its line feed.
    is_open_ended: bool,
}

impl Appended {
    /// Opens `path`. A missing file is not created yet, so that an error before the first line leaves no empty file; its
    /// folder must exist.
    ///
    /// # Errors
    /// A file that is not regular, is being written, or has a line that is no question.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let (mut ids, mut texts) = (HashMap::new(), HashSet::new());
        if std::fs::metadata(path).is_ok_and(|found| !found.is_file()) {
            return Err(Error::new(
                format!("`{}` is not a regular file", path.display()),
                "name a regular file: the questions that it has are read, and lines are added",
            ));
        }
        let file = match OpenOptions::new().append(true).open(path) {
            Err(error) if error.kind() == ErrorKind::NotFound && has_folder(path) => {
                return Ok(Self {
                    path: path.to_owned(),
                    file: None,
                    ids,
                    texts,
                    n_bytes: 0,
                    is_open_ended: false,
                });
            }
            opened => locked(path, opened.map_err(Error::io("write", path))?)?,
        };
        let n_bytes = file.metadata().map_err(|source| Error::read(path, source))?.len();
        read::lines(path, |place, line| {
            let record: QuestionRecord = read::json(place, line)?;
            let Some(id) = record.id else {
                return Err(Error::record(place, "missing field `id`"));
            };
            let text = one_spaced(&record.text);
            ids.insert(id.0, text.clone());
            texts.insert(text);
            Ok(())
        })?;
        let text = read::text(path)?;
        let is_open_ended = !text.is_empty() && !text.ends_with('\n');
        Ok(Self { path: path.to_owned(), file: Some(file), ids, texts, n_bytes, is_open_ended })
    }

    /// Creates the file if it is missing, so that no other process takes it between two lines.
    ///
    /// # Errors
    /// Another process created it in the meantime: its contents have not been read.
    pub fn make(&mut self) -> Result<(), Error> {
        if self.file.is_some() {
            return Ok(());
        }
        let opened = OpenOptions::new().append(true).create_new(true).open(&self.path);
        let file = opened.map_err(|source| match source.kind() {
            ErrorKind::AlreadyExists => busy(&self.path),
            _ => Error::io("write", &self.path)(source),
        })?;
        self.file = Some(locked(&self.path, file)?);
        Ok(())
    }

    /// Returns the file's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns true if it contains a question of that id or that text, up to white space.
    #[must_use]
    pub fn holds(&self, question: &Question) -> bool {
        self.ids.contains_key(question.id.as_str())
            || self.texts.contains(&one_spaced(&question.text))
    }

    /// Returns true if it contains a question of that text, whose white space is single blanks.
    pub(super) fn holds_text(&self, text: &str) -> bool {
        self.texts.contains(text)
    }

    /// Returns the text of another question, up to white space, under the id of `question`.
    #[must_use]
    pub fn other_text(&self, question: &Question) -> Option<&str> {
        let known = self.ids.get(question.id.as_str())?;
        (*known != one_spaced(&question.text)).then_some(known)
    }

    /// Writes `line`, the serialised `question`, in place of the line with its id, or appends it if there is none. The file is
    /// replaced as a whole.
    ///
    /// # Errors
    /// As [`Self::append`].
    pub fn put(&mut self, question: &Question, line: &str) -> Result<(), Error> {
        if !self.ids.contains_key(question.id.as_str()) {
            return self.append(question, line);
        }
        self.check_unchanged()?;
        let mut after = String::new();
        read::lines(&self.path, |place, old| {
            let is_it = read::json::<QuestionRecord>(place, old)?
                .id
                .is_some_and(|id| id.0 == question.id.as_str());
            after.push_str(if is_it { line } else { old });
            after.push('\n');
            Ok(())
        })?;
        let mode =
            self.file.as_ref().and_then(|file| file.metadata().ok()).map_or(SHARED, |it| it.mode());
        write_file(&self.path, mode, |file| file.write_all(after.as_bytes()))
            .map_err(Error::io("write", &self.path))?;
        *self = Self::open(&self.path)?;
        Ok(())
    }

    /// Appends `line`, the serialised `question`, in one write, so that a kill cannot leave a
    /// partial line; nor does a full disk.
    ///
    /// # Errors
    /// Another program has replaced, removed or changed the file.
    pub fn append(&mut self, question: &Question, line: &str) -> Result<(), Error> {
        self.make()?;
        let before = if self.is_open_ended { "\n" } else { "" };
        let text = format!("{before}{line}\n");
        self.check_unchanged()?;
        let file = self.file.as_mut().expect("it was just made");
        file.write_all(text.as_bytes()).map_err(|error| {
            let _ = file.set_len(self.n_bytes); // removes a partial line; the first error is more informative
            Error::io("write", &self.path)(error)
        })?;
        self.n_bytes += text.len() as u64;
        self.is_open_ended = false;
        let text = one_spaced(&question.text);
        self.ids.insert(question.id.to_string(), text.clone());
        self.texts.insert(text);
        Ok(())
    }

    fn check_unchanged(&self) -> Result<(), Error> {
        if self.file.as_ref().is_some_and(|file| is_unchanged(&self.path, file, self.n_bytes)) {
            return Ok(());
        }
        let path = self.path.display();
        Err(Error::new(
            format!(
                "`{path}` was replaced, removed or changed by another program; this question was not written"
            ),
            "start again; questions already in the file are not asked again",
        ))
    }
}

/// Returns true if `path` still names `file`, with this length: an editor replaces a file, and lines appended to the
/// replaced one would be lost.
fn is_unchanged(path: &Path, file: &File, n_bytes: u64) -> bool {
    match (std::fs::metadata(path), file.metadata()) {
        (Ok(named), Ok(held)) => {
            (named.dev(), named.ino()) == (held.dev(), held.ino()) && held.len() == n_bytes
        }
        _ => false,
    }
}

/// Locks `file`, opened at `path`, against other writers.
fn locked(path: &Path, file: File) -> Result<File, Error> {
    // Any other error comes from a file system without lock support.
    if let Err(TryLockError::WouldBlock) = file.try_lock() {
        return Err(busy(path));
    }
    Ok(file)
}

fn busy(path: &Path) -> Error {
    Error::new(format!("another process is writing `{}`", path.display()), "wait until it ends")
}

fn has_folder(path: &Path) -> bool {
    path.parent().is_some_and(|folder| folder.as_os_str().is_empty() || folder.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::lint::finding::Rule;
    use crate::error::Kind;

    fn assert_busy(written: Result<(), Error>) {
        let error = written.expect_err("one writer at a time").to_string();
        assert!(error.starts_with("another process is writing"), "{error}");
    }

    fn question(id: &str, text: &str) -> Question {
        serde_json::from_value(serde_json::json!({ "id": id, "text": text, "kind": "free" }))
            .expect("a question")
    }

    #[test]
    fn another_text_under_an_id_is_told() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("questions.jsonl");
        let line = "{\"id\": \"z\", \"text\": \"How  long?\", \"answers\": [\"b\", \"a\"]}\n";
        std::fs::write(&path, line).expect("written");
        let file = Appended::open(&path).expect("opens");
        assert_eq!(file.other_text(&question("z", "Why?")), Some("How long?"));
        assert_eq!(file.other_text(&question("z", "How long?")), None);
        assert_eq!(file.other_text(&question("y", "Why?")), None);
    }

    #[test]
    fn lines_are_added_and_what_is_there_stays_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("questions.jsonl");
        // Edited by hand, without a line feed at its end.
        let before = "{\"id\": 1, \"query\": \"How  long?\", \"_by\": \"me\"}";
        std::fs::write(&path, before).expect("written");
        let mut file = Appended::open(&path).expect("opens");
        assert!(file.holds(&question("1", "else")) && file.holds(&question("2", " How long? ")));
        assert!(!file.holds(&question("2", "Why?")));
        for id in ["2", "3"] {
            file.append(&question(id, id), &format!("{{\"id\": \"{id}\", \"text\": \"{id}\"}}"))
                .expect("written");
        }
        assert!(file.holds(&question("2", "Why?")));
        assert_busy(Appended::open(&path).map(drop));
        drop(file);
        let after = std::fs::read_to_string(&path).expect("there");
        assert_eq!(
            after,
            format!(
                "{before}\n{{\"id\": \"2\", \"text\": \"2\"}}\n{{\"id\": \"3\", \"text\": \"3\"}}\n"
            )
        );
        assert!(Appended::open(&path).expect("opens").holds(&question("3", "")));
    }

    #[test]
    fn a_question_that_is_there_is_replaced_and_the_others_stay_as_they_are() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("questions.jsonl");
        let (first, last) = (
            "{\"id\": 1, \"query\": \"How  long?\", \"_by\": \"me\"}",
            "{\"id\": \"3\", \"text\": \"3\"}",
        );
        std::fs::write(&path, format!("{first}\n{{\"id\": \"2\", \"text\": \"2\"}}\n{last}"))
            .expect("written");
        let mut file = Appended::open(&path).expect("opens");
        let again = "{\"id\": \"2\", \"text\": \"2\", \"kind\": \"free\"}";
        file.put(&question("2", "2"), again).expect("written");
        file.put(&question("4", "4"), "{\"id\": \"4\", \"text\": \"4\"}").expect("written");
        let written = std::fs::read_to_string(&path).expect("there");
        assert_eq!(
            written,
            format!("{first}\n{again}\n{last}\n{{\"id\": \"4\", \"text\": \"4\"}}\n")
        );
        assert_busy(Appended::open(&path).map(drop));
        std::fs::write(&path, "").expect("emptied");
        assert!(file.put(&question("2", "2"), again).is_err());
        assert_eq!(std::fs::read_to_string(&path).expect("there"), "", "an edit is not undone");
    }

    #[test]
    fn a_file_that_is_not_there_is_made_once_it_is_wanted() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("questions.jsonl");
        let (mut first, mut second) =
            (Appended::open(&path).expect("opens"), Appended::open(&path).expect("opens"));
        assert!(!path.exists() && !first.holds(&question("1", "Why?")));
        first
            .append(&question("1", "Why?"), "{\"id\": \"1\", \"text\": \"Why?\"}")
            .expect("written");
        assert_busy(second.make());
        first.make().expect("is made");
        drop(first);
        assert_eq!(
            std::fs::read_to_string(&path).expect("there"),
            "{\"id\": \"1\", \"text\": \"Why?\"}\n"
        );
        assert_busy(second.make()); // it holds what the second did not see
    }

    #[test]
    fn a_file_that_does_not_read_is_not_added_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("questions.jsonl");
        std::fs::write(&path, "{\"id\": \"1\", \"te").expect("written");
        let error = Appended::open(&path).expect_err("not JSON");
        assert_eq!(error.kind, Kind::Data(Rule::BrokenLine));
        let error = Appended::open(&folder.path().join("no/such")).expect_err("no folder");
        assert!(error.to_string().starts_with("cannot write"), "{error}");
    }

    #[test]
    fn a_file_that_another_program_changed_is_not_added_to() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("questions.jsonl");
        let line = "{\"id\": \"1\", \"text\": \"1\"}";
        let changes: [fn(&Path); 3] = [
            |path| std::fs::remove_file(path).expect("removed"),
            |path| {
                let copy = path.with_extension("new");
                std::fs::copy(path, &copy).expect("copied");
                std::fs::rename(copy, path).expect("replaced");
            },
            |path| std::fs::write(path, "").expect("emptied"),
        ];
        for change in changes {
            let _ = std::fs::remove_file(&path); // the first time there is none
            let mut file = Appended::open(&path).expect("opens");
            file.append(&question("1", "1"), line).expect("written");
            change(&path);
            let error = file.append(&question("2", "2"), line).expect_err("changed");
            assert!(error.to_string().contains("changed by another program"), "{error}");
        }
    }
}
