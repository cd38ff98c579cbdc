//! The folder of an embedded collection: its lock, and the progress of its filling.
//!
//! The engine locks its folder exclusively: it cannot be opened twice, not even for reading. One process at a time
//! holds a collection; any other that opens it meanwhile gets a temporary copy, filled from the collection's files if
//! these are complete, else by its caller. The copy is removed when it is closed; copies of killed processes are
//! removed at the next opening. No process waits for another, nothing is deleted while in use, and the lock of a
//! process that dies is released.
//!
//! The `state` records the progress of filling. An interrupted filling is continued, since the engine's files are
//! consistent after each flush. An interrupted graph build is not: the engine then replaces one set of files by
//! another, and the folder is emptied.
//!
//! ```text
//! <cache>/<collection>/lock         held while the collection is open; never deleted
//! <cache>/<collection>/state        JSON; replaced as a whole
//! <cache>/<collection>/engine/      the engine's files
//! <cache>/<collection>/copy-<id>/   a temporary copy: the same three
//! ```

use std::fs::{self, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::IndexError;

/// Prefix of the names of temporary copies.
const COPY: &str = "copy-";

/// Names tried for a temporary copy. A name is lost only if another process mistakes the new folder for a leftover.
const ATTEMPTS: usize = 16;

/// Progress of filling a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FolderState {
    /// Points are being written.
    Filling,
    /// All points are stored, the graph is being built.
    Building,
    /// Complete, and no file is being changed.
    Whole,
    /// Complete, but a metadata field is being indexed.
    Indexing,
}

#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct StateMarker {
    state: FolderState,
    /// The layout, in the form of the collection's spec.
    layout: String,
    /// Distinguishes two writes of the same state.
    writing: u64,
}

impl StateMarker {
    /// Reads the marker of `folder`; `None` if it is missing or incomplete.
    fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(folder.join("state")).ok()?).ok()
    }
}

/// A locked collection, or a locked temporary copy of one, which is removed on drop.
#[derive(Debug)]
pub(crate) struct CollectionFolder {
    path: PathBuf,
    is_temporary: bool,
    /// Released when it is dropped.
    _lock: File,
}

impl CollectionFolder {
    /// Locks the collection in the folder `collection`, creating it if it is missing; if another process has it open, a
    /// temporary copy of it. Removes the copies of killed processes.
    pub(crate) fn open(collection: &Path) -> Result<Self, IndexError> {
        let held = Self::lock(collection)?;
        remove_leftovers(collection);
        match held {
            Some(folder) => Ok(folder),
            None => Self::copy_of(collection),
        }
    }

    /// Locks the folder `path`, creating it if it is missing; `None` if another process holds it.
    pub(crate) fn lock(path: &Path) -> Result<Option<Self>, IndexError> {
        fs::create_dir_all(path).map_err(at(path))?;
        Self::lock_by(path, File::options().create(true).truncate(false))
    }

    /// Locks the folder `path` if it has a lock file; `None` if another process holds it.
    pub(crate) fn lock_existing(path: &Path) -> Result<Option<Self>, IndexError> {
        Self::lock_by(path, &File::options())
    }

    fn lock_by(path: &Path, options: &OpenOptions) -> Result<Option<Self>, IndexError> {
        let lock_path = path.join("lock");
        let lock = options
            .clone()
            .write(true)
            .open(&lock_path)
            .map_err(at(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Self {
                path: path.to_owned(),
                is_temporary: false,
                _lock: lock,
            })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(IndexError::File {
                path: lock_path,
                source,
            }),
        }
    }

    /// Lists the temporary copies of the collection in the folder `collection`.
    pub(crate) fn copies(collection: &Path) -> Vec<PathBuf> {
        let mut copies = contents(collection);
        copies.retain(|path| is_copy(path));
        copies
    }

    /// Creates a temporary copy: of the collection's files if these are complete, else empty.
    fn copy_of(collection: &Path) -> Result<Self, IndexError> {
        let mut failure = io::Error::from(io::ErrorKind::WouldBlock);
        for _ in 0..ATTEMPTS {
            let path = collection.join(format!("{COPY}{:016x}", random()));
            match Self::lock(&path) {
                // Between its creation and its locking another process may have removed it as a leftover.
                Ok(Some(folder)) if path.join("lock").exists() => {
                    let folder = folder.remove_on_drop();
                    folder.copy_files(collection);
                    return Ok(folder);
                }
                Ok(_) => {}
                Err(IndexError::File { source, .. })
                    if source.kind() == io::ErrorKind::NotFound =>
                {
                    failure = source;
                }
                Err(error) => return Err(error),
            }
        }
        Err(IndexError::File {
            path: collection.to_owned(),
            source: failure,
        })
    }

