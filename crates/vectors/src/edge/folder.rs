//! The folder of an embedded collection: its lock and its state.
//!
//! The engine locks its folder exclusively: it cannot be opened twice, not even for reading. One process at a time
//! holds a collection; any other that opens it meanwhile gets a temporary folder, which its caller fills. No process waits
//! for another, nothing is deleted while in use, and the lock of a process that dies is released.
//!
//! The engine maps its files and trusts them: a damaged vector gives another ranking, an emptied file a panic. It changes
//! no file of a collection that is opened, searched or closed. The `state` holds a checksum of all files; it is written
//! after the last change. Files without a state (of a filling that was broken off), or that differ from it (damaged), are never
//! used: the collection is emptied and filled again.
//!
//! ```text
//! <cache>/<collection>/lock         held while the collection is open; never deleted
//! <cache>/<collection>/state        the state, in JSON; replaced as a whole
//! <cache>/<collection>/engine/      the engine's files
//! <cache>/<collection>/copy-<id>/   a temporary folder: the same three
//! ```

use std::fs::{self, DirBuilder, File, Permissions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use walkdir::WalkDir;

use crate::{Error, error};

/// Prefix of the names of temporary folders.
const COPY: &str = "copy-";

/// Folders tried for a temporary one. One is lost only if another process mistakes the new folder for a leftover.
const ATTEMPTS: usize = 16;

/// Bytes read at a time.
const BLOCK: usize = 1 << 16;

/// Contents of a locked folder.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    /// No files of the engine.
    Nothing,
    /// Intact files: all points are stored, and the graph is built.
    Whole,
    /// Files that must not be used, with the reason.
    Untrusted(&'static str),
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct State {
    /// The layout, as in the collection's spec.
    layout: String,
    /// Of the layout and of the names and contents of all files.
    crc32: u32,
}

impl State {
    fn of(engine: &Path, layout: &str) -> io::Result<Self> {
        let mut hash = crc32fast::Hasher::new();
        hash.update(layout.as_bytes());
        let (mut block, zeros) = (vec![0; BLOCK], vec![0; BLOCK]);
        for entry in WalkDir::new(engine).sort_by_file_name() {
            let entry = entry?;
            if entry.file_type().is_dir() {
                continue;
            }
            let name = entry.path().strip_prefix(engine).unwrap_or(entry.path());
            hash.update(name.as_os_str().as_encoded_bytes());
            let file = File::open(entry.path())?;
            let bytes = file.metadata()?.len();
            hash.update(&bytes.to_le_bytes());
            let mut at = 0;
            while at < bytes {
                // Blocks of zeros do not count, because the engine may write them into holes when it closes.
                let block = &mut block[..BLOCK.min((bytes - at) as usize)];
                file.read_exact_at(block, at)?;
                if *block != zeros[..block.len()] {
                    hash.update(&at.to_le_bytes());
                    hash.update(block);
                }
                at += BLOCK as u64;
            }
        }
        Ok(Self { layout: layout.to_owned(), crc32: hash.finalize() })
    }
}

/// A locked collection, or a locked temporary folder in one, which is removed on drop.
#[derive(Debug)]
pub(crate) struct CollectionFolder {
    path: PathBuf,
    is_copy: bool,
    /// Released when it is dropped.
    _lock: File,
}

impl CollectionFolder {
    /// Locks the collection in the folder `collection`, creating it if it is missing, and removes the copies of killed
    /// processes; if another process has it open, creates a temporary folder in it.
    pub(crate) fn open(collection: &Path) -> Result<Self, Error> {
        create_private(collection)?;
        let Some(folder) = Self::lock(collection)? else {
            return Self::temporary(collection);
        };
        for entry in fs::read_dir(collection).into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with(COPY)
                && let Ok(Some(mut leftover)) = Self::lock(&entry.path())
            {
                leftover.is_copy = true;
            }
        }
        Ok(folder)
    }

    /// Locks the folder `path`; `None` if another process holds it.
    fn lock(path: &Path) -> Result<Option<Self>, Error> {
        let lock_path = path.join("lock");
        let mut options = File::options();
        let opened = options.write(true).create(true).truncate(false).mode(0o600).open(&lock_path);
        let lock = opened.map_err(error::file(&lock_path))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Self { path: path.to_owned(), is_copy: false, _lock: lock })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(error::file(&lock_path)(source)),
        }
    }

    /// Creates an empty temporary folder.
    fn temporary(collection: &Path) -> Result<Self, Error> {
        for _ in 0..ATTEMPTS {
            let made = tempfile::Builder::new().prefix(COPY).tempdir_in(collection);
            let path = made.map_err(error::file(collection))?.keep();
            match Self::lock(&path) {
                // Between its creation and its locking another process may have removed it as a leftover.
                Ok(Some(mut copy)) if path.join("lock").exists() => {
                    copy.is_copy = true;
                    create_private(&path)?;
                    return Ok(copy);
                }
                Err(error) if path.exists() => return Err(error),
                _ => {}
            }
        }
        Err(error::file(collection)(io::ErrorKind::WouldBlock.into()))
    }

    /// Returns the folder of the engine's files.
    pub(crate) fn engine(&self) -> PathBuf {
        self.path.join("engine")
    }

    pub(crate) fn is_copy(&self) -> bool {
        self.is_copy
    }

    /// Compares the engine's files with their checksum.
    ///
    /// # Errors
    /// Files of another layout.
    pub(crate) fn found(&self, collection: &str, layout: &str) -> Result<Found, Error> {
        let engine = self.engine();
        if !engine.exists() {
            return Ok(Found::Nothing);
        }
        let state = fs::read(self.path.join("state")).ok();
        let Some(state) = state.and_then(|json| serde_json::from_slice::<State>(&json).ok()) else {
            return Ok(Found::Untrusted("an earlier run did not finish it"));
        };
        if !State::of(&engine, &state.layout).is_ok_and(|found| found == state) {
            return Ok(Found::Untrusted("its files are damaged"));
        }
        if state.layout != layout {
            let place = self.path.display().to_string();
            return Err(error::mismatch(collection, &place, &state.layout, layout));
        }
        Ok(Found::Whole)
    }

    /// Makes the engine's files, which have to be on disk, private, and writes their state.
    pub(crate) fn seal(&self, layout: &str) -> Result<(), Error> {
        let engine = self.engine();
        self.make_private();
        let state = State::of(&engine, layout).map_err(error::file(&engine))?;
        let path = self.path.join("state");
        let json = serde_json::to_vec(&state).expect("texts and numbers serialise");
        let replace = || {
            // Has mode 0600.
            let mut file = tempfile::NamedTempFile::new_in(&self.path)?;
            file.write_all(&json)?;
            file.as_file().sync_all()?;
            file.persist(&path).map_err(io::Error::from)
        };
        replace().map(drop).map_err(error::file(&path))
    }

    /// Removes the state, before a file changes.
    pub(crate) fn unseal(&self) -> Result<(), Error> {
        let path = self.path.join("state");
        missing_is_fine(fs::remove_file(&path)).map_err(error::file(&path))
    }

    /// Gives the engine's folders the mode 0700 and its files 0600: the engine creates them with the process's default.
    /// File systems without modes leave them as they are.
    pub(crate) fn make_private(&self) {
        for entry in WalkDir::new(self.engine()).into_iter().flatten() {
            let mode = if entry.file_type().is_dir() { 0o700 } else { 0o600 };
            let _ = fs::set_permissions(entry.path(), Permissions::from_mode(mode));
        }
    }

    /// Deletes the state first, then the engine's files, and creates the engine's empty folder.
    pub(crate) fn clear(&self) -> Result<(), Error> {
        self.unseal()?;
        let engine = self.engine();
        missing_is_fine(fs::remove_dir_all(&engine)).map_err(error::file(&engine))?;
        create_private(&engine)
    }
}

