//! The folder of a sweep, with the runs of its trials.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::Error;
use ragtriage_data::run::{Kind, RunFolder};

/// Lock file that marks a sweep folder.
const LOCK: &str = "lock";

/// A sweep's folder, locked against other processes.
#[derive(Debug)]
pub struct SweepFolder {
    folder: RunFolder,
    /// Held as long as this lives.
    _lock: File,
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
        let lock = OpenOptions::new()
            .write(true)
            .mode(0o600)
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
        Ok(Self { folder, _lock: lock })
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
}

/// Returns true for the folder of a sweep: one with a lock, or an empty one, whose sweep was killed before it had any.
fn is_sweep(path: &Path) -> bool {
    path.join(LOCK).is_file() || RunFolder::existing(path).is_unused()
}

fn io<'a>(action: &'static str, path: &'a Path) -> impl FnOnce(std::io::Error) -> Error + 'a {
    let hint = "check that the folder is writable, or choose another with `--out`";
    move |error| Error::io(action, path, &error).with_hint(hint)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

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
