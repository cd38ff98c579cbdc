//! The folder of an embedded collection: its lock, and the seal of its files.
//!
//! The engine locks its folder exclusively: it cannot be opened twice, not even for reading. One process at a time
//! holds a collection; any other that opens it meanwhile gets a temporary copy, filled from the collection's files if
//! these are complete, else by its caller. The copy is removed when it is closed; copies of killed processes are
//! removed at the next opening. No process waits for another, nothing is deleted while in use, and the lock of a
//! process that dies is released.
//!
//! The `state` is the seal of the engine's files: their checksums, and whether they are complete. It is removed before the
//! engine changes a file and written after the last change. Files without a seal (of a killed process), or that differ
//! from it (damaged), are never used: the collection is emptied and filled again.
//!
//! ```text
//! <cache>/<collection>/lock         held while the collection is open; never deleted
//! <cache>/<collection>/state        the seal, in JSON; replaced as a whole
//! <cache>/<collection>/engine/      the engine's files
//! <cache>/<collection>/copy-<id>/   a temporary copy: the same three
//! ```

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use super::error::IndexError;
use super::seal::{Seal, replace};

/// Prefix of the names of temporary copies.
const COPY: &str = "copy-";

/// Names tried for a temporary copy. A name is lost only if another process mistakes the new folder for a leftover.
const ATTEMPTS: usize = 16;