impl Drop for CollectionFolder {
    fn drop(&mut self) {
        if self.is_copy {
            // What cannot be removed now is removed at the next opening.
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// Creates a folder that only its owner can read, or makes an existing one so.
fn create_private(path: &Path) -> Result<(), Error> {
    let created = DirBuilder::new().recursive(true).mode(0o700).create(path);
    created.map_err(error::file(path))?;
    // Fails on file systems without modes.
    let _ = fs::set_permissions(path, Permissions::from_mode(0o700));
    Ok(())
}

fn missing_is_fine(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    fn cache() -> tempfile::TempDir {
        tempfile::tempdir().expect("a folder")
    }

    fn open(collection: &Path) -> CollectionFolder {
        CollectionFolder::open(collection).expect("opened")
    }

    fn copies(collection: &Path) -> usize {
        let names = fs::read_dir(collection).expect("a folder").flatten();
        names.filter(|entry| entry.file_name().to_string_lossy().starts_with(COPY)).count()
    }

    /// Returns a locked collection with one file of the engine.
    fn whole(collection: &Path) -> CollectionFolder {
        let folder = open(collection);
        folder.clear().expect("emptied");
        fs::create_dir(folder.engine().join("segments")).expect("made");
        fs::write(folder.engine().join("segments/points"), "x").expect("written");
        folder.seal("layout").expect("written");
        folder
    }

    #[test]
    fn a_collection_in_use_is_left_alone_and_found_again_once_it_is_free() {
        let cache = cache();
        let first = open(cache.path());
        let held: Vec<CollectionFolder> = (0..40).map(|_| open(cache.path())).collect();
        assert_eq!(copies(cache.path()), 40);
        drop(held);
        assert_eq!(copies(cache.path()), 0);
        drop(first);
        // A process that another test starts holds the lock, too, until it runs its program.
        let is_free = |_| {
            thread::sleep(Duration::from_millis(10));
            open(cache.path()).engine() == cache.path().join("engine")
        };
        assert!((0..1_000).any(is_free));
    }

    #[test]
    fn what_a_killed_process_left_is_removed_and_what_is_in_use_stays() {
        let cache = cache();
        let first = open(cache.path());
        let in_use = open(cache.path());
        let left = cache.path().join("copy-0123456789abcdef");
        fs::create_dir_all(left.join("engine")).expect("made");
        fs::write(left.join("lock"), "").expect("written");
        drop(first);
        let _again = open(cache.path());
        assert!(!left.exists());
        assert!(in_use.path.exists());
    }

    #[test]
    fn files_are_used_with_their_checksum_only() {
        let cache = cache();
        let folder = open(cache.path());
        let found = || folder.found("ab", "layout").expect("read");
        assert_eq!(found(), Found::Nothing);
        folder.clear().expect("emptied");
        let file = folder.engine().join("points");
        fs::write(&file, "x").expect("written");
        folder.seal("layout").expect("written");
        assert_eq!(found(), Found::Whole);
        let error = folder.found("ab", "4 dimensions").expect_err("another layout").to_string();
        assert!(error.ends_with("has layout `layout`, expected `4 dimensions`"), "{error}");
        let damaged = Found::Untrusted("its files are damaged");
        for changed in ["y", "", "xx"] {
            fs::write(&file, changed).expect("written");
            assert_eq!(found(), damaged);
        }
        fs::write(&file, "x").expect("written");
        assert_eq!(found(), Found::Whole);
        // A hole and zeros are equal, another size is not.
        let sparse = folder.engine().join("sparse");
        File::create(&sparse).expect("made").set_len(1 << 20).expect("a hole");
        folder.seal("layout").expect("written");
        fs::write(&sparse, vec![0; 1 << 20]).expect("written");
        assert_eq!(found(), Found::Whole);
        let mut changed = vec![0; 1 << 20];
        changed[1 << 19] = 1;
        for changed in [changed, vec![0; (1 << 20) + 1]] {
            fs::write(&sparse, changed).expect("written");
            assert_eq!(found(), damaged);
        }
        fs::remove_file(&sparse).expect("removed");
        folder.seal("layout").expect("written");
        fs::write(folder.engine().join("more"), "").expect("written");
        assert_eq!(found(), damaged);
        folder.unseal().expect("removed");
        assert_eq!(found(), Found::Untrusted("an earlier run did not finish it"));
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
