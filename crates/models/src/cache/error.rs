//! Why a cache could not be opened, read or written.

use ragtriage_core::hint::Hint;
use std::path::{Path, PathBuf};

/// Why a cache could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
pub enum CacheError {
    /// The database failed.
    #[error("cache `{path}`: {source}")]
    Database {
        /// The file.
        path: PathBuf,
        /// Why.
        source: rusqlite::Error,
    },
    /// Its folder could not be made.
    #[error("cannot write `{path}`: {source}")]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The working thread panicked or the runtime is going down.
    #[error("reading or writing a cache was interrupted: {0}")]
    Worker(#[source] tokio::task::JoinError),
}

impl CacheError {
    /// Returns the error of a folder or file that could not be made, for `map_err`.
    pub(super) fn folder(path: &Path) -> impl Fn(std::io::Error) -> Self {
        |source| Self::Folder {
            path: path.to_owned(),
            source,
        }
    }
}

impl Hint for CacheError {
    fn hint(&self) -> Option<String> {
        match self {
            Self::Database { path, .. } => Some(format!(
                "see that `{}` can be written and the disk is not full; deleting it is safe",
                path.display()
            )),
            Self::Folder { .. } => {
                Some("see that the folder can be written and the disk is not full".to_owned())
            }
            Self::Worker(_) => None,
        }
    }
}
