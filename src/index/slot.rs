//! Who may use which folder of an embedded collection, and whether what lies there is whole.
//!
//! The engine locks its folder: it cannot be opened twice, not even for reading. A collection therefore has several
//! *slots*, each a complete copy with a lock file of its own; whoever opens the collection takes the first slot that is
//! free. A single run always meets slot 0 and finds it filled; a second run beside it fills slot 1 (cheap: the vectors
//! come from their own cache) and later pairs of runs find both. Nobody waits for anybody, nothing is deleted under
//! another's feet, and a process that dies gives its lock back.
//!
//! ```text
//! <cache>/<collection>/<slot>/lock        held while the slot is open; never deleted
//! <cache>/<collection>/<slot>/complete    written last: what the slot holds, in JSON
//! <cache>/<collection>/<slot>/engine/     the engine's own files
//! ```

use std::fs::{self, File, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::collection::{CollectionSpec, Distance, Hnsw, shape};
use super::error::IndexError;

/// Raised whenever the stored points change in meaning; older collections are then built again.
const FORMAT: u32 = 1;

/// How often one collection may be open at once; a bound on what the cache can grow by.
const N_SLOTS: usize = 16;

/// What a filled slot holds.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Marker {
    format: u32,
    dimension: usize,
    distance: Distance,
    points: usize,
    hnsw: Option<Hnsw>,
}

impl Marker {
    fn of(spec: &CollectionSpec) -> Self {
        Self {
            format: FORMAT,
            dimension: spec.dimension,
            distance: spec.distance,
            points: spec.expected_points,
            hnsw: spec.graph(),
        }
    }
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
            let folder = collection.join(number.to_string());
            let path = folder.join("lock");
            fs::create_dir_all(&folder).map_err(at(&folder))?;
            let lock = File::options().create(true).truncate(false).write(true).open(&path).map_err(at(&path))?;
            match lock.try_lock() {
                Ok(()) => return Ok(Self { folder, _lock: lock }),
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(source)) => return Err(IndexError::File { path, source }),
            }
        }
        Err(IndexError::Busy { path: collection.to_owned(), n_slots: N_SLOTS })
    }

    /// Where the engine's files lie.
    pub(super) fn engine(&self) -> PathBuf {
        self.folder.join("engine")
    }

    /// Whether the slot was filled with what `spec` asks for. A marker that cannot be read means no.
    ///
    /// # Errors
    /// [`IndexError::Mismatch`] when it holds vectors of another dimension or distance: two collections share a name.
    pub(super) fn is_complete(&self, spec: &CollectionSpec) -> Result<bool, IndexError> {
        let Some(found) = fs::read(self.marker()).ok().and_then(|text| serde_json::from_slice::<Marker>(&text).ok())
        else {
            return Ok(false);
        };
        if (found.dimension, found.distance) != (spec.dimension, spec.distance) {
            return Err(IndexError::Mismatch {
                collection: spec.name.clone(),
                place: self.folder.display().to_string(),
                found: shape(found.dimension, found.distance.name()),
                wanted: spec.shape(),
            });
        }
        Ok(found == Marker::of(spec))
    }

    /// Declares the slot filled. Everything else has to be on disk before.
    pub(super) fn mark_complete(&self, spec: &CollectionSpec) -> Result<(), IndexError> {
        let path = self.marker();
        let text = serde_json::to_vec(&Marker::of(spec)).expect("numbers and names always serialise");
        let write = |path: &Path| {
            let mut file = File::create(path)?;
            file.write_all(&text)?;
            file.sync_all()
        };
        write(&path).map_err(at(&path))
    }

    /// Takes the declaration back, before the content changes.
    pub(super) fn mark_incomplete(&self) -> Result<(), IndexError> {
        let path = self.marker();
        match fs::remove_file(&path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => Err(IndexError::File { path, source }),
            _ => Ok(()),
        }
    }

    /// Throws the engine's files away and makes its folder anew.
    pub(super) fn clear(&self) -> Result<(), IndexError> {
        self.mark_incomplete()?;
        let engine = self.engine();
        match fs::remove_dir_all(&engine) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(IndexError::File { path: engine, source });
            }
            _ => {}
        }
        fs::create_dir_all(&engine).map_err(at(&engine))
    }

    fn marker(&self) -> PathBuf {
        self.folder.join("complete")
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

    fn spec() -> CollectionSpec {
        CollectionSpec { name: "ab".to_owned(), dimension: 3, distance: Distance::Dot, expected_points: 5, hnsw: None }
    }

    #[test]
    fn a_taken_slot_is_left_alone_and_found_again_once_it_is_free() {
        let cache = tempfile::tempdir().expect("a folder");
        let first = Slot::take(cache.path()).expect("slot 0");
        let second = Slot::take(cache.path()).expect("slot 1");
        assert_eq!(second.engine(), cache.path().join("1").join("engine"));
        drop(first);
        assert_eq!(Slot::take(cache.path()).expect("slot 0").engine(), cache.path().join("0").join("engine"));
    }

    #[test]
    fn more_than_sixteen_at_once_are_refused() {
        let cache = tempfile::tempdir().expect("a folder");
        let held: Vec<Slot> = (0..16).map(|_| Slot::take(cache.path()).expect("a free slot")).collect();
        let error = Slot::take(cache.path()).expect_err("none is left");
        assert!(matches!(error, IndexError::Busy { n_slots: 16, .. }), "{error}");
        drop(held);
    }

    #[test]
    fn a_slot_is_complete_only_for_what_it_was_marked_with() {
        let cache = tempfile::tempdir().expect("a folder");
        let slot = Slot::take(cache.path()).expect("slot 0");
        assert!(!slot.is_complete(&spec()).expect("no marker"));
        slot.mark_complete(&spec()).expect("written");
        assert!(slot.is_complete(&spec()).expect("a marker"));
        let more = CollectionSpec { expected_points: 6, ..spec() };
        assert!(!slot.is_complete(&more).expect("other points"));
        slot.mark_incomplete().expect("removed");
        assert!(!slot.is_complete(&spec()).expect("no marker"));
    }

    #[test]
    fn a_torn_marker_counts_as_none() {
        let cache = tempfile::tempdir().expect("a folder");
        let slot = Slot::take(cache.path()).expect("slot 0");
        fs::write(cache.path().join("0").join("complete"), "{\"format\":1,\"dim").expect("written");
        assert!(!slot.is_complete(&spec()).expect("torn"));
    }
}
