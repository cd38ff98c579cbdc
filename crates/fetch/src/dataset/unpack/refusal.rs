//! Reasons for rejecting an archive.

use std::error::Error;
use std::io;
use std::path::PathBuf;

use ragtriage_datasets::DatasetError;

/// A reason for rejecting an archive.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("it is none, or damaged: {0}")]
    Unreadable(Box<dyn Error + Send + Sync>),
    #[error("its `{0}` leads out of its folder")]
    Outside(String),
    #[error("its `{0}` is neither a file nor a folder")]
    Special(String),
    #[error("it has `{0}` twice")]
    Twice(String),
    #[error("its directory lists {n_listed} entries, {n_read} can be read")]
    Directory { n_listed: usize, n_read: usize },
    #[error("its `{name}` has {found} bytes or more, and says {declared}")]
    Size {
        name: String,
        declared: u64,
        found: u64,
    },
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
