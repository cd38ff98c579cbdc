//! A temporary folder next to a set's location, in which the set is built.

use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};

use ragtriage_datasets::DatasetError;

/// The name of a replaced set in the folder it is moved to.
const SET: &str = "set";

/// The temporary folder; removed on drop.
pub(super) struct SetScratch {
    path: PathBuf,
    root: PathBuf,
    name: String,
}

impl SetScratch {
    /// Creates an empty one in `root` for the set `name`, not shared with other processes.
    pub(super) fn new(root: &Path, name: &str, purpose: &str) -> Result<Self, DatasetError> {
        let path = root.join(format!(".{name}.{}.{purpose}", std::process::id()));
        let _ = fs::remove_dir_all(&path); // left by a killed process with this id, if any
        fs::create_dir_all(&path).map_err(DatasetError::write(&path))?;
        Ok(Self { path, root: root.to_owned(), name: name.to_owned() })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Replaces `target`, if it exists, with the folder.
    pub(super) fn install(self, target: &Path) -> Result<(), DatasetError> {
        let earlier = Self::new(&self.root, &self.name, "old")?;
        let _held = lock(&earlier.path); // without a lock if the file system has none
        let old = earlier.path.join(SET);
        if target.exists() {
            fs::rename(target, &old).map_err(DatasetError::write(target))?;
        }
        fs::rename(&self.path, target).map_err(|error| {
            let _ = fs::rename(old, target); // restores the old set; the first error is more informative
            DatasetError::write(target)(error)
        })
    }
}

impl Drop for SetScratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path); // after the rename there is nothing left to remove
    }
}

/// Restores the set `name` of `root` if a process was killed between the two renames of [`SetScratch::install`]: moves the
/// newest replaced copy back, unless its process is alive. If that fails, the set remains missing.
pub(super) fn restore(root: &Path, name: &str) {
    let target = root.join(name);
    if target.exists() {
        return;
    }
    let Some(folder) = moved_aside(root, name) else {
        return;
    };
    let Some(_held) = lock(&folder) else { return };
    if fs::rename(folder.join(SET), &target).is_ok() {
        let _ = fs::remove_dir_all(&folder); // only an empty folder remains
    }
}

/// Returns the newest folder with a set `name` that was moved aside.
fn moved_aside(root: &Path, name: &str) -> Option<PathBuf> {
    let entries = fs::read_dir(root).ok()?.filter_map(Result::ok);
    let begin = format!(".{name}.");
    entries
        .filter(|entry| {
            let file = entry.file_name();
            let file = file.to_string_lossy();
            file.strip_prefix(&begin).and_then(|rest| rest.strip_suffix(".old")).is_some()
        })
        .map(|entry| entry.path())
        .filter(|folder| folder.join(SET).is_dir())
        .max_by_key(|folder| fs::metadata(folder).and_then(|it| it.modified()).ok())
}

/// Takes the lock that marks the process that moved a set to `folder` as alive; `None` if another
/// process holds it.
fn lock(folder: &Path) -> Option<File> {
    let opened =
        OpenOptions::new().write(true).create(true).truncate(false).open(folder.join("lock"));
    opened.ok().filter(|file| file.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::*;

    /// A folder as left by a killed process.
    fn left(root: &Path, folder: &str, text: &str) -> PathBuf {
        let folder = root.join(folder);
        fs::create_dir_all(folder.join(SET)).expect("made");
        fs::write(folder.join("set/CISI.ALL"), text).expect("written");
        folder
    }

    #[test]
    fn the_last_set_that_was_moved_aside_is_put_back_once() {
        let root = tempfile::tempdir().expect("a folder");
        let older = left(root.path(), ".cisi.9.old", "older");
        let past = SystemTime::UNIX_EPOCH + Duration::from_secs(1);
        File::open(&older).and_then(|folder| folder.set_modified(past)).expect("made old");
        let newer = left(root.path(), ".cisi.7.old", "newer");
        let text = || fs::read_to_string(root.path().join("cisi/CISI.ALL")).ok();
        restore(root.path(), "cis");
        restore(root.path(), "cisi2");
        assert_eq!(text(), None);
        restore(root.path(), "cisi");
        assert_eq!((text().as_deref(), newer.exists()), (Some("newer"), false));
        restore(root.path(), "cisi");
        assert_eq!((text().as_deref(), older.exists()), (Some("newer"), true), "there is a set");
    }

    #[test]
    fn a_process_that_lives_keeps_what_it_moved_aside() {
        let root = tempfile::tempdir().expect("a folder");
        let folder = left(root.path(), ".cisi.7.old", "old");
        let held = lock(&folder);
        assert!(held.is_some());
        restore(root.path(), "cisi");
        assert!(!root.path().join("cisi").exists());
        drop(held);
        restore(root.path(), "cisi");
        assert!(root.path().join("cisi/CISI.ALL").exists());
        restore(&root.path().join("no/such"), "cisi");
    }
}
