//! Embedded collections on disk: which there are, and taking out those that nobody has open.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::IndexError;
use super::slot::Slot;

/// The folders of the collections under the cache folder `dir` that hold anything, by name.
#[must_use]
pub fn stored_collections(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir)
        .into_iter()
        .flatten()
        .filter_map(Result::ok)
        .map(|entry| entry.path());
    let mut found: Vec<PathBuf> = entries
        .filter(|path| {
            Slot::numbered(path)
                .iter()
                .any(|slot| slot.join("engine").is_dir())
        })
        .collect();
    found.sort();
    found
}

/// Takes out what is in the collection's folder; `false`, and nothing is, where some process has it open. The lock files stay:
/// whoever holds one holds the only one.
///
/// # Errors
/// [`IndexError::File`].
pub fn remove_collection(collection: &Path) -> Result<bool, IndexError> {
    let mut slots = Vec::new();
    for folder in Slot::numbered(collection) {
        match Slot::lock(folder)? {
            Some(slot) => slots.push(slot),
            None => return Ok(false),
        }
    }
    slots.iter().try_for_each(Slot::remove)?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_collection_stays_and_a_closed_one_goes_with_all_its_slots() {
        let cache = tempfile::tempdir().expect("a folder");
        let collection = cache.path().join("ab");
        let slots = [
            Slot::take(&collection).expect("slot 0"),
            Slot::take(&collection).expect("slot 1"),
        ];
        for slot in &slots {
            fs::create_dir(slot.engine()).expect("made");
            fs::write(slot.engine().join("points"), "x").expect("written");
        }
        assert_eq!(
            stored_collections(cache.path()),
            std::slice::from_ref(&collection)
        );
        let [first, second] = slots;
        drop(first);
        assert!(
            !remove_collection(&collection).expect("looked at"),
            "slot 1 is open"
        );
        assert!(
            collection.join("0/engine/points").exists()
                && collection.join("1/engine/points").exists()
        );
        drop(second);
        assert!(remove_collection(&collection).expect("removed"));
        assert_eq!(stored_collections(cache.path()), Vec::<PathBuf>::new());
        assert_eq!(
            Slot::take(&collection).expect("slot 0").engine(),
            collection.join("0/engine")
        );
    }
}
