//! The folder of a sweep: its settings' runs, each kept by what it is, and every look that was taken at held-out questions.

use std::collections::BTreeSet;
use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::SweepError;
use crate::store::RunFolder;

/// A sweep's folder, which no other process works in meanwhile.
#[derive(Debug)]
pub struct SweepFolder {
    folder: RunFolder,
    /// Held as long as this lives.
    _lock: File,
}

/// A comparison with the default on held-out questions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    /// When, UTC, RFC 3339.
    pub at: String,
    /// The hash of the questions' ids and of the data set.
    pub questions: String,
    /// The default's settings, by hash.
    pub default: String,
    /// Those that were compared with it.
    pub setting: String,
}

impl SweepFolder {
    /// Opens the folder `name` under `parent`, or makes it.
    ///
    /// # Errors
    /// `Busy` where another process has it, `Store` for a name that is no plain file name, `Io`.
    pub fn open(parent: &Path, name: &str) -> Result<Self, SweepError> {
        let path = parent.join(name);
        let folder = if path.is_dir() { RunFolder::existing(&path) } else { RunFolder::create(parent, name)? };
        let io = |action, path: PathBuf| move |source| SweepError::Io { action, path, source };
        let runs = folder.file("runs");
        fs::create_dir_all(&runs).map_err(io("create", runs))?;
        let file = folder.file("lock");
        let lock = File::create(&file).map_err(io("create", file.clone()))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { folder, _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(SweepError::Busy { path }),
            Err(TryLockError::Error(source)) => Err(io("lock", file)(source)),
        }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Where its runs are.
    #[must_use]
    pub fn runs(&self) -> PathBuf {
        self.folder.file("runs")
    }

    /// Writes a whole file.
    ///
    /// # Errors
    /// `Store`.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<(), SweepError> {
        Ok(self.folder.write(name, content)?)
    }

    /// Records a look, and says how many different settings have now been compared with a default on these questions.
    ///
    /// # Errors
    /// `Io`, `Damaged`.
    pub fn look(&self, look: &Look) -> Result<usize, SweepError> {
        let path = self.folder.file("looks.jsonl");
        let io = |action| {
            let path = path.clone();
            move |source| SweepError::Io { action, path, source }
        };
        let mut line = serde_json::to_string(look).expect("a look is plain JSON");
        line.push('\n');
        let mut file = File::options().append(true).create(true).open(&path).map_err(io("open"))?;
        file.write_all(line.as_bytes()).and_then(|()| file.sync_data()).map_err(io("write"))?;
        let text = fs::read_to_string(&path).map_err(io("read"))?;
        let looks: Result<Vec<Look>, _> = text.lines().map(serde_json::from_str).collect();
        let looks = looks.map_err(|error| SweepError::Damaged { path: path.clone(), message: error.to_string() })?;
        let pairs: BTreeSet<(&str, &str)> = looks
            .iter()
            .filter(|earlier| earlier.questions == look.questions)
            .map(|earlier| (earlier.default.as_str(), earlier.setting.as_str()))
            .collect();
        Ok(pairs.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn look(questions: &str, setting: &str) -> Look {
        Look {
            at: "2026-01-01T00:00:00Z".to_owned(),
            questions: questions.to_owned(),
            default: "d".to_owned(),
            setting: setting.to_owned(),
        }
    }

    #[test]
    fn looks_are_counted_by_what_was_compared_on_the_same_questions() {
        let parent = tempfile::tempdir().expect("a folder");
        let looked = |all: &[(&str, &str)]| -> Vec<usize> {
            let folder = SweepFolder::open(parent.path(), "sweep").expect("opened");
            all.iter().map(|(questions, setting)| folder.look(&look(questions, setting)).expect("recorded")).collect()
        };
        assert_eq!(looked(&[("q", "a"), ("q", "a"), ("q", "b")]), [1, 1, 2]);
        // Another process's, later: what was looked at stays looked at; other questions are fresh.
        assert_eq!(looked(&[("q", "c"), ("other", "c")]), [3, 1]);
    }

    #[test]
    fn a_folder_is_one_process_s_at_a_time() {
        let parent = tempfile::tempdir().expect("a folder");
        let first = SweepFolder::open(parent.path(), "sweep").expect("opened");
        assert!(matches!(SweepFolder::open(parent.path(), "sweep"), Err(SweepError::Busy { .. })));
        drop(first);
        assert!(SweepFolder::open(parent.path(), "sweep").is_ok());
    }
}
