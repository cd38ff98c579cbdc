//! Embedded collections on disk: listing them, and removing those that no process has open.

use std::fs;
use std::path::{Path, PathBuf};

use super::error::IndexError;
use super::folder::{CollectionFolder, contents};

/// Lists the non-empty folders of collections under the cache folder `dir`, by name.
#[must_use]
pub fn stored_collections(dir: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| !contents(path).is_empty()).collect();
    found.sort();
    found
}

/// Removes the contents of the collection's folder; `false`, with nothing removed, if another process has it open. The
/// lock file stays, so that its holder has the only lock.
///
/// # Errors
/// [`IndexError::File`].
pub fn remove_collection(collection: &Path) -> Result<bool, IndexError> {
    let Some(folder) = CollectionFolder::lock(collection)? else {
        return Ok(false);
    };
    let mut copies = Vec::new();
    for path in CollectionFolder::copies(collection) {
        match CollectionFolder::lock_existing(&path)? {
            Some(copy) => copies.push(copy),
            None => return Ok(false),
        }
    }
    for copy in copies {
        drop(copy.remove_on_drop());
    }
    folder.remove_all()?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_collection_stays_and_a_closed_one_goes_with_its_copies() {
        let cache = tempfile::tempdir().expect("a folder");
        let collection = cache.path().join("ab");
        let first = CollectionFolder::open(&collection).expect("opened");
        first.clear().expect("emptied");
        fs::write(first.engine().join("points"), "x").expect("written");
        first.seal("layout", true).expect("written");
        let copy = CollectionFolder::open(&collection).expect("copied");
        assert_eq!(stored_collections(cache.path()), std::slice::from_ref(&collection));
        drop(first);
        assert!(!remove_collection(&collection).expect("looked at"), "the copy is open");
        assert!(collection.join("engine/points").exists() && copy.engine().join("points").exists());
        drop(copy);
        assert!(remove_collection(&collection).expect("removed"));
        assert_eq!(stored_collections(cache.path()), Vec::<PathBuf>::new());
        assert!(collection.join("lock").exists());
    }
}
