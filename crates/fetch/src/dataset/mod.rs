//! Known data sets, installed where the configuration expects them: from their publishers, or from a local copy.
//!
//! A set is built in a sibling folder and renamed at the end, so that a partial set is never visible. Licence checks are out
//! of scope: every publisher's licence is printed, none has to be accepted.

mod copy;
mod error;
mod hash;
mod known;
mod publisher;
mod scratch;
mod unpack;

pub use copy::copy_local;
pub use error::FetchError;
pub use publisher::{Fetched, fetch};

use std::path::{Path, PathBuf};

use known::KnownSet;
use ragtriage_datasets::DatasetError;
use ragtriage_datasets::globs::{self, Links};

/// Extracts an archive of the known set `name` into the empty folder `into`: the entry point of `fuzz/`.
///
/// # Errors
/// An unknown set, or one without an archive; the reason for refusing the archive.
#[doc(hidden)]
pub fn unpack_known(name: &str, archive: &Path, into: &Path) -> Result<(), String> {
    let set = known::set(name).map_err(|error| error.to_string())?;
    let publisher = set.publisher.as_ref().ok_or("no publisher")?;
    unpack::unpack(publisher.packed, archive, set, into).map_err(|error| error.to_string())
}

/// Returns the files of the set under `folder`, each with its path in the set; fails if a required one is
/// missing.
fn wanted(set: &KnownSet, folder: &Path) -> Result<Vec<(String, PathBuf)>, DatasetError> {
    let files = globs::walk(folder, Links::Everywhere)?.files;
    required(set, folder, &files)?;
    let all = globs::set(set.patterns())?;
    Ok(files.into_iter().filter(|(path, _)| all.is_match(path)).collect())
}

fn required(set: &KnownSet, from: &Path, files: &[(String, PathBuf)]) -> Result<(), DatasetError> {
    for pattern in set.required {
        let glob = globs::set([*pattern])?;
        if !files.iter().any(|(path, _)| glob.is_match(path)) {
            return Err(DatasetError::Layout {
                path: from.to_owned(),
                expected: format!("`{pattern}`"),
            });
        }
    }
    Ok(())
}
