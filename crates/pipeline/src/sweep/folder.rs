//! The folder of a sweep: the runs of its trials, and the log of held-out evaluations.

use std::collections::BTreeSet;
use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::Error;
use ragtriage_core::metric::Metric;
use ragtriage_data::run::{Kind, RunFolder};

/// Log of held-out evaluations in the parent folder, shared by all sweeps: they use the same held-out questions.
const EVALUATIONS: &str = "held_out_evaluations.jsonl";
/// Lock file that marks a sweep folder.
const LOCK: &str = "lock";

/// A sweep's folder, locked against other processes.
#[derive(Debug)]
pub struct SweepFolder {
    folder: RunFolder,
    evaluations: PathBuf,
    /// Held as long as this lives.
    _lock: File,
}

/// A comparison with the default on held-out questions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldOutEvaluation {
    /// Time of the evaluation, UTC, RFC 3339.
    pub at: String,
    /// The hash of the held-out questions.
    pub questions: String,
    /// Hash of the default's configuration.
    pub default: String,
    /// Hash of the compared trial's configuration.
    pub trial: String,
    /// The metric.
    #[serde(alias = "measure")]
    pub metric: Metric,
}

impl SweepFolder {
    /// Opens the folder `name` under `parent`, or creates it.
    ///
    /// # Errors
    /// `Busy` if another process uses it, `Store` for a name that is not a plain file name, `Io`.
    pub fn open(parent: &Path, name: &str) -> Result<Self, Error> {
        let path = parent.join(name);
        let folder = match RunFolder::create(parent, name) {
            Err(error) if error.kind == Kind::Exists && is_sweep(&path) => {
                RunFolder::existing(&path)
            }
            made => made?,
        };
        let file = folder.file(LOCK);
        let lock = private()
            .read(true)
            .create(true)
            .truncate(false)
            .open(&file)
            .map_err(io("create", &file))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let error = format!("another sweep is running in `{}`", path.display());
                return Err(Error::other(error).with_hint(
                    "wait until it ends, or give this sweep another name with `--name`",
                ));
            }
            Err(TryLockError::Error(error)) => return Err(io("lock", &file)(error)),
        }
        let runs = folder.file("runs");
        let mut private_folder = DirBuilder::new();
        let created = private_folder.recursive(true).mode(0o700).create(&runs);
        created.map_err(io("create", &runs))?;
        Ok(Self { folder, evaluations: parent.join(EVALUATIONS), _lock: lock })
    }

    /// Returns the folder's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the folder of its runs.
    #[must_use]
    pub fn runs(&self) -> PathBuf {
        self.folder.file("runs")
    }

    /// Writes a whole file atomically.
    ///
    /// # Errors
    /// `Store`.
    pub fn write(&self, name: &str, content: &[u8]) -> Result<(), Error> {
        Ok(self.folder.write(name, content)?)
    }

    /// Appends evaluations to the log and returns the number of distinct comparisons with a default on the questions of the last,
    /// over all sweeps of the same parent folder. An unreadable line counts as one.
    ///
    /// # Errors
    /// `Io`.
    pub fn record_evaluations(&self, evaluations: &[HeldOutEvaluation]) -> Result<usize, Error> {
        let path = &self.evaluations;
        let mut file =
            private().read(true).append(true).create(true).open(path).map_err(io("open", path))?;
        file.lock().map_err(io("lock", path))?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(io("read", path))?;
        let torn = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let line = |evaluation: &HeldOutEvaluation| {
            serde_json::to_string(evaluation).expect("plain JSON") + "\n"
        };
        let new: String =
            [torn.to_owned()].into_iter().chain(evaluations.iter().map(line)).collect();
        file.write_all(new.as_bytes())
            .and_then(|()| file.sync_data())
            .map_err(io("write", path))?;
        let questions = evaluations.last().map(|evaluation| evaluation.questions.as_str());
        let known: Vec<Result<HeldOutEvaluation, _>> =
            (text + &new).lines().filter(|l| !l.is_empty()).map(serde_json::from_str).collect();
        let here = known
            .iter()
            .flatten()
            .filter(|evaluation| Some(evaluation.questions.as_str()) == questions);
        let compared: BTreeSet<(&str, &str, Metric)> = here
            .map(|evaluation| {
                (evaluation.default.as_str(), evaluation.trial.as_str(), evaluation.metric)
            })
            .collect();
        Ok(compared.len() + known.iter().filter(|evaluation| evaluation.is_err()).count())
    }
}