/// Contents of a locked folder.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// No files of the engine.
    Nothing,
    /// Files that equal their seal.
    Sealed {
        /// True if all points are stored and graph, copies and postings are built.
        is_complete: bool,
    },
    /// Files that must not be used.
    Untrusted {
        /// The reason, in words.
        reason: String,
    },
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
        create_private(path)?;
        Self::lock_by(path, File::options().create(true).truncate(false))
    }

    /// Locks the folder `path` if it has a lock file; `None` if another process holds it.
    fn lock_existing(path: &Path) -> Result<Option<Self>, IndexError> {
        Self::lock_by(path, &File::options())
    }

    fn lock_by(path: &Path, options: &OpenOptions) -> Result<Option<Self>, IndexError> {
        let lock_path = path.join("lock");
        let lock =
            options.clone().write(true).mode(0o600).open(&lock_path).map_err(at(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Self { path: path.to_owned(), is_temporary: false, _lock: lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(IndexError::File { path: lock_path, source }),
        }
    }

    /// Lists the temporary copies of the collection in the folder `collection`.
    fn copies(collection: &Path) -> Vec<PathBuf> {
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
        Err(IndexError::File { path: collection.to_owned(), source: failure })
    }

    /// Copies the files of `collection` if it is complete; stays empty if it is not, or changed during the copying.
    ///
    /// File systems that can share blocks do so (`std::fs::copy`). Hard links would not be safe: the engine writes into
    /// some of its files in place.
    fn copy_files(&self, collection: &Path) {
        let state = collection.join("state");
        let Some(before) = Seal::read(&state).filter(|seal| seal.is_complete) else {
            return;
        };
        let copied = copy_tree(&collection.join("engine"), &self.engine());
        let is_whole = copied.is_ok() && Seal::read(&state).as_ref() == Some(&before);
        if !is_whole || self.write(&before).is_err() {
            // Remains are emptied before it is filled.
            let _ = self.empty();
        }
    }

    /// Returns the folder itself.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the folder of the engine's files.
    pub(crate) fn engine(&self) -> PathBuf {
        self.path.join("engine")
    }

    /// Compares the engine's files with their seal.
    ///
    /// # Errors
    /// [`IndexError::Mismatch`] when they have another layout.
    pub(crate) fn found(&self, collection: &str, layout: &str) -> Result<Found, IndexError> {
        if !self.engine().exists() {
            return Ok(Found::Nothing);
        }
        let untrusted = |reason: String| Ok(Found::Untrusted { reason });
        let Some(seal) = Seal::read(&self.path.join("state")) else {
            return untrusted("an earlier run did not finish it".to_owned());
        };
        if let Some(reason) = seal.fault(&self.engine()) {
            return untrusted(reason);
        }
        if seal.layout == layout {
            let is_complete = seal.is_complete;
            return Ok(Found::Sealed { is_complete });
        }
        Err(IndexError::Mismatch {
            collection: collection.to_owned(),
            place: self.path.display().to_string(),
            found: seal.layout,
            wanted: layout.to_owned(),
        })
    }

    /// Writes the checksums of the engine's files, which have to be on disk.
    pub(crate) fn seal(&self, layout: &str, is_complete: bool) -> Result<(), IndexError> {
        let engine = self.engine();
        let seal = Seal::of(&engine, layout, is_complete).map_err(at(&engine))?;
        self.write(&seal)
    }

    fn write(&self, seal: &Seal) -> Result<(), IndexError> {
        let path = self.path.join("state");
        replace(&path, &self.path.join("state.new"), &seal.to_text()).map_err(at(&path))
    }

    /// Removes the checksums, before a file changes.
    pub(crate) fn unseal(&self) -> Result<(), IndexError> {
        delete(&self.path.join("state"))
    }

    /// Returns true for a temporary copy.
    pub(crate) fn is_temporary(&self) -> bool {
        self.is_temporary
    }

    /// Deletes everything in it but the lock, and creates the engine's folder.
    pub(crate) fn clear(&self) -> Result<(), IndexError> {
        self.empty()?;
        create_private(&self.engine())
    }

    /// Deletes the seal first, then the engine's files.
    fn empty(&self) -> Result<(), IndexError> {
        self.unseal()?;
        delete(&self.engine())
    }

    /// Marks it for removal on drop.
    fn remove_on_drop(mut self) -> Self {
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

/// Lists the non-empty folders of collections under the cache folder `dir`, by name.
#[must_use]
pub fn stored_collections(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| !contents(path).is_empty()).collect();
    found.sort();
    found
}

/// Lists the contents of a collection's folder apart from its lock.
fn contents(collection: &Path) -> Vec<PathBuf> {
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

/// Creates a folder that only its owner can read, or makes an existing one so.
fn create_private(path: &Path) -> Result<(), IndexError> {
    let created = DirBuilder::new().recursive(true).mode(0o700).create(path);
    created.map_err(at(path))?;
    // Fails on file systems without modes.
    let _ = fs::set_permissions(path, Permissions::from_mode(0o700));
    Ok(())
}

/// Deletes a file or folder, if it is there.
fn delete(path: &Path) -> Result<(), IndexError> {
    let deleted = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
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
pub(crate) fn at(path: &Path) -> impl FnOnce(io::Error) -> IndexError {
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
        folder.seal("layout", true).expect("written");
        folder
    }

    const WHOLE: Found = Found::Sealed { is_complete: true };

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
        assert_eq!(fs::read_to_string(copy.engine().join("segments/points")).expect("copied"), "x");
        assert_eq!(copy.found("ab", "layout").expect("read"), WHOLE);
        drop(copy);
        assert_eq!(CollectionFolder::copies(cache.path()), Vec::<PathBuf>::new());
        assert!(first.engine().join("segments/points").exists());
    }

    #[test]
    fn a_collection_that_is_being_changed_is_not_copied() {
        let cache = cache();
        let first = whole(cache.path());
        for is_complete in [false, true] {
            first.seal("layout", is_complete).expect("written");
            if is_complete {
                first.unseal().expect("removed");
            }
            let copy = open(cache.path());
            assert_eq!(copy.found("ab", "layout").expect("read"), Found::Nothing);
            assert!(!copy.engine().exists());
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
    fn files_are_used_with_their_seal_only() {
        let cache = cache();
        let folder = open(cache.path());
        let found = || folder.found("ab", "layout").expect("read");
        assert_eq!(found(), Found::Nothing);
        folder.clear().expect("emptied");
        let file = folder.engine().join("points");
        fs::write(&file, "x").expect("written");
        folder.seal("layout", false).expect("written");
        assert_eq!(found(), Found::Sealed { is_complete: false });
        folder.seal("layout", true).expect("written");
        assert_eq!(found(), WHOLE);
        fs::write(&file, "y").expect("written");
        let reason = "its file `points` is damaged".to_owned();
        assert_eq!(found(), Found::Untrusted { reason });
        fs::write(&file, "x").expect("written");
        assert_eq!(found(), WHOLE);
        folder.unseal().expect("removed");
        let reason = "an earlier run did not finish it".to_owned();
        assert_eq!(found(), Found::Untrusted { reason });
    }

    #[test]
    fn a_folder_of_another_layout_is_an_error_that_names_both() {
        let cache = cache();
        let folder = whole(cache.path());
        let error = folder.found("ab", "4 dimensions").expect_err("another layout").to_string();
        assert!(error.ends_with("has layout `layout`, expected `4 dimensions`"), "{error}");
    }

    #[test]
    fn a_collection_is_its_owners_alone() {
        let cache = cache();
        let collection = cache.path().join("ab");
        fs::create_dir(&collection).expect("made by an earlier version");
        fs::set_permissions(&collection, Permissions::from_mode(0o755)).expect("changed");
        let folder = whole(&collection);
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        for path in [collection.clone(), folder.engine(), folder.engine().join("segments")] {
            assert_eq!(mode(&path), 0o700, "{}", path.display());
        }
        for name in ["lock", "state", "engine/segments/points"] {
            assert_eq!(mode(&collection.join(name)), 0o600, "{name}");
        }
    }
}
