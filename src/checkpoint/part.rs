//! A file being fetched: written under a name of its own, hashed, and renamed only when the hash is right.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use sha2::{Digest, Sha256};

use super::CheckpointError;
use super::pin::hex;

/// Makes names differ within a process; the process id makes them differ between processes.
static COUNTER: AtomicU64 = AtomicU64::new(0);

/// A name in `folder` that no other process or call uses.
pub(super) fn own_name(folder: &Path, stem: &str) -> PathBuf {
    folder.join(format!(".{stem}.{}-{}.part", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed)))
}

/// The file; removed when dropped unfinished.
pub(super) struct Part {
    file: File,
    digest: Sha256,
    path: PathBuf,
    target: PathBuf,
}

impl Part {
    /// Starts `name` in `folder`.
    pub(super) fn create(folder: &Path, name: &str) -> Result<Self, CheckpointError> {
        let path = own_name(folder, name);
        let file = File::create_new(&path).map_err(|source| CheckpointError::Write { path: path.clone(), source })?;
        Ok(Self { file, digest: Sha256::new(), path, target: folder.join(name) })
    }

    /// Renames it to its name if its sha256 is `expected`. Errors: [`CheckpointError::HashMismatch`], naming the target.
    pub(super) fn finish(self, expected: &str) -> Result<(), CheckpointError> {
        let found = hex(&self.digest.clone().finalize());
        if found != expected {
            let expected = expected.to_owned();
            return Err(CheckpointError::HashMismatch { path: self.target.clone(), expected, found });
        }
        let failed = |source| CheckpointError::Write { path: self.target.clone(), source };
        self.file.sync_all().map_err(failed)?;
        std::fs::rename(&self.path, &self.target).map_err(failed)
    }

    /// The final path, for errors.
    pub(super) fn target(&self) -> &Path {
        &self.target
    }
}

impl Write for Part {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.digest.update(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // Gone already when it was renamed.
        let _ = std::fs::remove_file(&self.path);
    }
}