/// Returns true for the folder of a sweep: one with a lock, or an empty one, whose sweep was killed before it had any.
fn is_sweep(path: &Path) -> bool {
    path.join(LOCK).is_file() || RunFolder::existing(path).is_unused()
}

fn io<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(std::io::Error) -> Error + 'a {
    let hint = "check that the folder is writable, or choose another with `--out`";
    move |error| Error::io(action, path, &error).with_hint(hint)
}

/// Opens files readable only by their owner, like a run's.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    options
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn evaluation(questions: &str, trial: &str) -> HeldOutEvaluation {
        HeldOutEvaluation {
            at: "2026-01-01T00:00:00Z".to_owned(),
            questions: questions.to_owned(),
            default: "d".to_owned(),
            trial: trial.to_owned(),
            metric: "EM@5".parse().expect("a metric"),
        }
    }

    #[test]
    fn looks_are_counted_by_what_was_compared_on_the_same_questions() {
        let parent = tempfile::tempdir().expect("a folder");
        let looked = |all: &[(&str, &str)]| -> Vec<usize> {
            let folder = SweepFolder::open(parent.path(), "sweep").expect("opened");
            all.iter()
                .map(|(questions, trial)| {
                    folder.record_evaluations(&[evaluation(questions, trial)]).expect("recorded")
                })
                .collect()
        };
        assert_eq!(looked(&[("q", "a"), ("q", "a"), ("q", "b")]), [1, 1, 2]);
        // A later evaluation by another process: earlier ones still count; other questions are
        // fresh.
        assert_eq!(looked(&[("q", "c"), ("other", "c")]), [3, 1]);
    }

    #[test]
    fn a_torn_line_is_a_look_and_ends_nothing() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = SweepFolder::open(parent.path(), "sweep").expect("opened");
        assert_eq!(folder.record_evaluations(&[evaluation("q", "a")]).expect("recorded"), 1);
        let path = parent.path().join(EVALUATIONS);
        let text = fs::read_to_string(&path).expect("there");
        fs::write(&path, &text[..text.len() - 9]).expect("torn");
        // The torn line counts as one, the new one as another.
        assert_eq!(folder.record_evaluations(&[evaluation("q", "b")]).expect("recorded"), 2);
        assert_eq!(folder.record_evaluations(&[evaluation("q", "b")]).expect("recorded"), 2);
    }

    #[test]
    fn a_name_that_leaves_the_folder_is_refused() {
        let parent = tempfile::tempdir().expect("a folder");
        assert!(SweepFolder::open(parent.path(), "..").is_err());
    }

    #[test]
    fn a_folder_is_one_process_s_at_a_time() {
        let parent = tempfile::tempdir().expect("a folder");
        let first = SweepFolder::open(parent.path(), "sweep").expect("opened");
        let second = SweepFolder::open(parent.path(), "sweep");
        assert!(
            second.is_err_and(|error| error.to_string().starts_with("another sweep is running"))
        );
        drop(first);
        assert!(SweepFolder::open(parent.path(), "sweep").is_ok());
    }

    #[test]
    fn a_folder_that_a_killed_sweep_left_is_opened_and_another_s_is_not() {
        let parent = tempfile::tempdir().expect("a folder");
        let open = || SweepFolder::open(parent.path(), "sweep");
        // Killed before the lock, and before the folder of runs.
        fs::create_dir(parent.path().join("sweep")).expect("made");
        drop(open().expect("opened"));
        fs::remove_dir(parent.path().join("sweep/runs")).expect("removed");
        assert!(open().expect("opened").runs().is_dir());
        fs::rename(parent.path().join("sweep/lock"), parent.path().join("sweep/notes.md"))
            .expect("renamed");
        assert!(open().is_err());
    }
}
