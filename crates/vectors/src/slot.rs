//! Who may use which folder of an embedded collection, and whether what lies there is whole.
//!
//! The engine locks its folder: it cannot be opened twice, not even for reading. A collection therefore has several
//! *slots*, each a complete copy with a lock file of its own; whoever opens the collection takes the first slot that is
//! free. A single run always meets slot 0 and finds it filled; a second run beside it fills slot 1 (cheap: the vectors
//! come from their own cache) and later pairs of runs find both. Nobody waits for anybody, nothing is deleted under
//! another's feet, and a process that dies gives its lock back.
//!
//! A slot's `state` says how far its filling came. A filling that was broken off is taken up again, for the engine's
//! files are consistent after each flush; a broken-off building of the graph is not, because the engine then replaces
//! one set of files by another, and the slot begins anew.
//!
//! ```text
//! <cache>/<collection>/<slot>/lock       held while the slot is open; never deleted
//! <cache>/<collection>/<slot>/state      in JSON; replaced as a whole
//! <cache>/<collection>/<slot>/engine/    the engine's own files
//! ```

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::IndexError;

/// How often one collection may be open at once; a bound on what the cache can grow by.
const N_SLOTS: usize = 16;

/// How far a slot's filling came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum State {
    /// Points are being written.
    Filling,
    /// All points are there, the graph is being built.
    Building,
    /// Nothing is left to do.
    Whole,
}

#[derive(Debug, Serialize, Deserialize)]
struct Marker {
    state: State,
    /// As the collection's spec writes it.
    layout: String,
}

/// One locked copy of a collection. The lock is given back on drop.
#[derive(Debug)]
pub(super) struct Slot {
    folder: PathBuf,
    /// Locked as long as it is open.
    _lock: File,
}

impl Slot {
    /// Takes the first free slot of the collection in the folder `collection`, which is made where it is missing.
    pub(super) fn take(collection: &Path) -> Result<Self, IndexError> {
        for number in 0..N_SLOTS {
            if let Some(slot) = Self::lock(collection.join(number.to_string()))? {
                return Ok(slot);
            }
        }
        Err(IndexError::Busy {
            path: collection.to_owned(),
            n_slots: N_SLOTS,
        })
    }

    /// The slot in `folder`, which is made where it is missing; `None` where it is taken.
    pub(super) fn lock(folder: PathBuf) -> Result<Option<Self>, IndexError> {
        let path = folder.join("lock");
        fs::create_dir_all(&folder).map_err(at(&folder))?;
        let lock = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(at(&path))?;
        match lock.try_lock() {
            Ok(()) => Ok(Some(Self {
                folder,
                _lock: lock,
            })),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(source)) => Err(IndexError::File { path, source }),
        }
    }

    /// The folders of the slots that the collection in the folder `collection` has.
    pub(super) fn numbered(collection: &Path) -> Vec<PathBuf> {
        let all = (0..N_SLOTS).map(|number| collection.join(number.to_string()));
        all.filter(|folder| folder.is_dir()).collect()
    }

    /// Where the engine's files lie.
    pub(super) fn engine(&self) -> PathBuf {
        self.folder.join("engine")
    }

    /// How far its filling came; `None` for one that never began, or whose state cannot be read.
    ///
    /// # Errors
    /// [`IndexError::Mismatch`] when it was filled with another layout: somebody moved or changed its files.
    pub(super) fn state(
        &self,
        collection: &str,
        layout: &str,
    ) -> Result<Option<State>, IndexError> {
        let text = fs::read(self.marker()).ok();
        let Some(found) = text.and_then(|text| serde_json::from_slice::<Marker>(&text).ok()) else {
            return Ok(None);
        };
        if found.layout == layout {
            return Ok(Some(found.state));
        }
        Err(IndexError::Mismatch {
            collection: collection.to_owned(),
            place: self.folder.display().to_string(),
            found: found.layout,
            wanted: layout.to_owned(),
        })
    }

    /// Writes how far the filling came. What a later state rests on has to be on disk before.
    pub(super) fn set_state(&self, state: State, layout: &str) -> Result<(), IndexError> {
        let (path, new) = (self.marker(), self.folder.join("state.new"));
        let marker = Marker {
            state,
            layout: layout.to_owned(),
        };
        let text = serde_json::to_vec(&marker).expect("names always serialise");
        let write = || {
            let mut file = File::create(&new)?;
            file.write_all(&text)?;
            file.sync_all()?;
            fs::rename(&new, &path)
        };
        write().map_err(at(&path))
    }

    /// Throws the engine's files away and makes its folder anew.
    pub(super) fn clear(&self) -> Result<(), IndexError> {
        self.remove()?;
        let engine = self.engine();
        fs::create_dir_all(&engine).map_err(at(&engine))
    }

    /// Throws the engine's files away.
    pub(super) fn remove(&self) -> Result<(), IndexError> {
        let (marker, engine) = (self.marker(), self.engine());
        unless_missing(fs::remove_file(&marker)).map_err(at(&marker))?;
        unless_missing(fs::remove_dir_all(&engine)).map_err(at(&engine))
    }

    fn marker(&self) -> PathBuf {
        self.folder.join("state")
    }
}

