//! A partially downloaded file, with the server's name for this version of its bytes, so that the next try can resume.

use std::fs::{File, OpenOptions};
use std::io::{Seek, Write};
use std::path::{Path, PathBuf};

use super::Error;

/// The file, open at its end.
pub struct Partial {
    path: PathBuf,
    file: File,
    n_bytes: u64,
    version: Option<String>,
}

impl Partial {
    /// Opens a file of this process alone, which must exist.
    pub fn fresh(path: &Path) -> Result<Self, Error> {
        let file = OpenOptions::new()
            .write(true)
            .open(path)
            .map_err(|source| Error::write(path, source))?;
        Ok(Self { path: path.to_owned(), file, n_bytes: 0, version: None })
    }

    /// Returns the number of bytes received.
    pub(super) fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    /// Returns the server's name for the version of the bytes, if there are bytes and they can be resumed.
    pub(super) fn version(&self) -> Option<&str> {
        self.version.as_deref().filter(|_| self.n_bytes > 0)
    }

    /// Starts over with the bytes of this version; without a version the download cannot be resumed later.
    pub(super) fn begin(&mut self, version: Option<String>) -> Result<(), Error> {
        let emptied = self.file.set_len(0).and_then(|()| self.file.rewind());
        emptied.map_err(|source| Error::write(&self.path, source))?;
        (self.n_bytes, self.version) = (0, version);
        Ok(())
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_all(bytes).map_err(|source| Error::write(&self.path, source))?;
        self.n_bytes += bytes.len() as u64;
        Ok(())
    }
}