    /// Copies the files of `collection` if it is complete; stays empty if it is not, or changed during the copying.
    ///
    /// File systems that can share blocks do so (`std::fs::copy`). Hard links would not be safe: the engine writes into
    /// some of its files in place.
    fn copy_files(&self, collection: &Path) {
        let Some(before) =
            StateMarker::read(collection).filter(|found| found.state == FolderState::Whole)
        else {
            return;
        };
        let copied = copy_tree(&collection.join("engine"), &self.engine());
        let is_whole = copied.is_ok() && StateMarker::read(collection).as_ref() == Some(&before);
        if !is_whole || self.set_state(FolderState::Whole, &before.layout).is_err() {
            // Remains are emptied before it is filled.
            let _ = self.empty();
        }
    }

    /// Returns the folder of the engine's files.
    pub(crate) fn engine(&self) -> PathBuf {
        self.path.join("engine")
    }

    /// Returns the progress of filling; `None` if it never began, or if the state cannot be read.
    ///
    /// # Errors
    /// [`IndexError::Mismatch`] when it was filled with another layout.
    pub(crate) fn state(
        &self,
        collection: &str,
        layout: &str,
    ) -> Result<Option<FolderState>, IndexError> {
        let Some(found) = StateMarker::read(&self.path) else {
            return Ok(None);
        };
        if found.layout == layout {
            return Ok(Some(found.state));
        }
        Err(IndexError::Mismatch {
            collection: collection.to_owned(),
            place: self.path.display().to_string(),
            found: found.layout,
            wanted: layout.to_owned(),
        })
    }

    /// Writes the progress of filling. Data that a later state relies on has to be on disk before.
    pub(crate) fn set_state(&self, state: FolderState, layout: &str) -> Result<(), IndexError> {
        let marker = StateMarker {
            state,
            layout: layout.to_owned(),
            writing: random(),
        };
        let text = serde_json::to_vec(&marker).expect("names always serialise");
        let path = self.path.join("state");
        replace(&path, &self.path.join("state.new"), &text).map_err(at(&path))
    }

    /// Deletes everything in it but the lock, and creates the engine's folder.
    pub(crate) fn clear(&self) -> Result<(), IndexError> {
        self.empty()?;
        let engine = self.engine();
        fs::create_dir_all(&engine).map_err(at(&engine))
    }

    /// Deletes the state first, then the engine's files.
    fn empty(&self) -> Result<(), IndexError> {
        for path in [self.path.join("state"), self.engine()] {
            delete(&path)?;
        }
        Ok(())
    }

    /// Deletes everything in it but the lock and the temporary copies.
    pub(crate) fn remove_all(&self) -> Result<(), IndexError> {
        self.empty()?;
        for entry in contents(&self.path).iter().filter(|path| !is_copy(path)) {
            delete(entry)?;
        }
        Ok(())
    }

    /// Marks it for removal on drop.
    pub(crate) fn remove_on_drop(mut self) -> Self {
        self.is_temporary = true;
        self
    }
}