/// What is not there need not be removed.
fn unless_missing(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

/// An I/O error with its path.
fn at(path: &Path) -> impl FnOnce(io::Error) -> IndexError {
    let path = path.to_owned();
    |source| IndexError::File { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_slot_is_left_alone_and_found_again_once_it_is_free() {
        let cache = tempfile::tempdir().expect("a folder");
        let first = Slot::take(cache.path()).expect("slot 0");
        let second = Slot::take(cache.path()).expect("slot 1");
        assert_eq!(second.engine(), cache.path().join("1").join("engine"));
        drop(first);
        assert_eq!(
            Slot::take(cache.path()).expect("slot 0").engine(),
            cache.path().join("0").join("engine")
        );
    }

    #[test]
    fn more_than_sixteen_at_once_are_refused() {
        let cache = tempfile::tempdir().expect("a folder");
        let held: Vec<Slot> = (0..16)
            .map(|_| Slot::take(cache.path()).expect("a free slot"))
            .collect();
        let error = Slot::take(cache.path()).expect_err("none is left");
        assert!(
            matches!(error, IndexError::Busy { n_slots: 16, .. }),
            "{error}"
        );
        drop(held);
    }

    #[test]
    fn a_state_is_read_as_it_was_written_and_gone_after_clearing() {
        let cache = tempfile::tempdir().expect("a folder");
        let slot = Slot::take(cache.path()).expect("slot 0");
        assert_eq!(slot.state("ab", "layout").expect("none yet"), None);
        for state in [State::Filling, State::Building, State::Whole] {
            slot.set_state(state, "layout").expect("written");
            assert_eq!(slot.state("ab", "layout").expect("read"), Some(state));
        }
        slot.clear().expect("cleared");
        assert_eq!(slot.state("ab", "layout").expect("none any more"), None);
    }

    #[test]
    fn a_slot_of_another_layout_is_an_error_that_names_both() {
        let cache = tempfile::tempdir().expect("a folder");
        let slot = Slot::take(cache.path()).expect("slot 0");
        slot.set_state(State::Whole, "3 dimensions")
            .expect("written");
        let error = slot
            .state("ab", "4 dimensions")
            .expect_err("another layout")
            .to_string();
        assert!(
            error.ends_with("was made as `3 dimensions`, but `4 dimensions` is wanted"),
            "{error}"
        );
    }

    #[test]
    fn a_torn_state_counts_as_none() {
        let cache = tempfile::tempdir().expect("a folder");
        let slot = Slot::take(cache.path()).expect("slot 0");
        fs::write(cache.path().join("0").join("state"), "{\"state\":\"who").expect("written");
        assert_eq!(slot.state("ab", "layout").expect("torn"), None);
    }
}
