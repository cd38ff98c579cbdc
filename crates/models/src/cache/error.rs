//! Errors of opening, reading or writing a cache.

use ragtriage_core::hint::Hint;
use std::path::{Path, PathBuf};

/// An error of opening, reading or writing a cache.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// The database failed.
    #[error("cache `{path}`: {source}")]
    Database {
        /// The file.
        path: PathBuf,
        /// The database error.
        source: rusqlite::Error,
    },
    /// Its folder could not be created.
    #[error("cannot write `{path}`: {source}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// The I/O error.
        source: std::io::Error,
    },
    /// The worker thread panicked or the runtime is shutting down.
    #[error("reading or writing a cache was interrupted: {0}")]
    Worker(#[source] tokio::task::JoinError),
}

impl CacheError {
    /// Returns a closure for `map_err` that creates the error of a folder or file that could not be
    /// created.
    pub(super) fn folder(path: &Path) -> impl Fn(std::io::Error) -> Self {
        |source| Self::Folder { path: path.to_owned(), source }
    }
}

impl Hint for CacheError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Database { path, .. } => Some(format!(
                "check that `{}` is writable and the disk has free space; deleting the file is safe",
                path.display()
            )),
            Self::Folder { .. } => {
                Some("check that the folder is writable and the disk has free space".to_owned())
            }
            Self::Worker(_) => None,
        }
    }
}