impl Drop for CollectionFolder {
    fn drop(&mut self) {
        if self.is_temporary {
            // What cannot be removed now is removed at the next opening.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Lists the contents of a collection's folder apart from its lock.
pub(crate) fn contents(collection: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(collection).into_iter().flatten().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(|name| name != "lock"))
        .collect()
}

fn is_copy(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().starts_with(COPY)
}

/// Removes the temporary copies that no process holds.
fn remove_leftovers(collection: &Path) {
    for path in CollectionFolder::copies(collection) {
        if let Ok(Some(leftover)) = CollectionFolder::lock_existing(&path) {
            drop(leftover.remove_on_drop());
        }
    }
}

fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_tree(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}

/// Replaces the file `path` atomically, by way of `new`.
fn replace(path: &Path, new: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = File::create(new)?;
    file.write_all(text)?;
    file.sync_all()?;
    fs::rename(new, path)
}

/// Deletes a file or folder, if it is there.
fn delete(path: &Path) -> Result<(), IndexError> {
    let deleted = if path.is_dir() {
        fs::remove_dir_all(path)
    } else {
        fs::remove_file(path)
    };
    match deleted {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(at(path)(error)),
        _ => Ok(()),
    }
}

/// Returns a unique number, in this process and others: the operating system seeds the hasher.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Adds the path to an I/O error.
fn at(path: &Path) -> impl FnOnce(io::Error) -> IndexError {
    let path = path.to_owned();
    |source| IndexError::File { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache() -> tempfile::TempDir {
        tempfile::tempdir().expect("a folder")
    }

    fn open(collection: &Path) -> CollectionFolder {
        CollectionFolder::open(collection).expect("opened")
    }

    /// Returns a locked collection with one file of the engine.
    fn whole(collection: &Path) -> CollectionFolder {
        let folder = open(collection);
        folder.clear().expect("emptied");
        fs::create_dir(folder.engine().join("segments")).expect("made");
        fs::write(folder.engine().join("segments/points"), "x").expect("written");
        folder
            .set_state(FolderState::Whole, "layout")
            .expect("written");
        folder
    }

    #[test]
    fn a_collection_in_use_is_left_alone_and_found_again_once_it_is_free() {
        let cache = cache();
        let first = open(cache.path());
        assert_eq!(first.engine(), cache.path().join("engine"));
        let second = open(cache.path());
        assert_ne!(second.engine(), first.engine());
        drop(first);
        assert_eq!(open(cache.path()).engine(), cache.path().join("engine"));
    }

    #[test]
    fn a_temporary_copy_has_the_files_of_a_whole_collection_and_is_removed_when_closed() {
        let cache = cache();
        let first = whole(cache.path());
        let copy = open(cache.path());
        assert_eq!(
            fs::read_to_string(copy.engine().join("segments/points")).expect("copied"),
            "x"
        );
        assert_eq!(
            copy.state("ab", "layout").expect("read"),
            Some(FolderState::Whole)
        );
        drop(copy);
        assert_eq!(
            CollectionFolder::copies(cache.path()),
            Vec::<PathBuf>::new()
        );
        assert!(first.engine().join("segments/points").exists());
    }

    #[test]
    fn a_collection_that_is_being_changed_is_not_copied() {
        let cache = cache();
        let first = whole(cache.path());
        for state in [
            FolderState::Filling,
            FolderState::Building,
            FolderState::Indexing,
        ] {
            first.set_state(state, "layout").expect("written");
            let copy = open(cache.path());
            assert_eq!(copy.state("ab", "layout").expect("read"), None, "{state:?}");
            assert!(!copy.engine().exists(), "{state:?}");
        }
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_is_in_use_stays() {
        let cache = cache();
        let _first = open(cache.path());
        let in_use = open(cache.path());
        let left = cache.path().join("copy-0123456789abcdef");
        fs::create_dir_all(left.join("engine")).expect("made");
        fs::write(left.join("lock"), "").expect("written");
        let _third = open(cache.path());
        assert!(!left.exists());
        assert!(in_use.path.exists());
        assert_eq!(CollectionFolder::copies(cache.path()).len(), 2);
    }

    #[test]
    fn many_may_have_a_collection_open_at_once() {
        let cache = cache();
        let held: Vec<CollectionFolder> = (0..40).map(|_| open(cache.path())).collect();
        assert_eq!(CollectionFolder::copies(cache.path()).len(), 39);
        drop(held);
        assert_eq!(contents(cache.path()), Vec::<PathBuf>::new());
    }

    #[test]
    fn a_state_is_read_as_it_was_written_and_gone_after_clearing() {
        let cache = cache();
        let folder = open(cache.path());
        assert_eq!(folder.state("ab", "layout").expect("none yet"), None);
        for state in [
            FolderState::Filling,
            FolderState::Building,
            FolderState::Whole,
            FolderState::Indexing,
        ] {
            folder.set_state(state, "layout").expect("written");
            assert_eq!(folder.state("ab", "layout").expect("read"), Some(state));
        }
        folder.clear().expect("cleared");
        assert_eq!(folder.state("ab", "layout").expect("none any more"), None);
    }

    #[test]
    fn a_folder_of_another_layout_is_an_error_that_names_both() {
        let cache = cache();
        let folder = open(cache.path());
        folder
            .set_state(FolderState::Whole, "3 dimensions")
            .expect("written");
        let error = folder
            .state("ab", "4 dimensions")
            .expect_err("another layout")
            .to_string();
        assert!(
            error.ends_with("has layout `3 dimensions`, expected `4 dimensions`"),
            "{error}"
        );
    }

    #[test]
    fn a_torn_state_counts_as_none() {
        let cache = cache();
        let folder = open(cache.path());
        fs::write(cache.path().join("state"), "{\"state\":\"who").expect("written");
        assert_eq!(folder.state("ab", "layout").expect("torn"), None);
    }
}
