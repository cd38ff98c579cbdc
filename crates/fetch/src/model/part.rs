//! A file being fetched: it has a temporary name, and is renamed only when its hash matches.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use ragtriage_encoder::checkpoint::{CheckpointError, sha256_of_file};

/// Makes names unique within a process; the process id makes them unique between processes.
static COUNTER: AtomicU64 = AtomicU64::new(0);

/// Returns a name in `folder` that no other process or call uses.
fn own_name(folder: &Path, stem: &str) -> PathBuf {
    folder.join(format!(
        ".{stem}.{}-{}.part",
        std::process::id(),
        COUNTER.fetch_add(1, Ordering::Relaxed)
    ))
}

/// The file; removed when dropped unfinished.
pub(super) struct PartialFile {
    path: PathBuf,
    target: PathBuf,
}

impl PartialFile {
    /// Creates `name` in `folder`, empty.
    pub(super) fn create(folder: &Path, name: &str) -> Result<Self, CheckpointError> {
        let path = own_name(folder, name);
        File::create_new(&path).map_err(CheckpointError::write(&path))?;
        Ok(Self { path, target: folder.join(name) })
    }

    /// Returns the path that its bytes are written to.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Renames it to its name if its sha256 is `expected`. Errors: another hash, naming the target.
    pub(super) fn finish(self, expected: &str) -> Result<(), CheckpointError> {
        let found = sha256_of_file(&self.path)?;
        if found != expected {
            return Err(CheckpointError::hash_mismatch(&self.target, expected, &found));
        }
        File::open(&self.path)
            .and_then(|file| file.sync_all())
            .and_then(|()| std::fs::rename(&self.path, &self.target))
            .map_err(CheckpointError::write(&self.target))
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        // Fails if the file was already renamed.
        let _ = std::fs::remove_file(&self.path);
    }
}
