//! An index in a file named by a hash of its contents' inputs.
//!
//! A file is written once, under a unique temporary name, flushed to disk and then renamed: under its final name the
//! file is either complete or absent, however many processes build it at once and whenever one is killed. It is never
//! changed afterwards. A damaged file is rebuilt and replaced. Files have mode 0600, their folder 0700.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use memmap2::Mmap;

use super::image::{Image, Rejection};
use super::{IndexFileError, SparseIndex, Weighting};
use ragtriage_core::notices::{Notices, READ_ONLY_CACHE};
use ragtriage_core::types::ChunkId;

/// Extension of an index file's name.
pub const EXTENSION: &str = "sparse";

impl SparseIndex {
    /// Opens the index `key` in `folder`, or builds it and saves it there. The flag in the result is true if it was
    /// built.
    ///
    /// `key` is a hash, in lower-case hexadecimal digits, of everything that determines the result of [`Self::build`]:
    /// the weighting, the ids, the analyser and the texts. A file of another format version, or with another number of
    /// documents, is rebuilt and replaced; so is a damaged one, with a notice. Where the folder is read-only, a built
    /// index stays in memory, with a notice.
    ///
    /// # Errors
    /// [`IndexFileError`] if the folder or the file cannot be created, written or read.
    pub fn open_or_build(
        folder: &Path,
        key: &str,
        weighting: &Weighting,
        ids: &[ChunkId],
        terms_of: impl Fn(usize, &mut dyn FnMut(&str)) + Sync,
        notices: &Notices,
    ) -> Result<(Self, bool), IndexFileError> {
        let path = folder.join(format!("{key}.{EXTENSION}"));
        let fits = |image: &Image| {
            image.n_documents() == ids.len()
                && image.is_tfidf() == matches!(weighting, Weighting::Tfidf)
        };
        match open(&path)? {
            Some(Ok(image)) if fits(&image) => return Ok((Self::new(image), false)),
            Some(Err(Rejection::Damaged(place))) => {
                notices.say(format!(
                    "the cached sparse index was damaged ({place}); rebuilt"
                ));
            }
            _ => {}
        }
        let built = Self::build(weighting, ids, terms_of);
        match write(folder, &path, built.image.bytes()) {
            Err(error) if is_read_only(&error.source) => {
                notices.say(READ_ONLY_CACHE.to_owned());
                return Ok((built, true));
            }
            written => written?,
        }
        drop(built);
        match open(&path)? {
            Some(Ok(image)) if fits(&image) => Ok((Self::new(image), true)),
            _ => Err(file_error(
                &path,
                io::Error::other("the file differs from what was written"),
            )),
        }
    }
}

fn is_read_only(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem
    )
}

/// Opens and verifies the index at `path`; `None` if there is no file.
fn open(path: &Path) -> Result<Option<Result<Image, Rejection>>, IndexFileError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(file_error(path, error)),
    };
    // SAFETY: a mapping is sound as long as the file under it does not change. Index files are never changed: `write`
    // creates each under a name that only it uses, and a rename replaces the name, not the mapped file.
    #[allow(
        unsafe_code,
        reason = "mapping is unsafe because others could write to the file"
    )]
    let mapped = unsafe { Mmap::map(&file) };
    match mapped {
        Ok(mapped) => Ok(Some(Image::open(mapped))),
        Err(error) => Err(file_error(path, error)),
    }
}

/// Writes `bytes` to `path`, completely or not at all.
fn write(folder: &Path, path: &Path, bytes: &[u8]) -> Result<(), IndexFileError> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let mut private = DirBuilder::new();
    let created = private.recursive(true).mode(0o700).create(folder);
    created.map_err(|error| file_error(folder, error))?;
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    // Process ids repeat between containers that share a cache; an existing name is refused, never overwritten.
    let random = RandomState::new().hash_one(number);
    let partial = path.with_extension(format!(
        "{EXTENSION}.{}-{random:016x}.partial",
        std::process::id()
    ));
    let mut new = OpenOptions::new();
    let file = new.write(true).create_new(true).mode(0o600).open(&partial);
    let written = file.and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written
        .and_then(|()| fs::rename(&partial, path))
        .map_err(|error| {
            // Best effort: the error to report is the first one.
            let _ = fs::remove_file(&partial);
            file_error(path, error)
        })
}

fn file_error(path: &Path, source: io::Error) -> IndexFileError {
    IndexFileError {
        path: PathBuf::from(path),
        source,
    }
}
