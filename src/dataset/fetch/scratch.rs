//! A folder beside a set's place, in which the set is made.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::DatasetError;

/// The folder; gone at the end, whatever happens.
pub(super) struct Scratch {
    path: PathBuf,
    root: PathBuf,
    name: String,
}

impl Scratch {
    /// An empty one in `root` for the set `name`, which no other process uses.
    pub(super) fn new(root: &Path, name: &str, purpose: &str) -> Result<Self, DatasetError> {
        let path = root.join(format!(".{name}.{}.{purpose}", std::process::id()));
        let _ = fs::remove_dir_all(&path); // of a process of that id that was killed; there is none as a rule
        fs::create_dir_all(&path).map_err(|source| DatasetError::Write { path: path.clone(), source })?;
        Ok(Self { path, root: root.to_owned(), name: name.to_owned() })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Puts the folder in the place of what stands at `target`, if anything does.
    pub(super) fn install(self, target: &Path) -> Result<(), DatasetError> {
        let moved =
            |result: io::Result<()>| result.map_err(|source| DatasetError::Write { path: target.to_owned(), source });
        let earlier = Self::new(&self.root, &self.name, "old")?;
        let old = earlier.path.join("set");
        if target.exists() {
            moved(fs::rename(target, &old))?;
        }
        if let Err(error) = moved(fs::rename(&self.path, target)) {
            let _ = fs::rename(old, target); // back to what was there; the first error tells more
            return Err(error);
        }
        Ok(())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path); // after the rename there is nothing left to remove
    }
}
