//! Reasons for rejecting an archive.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use ragtriage_datasets::DatasetError;

/// A reason for rejecting an archive.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("not an archive, or damaged: {0}")]
    Unreadable(Box<dyn Error + Send + Sync>),
    #[error("entry `{0}` leads out of the folder")]
    Outside(String),
    #[error("entry `{0}` is neither a file nor a folder")]
    Special(String),
    #[error("duplicate entry `{0}`")]
    Twice(String),
    #[error("the directory lists {n_listed} entries, but {n_read} can be read")]
    Directory { n_listed: usize, n_read: usize },
    #[error("entry `{name}` has {found} bytes or more, but declares {declared}")]
    Size { name: String, declared: u64, found: u64 },
    #[error("it grows to more than {} MiB", .0 >> 20)]
    Grows(u64),
    #[error(transparent)]
    Glob(#[from] DatasetError),
    #[error("cannot write `{path}`")]
    Write { path: PathBuf, source: io::Error },
}

impl Refusal {
    pub(super) fn unreadable(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Unreadable(error.into())
    }
}
