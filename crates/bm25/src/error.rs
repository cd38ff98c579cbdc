//! Errors of index files.

use std::io;
use std::path::PathBuf;

/// An index file that could not be made, written or read.
#[derive(Debug, thiserror::Error)]
#[error("cannot use `{path}` for an index")]
pub struct IndexFileError {
    /// The file or its folder.
    pub path: PathBuf,
    /// The operating system's error.
    pub source: io::Error,
}
