//! Taking a set's files, and nothing else, out of an archive that anybody may have made.
//!
//! One path that leads out of its folder, one link or device, and none of the archive is used. How much it may grow is bounded
//! by its own size, in what it declares and in what it holds. Its permissions and times mean nothing.

mod tar;
mod zip;

#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::error::Error;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use globset::GlobSet;

use super::known::{Archived, KnownSet};
use ragtriage_datasets::{DatasetError, globs};

/// Text shrinks to a third, at best to a tenth; deflate's bound is 1,032.
const MOST_GROWTH: u64 = 100;
/// A few empty blocks of a small archive grow by more.
const ALWAYS_BYTES: u64 = 1 << 20;
/// No known set is as large.
const MOST_BYTES: u64 = 1 << 30;

/// Why an archive is not unpacked.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refusal {
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
    fn unreadable(error: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self::Unreadable(error.into())
    }
}

/// Takes the files of `set` out of `archive` into the empty folder `into`. A folder around all of them is left out.
pub(super) fn unpack(
    packed: Archived,
    archive: &Path,
    set: &KnownSet,
    into: &Path,
) -> Result<(), Refusal> {
    let file = File::open(archive).map_err(Refusal::unreadable)?;
    let n_bytes = file.metadata().map_err(Refusal::unreadable)?.len();
    let most_bytes = n_bytes
        .saturating_mul(MOST_GROWTH)
        .clamp(ALWAYS_BYTES, MOST_BYTES);
    let wanted = globs::set(set.patterns())?;
    let mut taken = Taken {
        into,
        wanted,
        names: HashSet::new(),
        most_bytes,
        n_bytes: 0,
    };
    match packed {
        Archived::Zip => zip::unpack(file, &mut taken),
        Archived::TarGz => tar::unpack(file, &mut taken),
        Archived::File(_) => Err(Refusal::unreadable("the set is a single file")),
    }
}

/// What was taken so far.
struct Taken<'a> {
    into: &'a Path,
    wanted: GlobSet,
    /// In lower case: some file systems hold them alike.
    names: HashSet<String>,
    most_bytes: u64,
    n_bytes: u64,
}

impl Taken<'_> {
    /// Takes the file `path` of the archive, if it is wanted; `declared` is its size as the archive has it.
    fn file(&mut self, path: &str, declared: u64, bytes: &mut impl Read) -> Result<(), Refusal> {
        let Some(name) = self.wanted_name(path)? else {
            return Ok(());
        };
        if !self.names.insert(name.to_lowercase()) {
            return Err(Refusal::Twice(name));
        }
        self.n_bytes = self.n_bytes.saturating_add(declared);
        if self.n_bytes > self.most_bytes {
            return Err(Refusal::Grows(self.most_bytes));
        }
        let target = self.into.join(&name);
        let write = |source| Refusal::Write {
            path: target.clone(),
            source,
        };
        fs::create_dir_all(target.parent().unwrap_or(self.into)).map_err(write)?;
        let mut file = File::create_new(&target).map_err(write)?;
        let mut bytes = bytes.take(declared.saturating_add(1));
        let (mut found, mut buffer) = (0, vec![0; 1 << 16]);
        loop {
            match bytes.read(&mut buffer).map_err(Refusal::unreadable)? {
                0 => break,
                n => {
                    file.write_all(&buffer[..n]).map_err(write)?;
                    found += n as u64;
                }
            }
        }
        if found == declared {
            Ok(())
        } else {
            Err(Refusal::Size {
                name,
                declared,
                found,
            })
        }
    }

    /// The name in the set of what stands at `path`: as it is, or without the folder around all.
    fn wanted_name(&self, path: &str) -> Result<Option<String>, Refusal> {
        let parts = inside(path)?;
        let names = [
            parts.join("/"),
            parts.get(1..).unwrap_or_default().join("/"),
        ];
        Ok(names.into_iter().find(|name| self.wanted.is_match(name)))
    }
}

/// The folders and the name of a path that stays where it is put, on any system.
fn inside(path: &str) -> Result<Vec<&str>, Refusal> {
    let has_drive = path.as_bytes().get(1) == Some(&b':');
    let leads_out = path.starts_with('/') || path.split('/').any(|part| part == "..");
    if path.is_empty() || has_drive || leads_out || path.contains(['\\', '\0']) {
        return Err(Refusal::Outside(path.to_owned()));
    }
    Ok(path
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .collect())
}
