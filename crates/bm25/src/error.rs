//! Errors of index files.

use std::io;
use std::path::PathBuf;

/// Error of creating, writing or reading an index file.
#[derive(Debug, thiserror::Error)]
#[error("cannot read or write the index `{path}`")]
pub struct IndexFileError {
    /// The file or its folder.
    pub path: PathBuf,
    /// The operating system's error.
    pub source: io::Error,
}
