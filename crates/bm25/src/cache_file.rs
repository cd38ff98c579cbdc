//! Files of the cache folder that are written once: each has a hash of its content's inputs as its name.
//!
//! A file is written under a unique temporary name, flushed to disk and then renamed: under its final name it is either
//! complete or absent, however many processes write it at once and whenever one is killed. Files have mode 0600, their
//! folder 0700. An index in such a file is never changed; a damaged one is rebuilt and replaced.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use super::build::InvertedCorpus;
use super::image::Image;
use super::words::IndexedWords;
use super::{SparseIndex, Weighting};
use ragtriage_core::notices::{Notices, READ_ONLY_CACHE};
use ragtriage_core::types::ChunkId;

/// Error of creating, writing or reading an index file.
#[derive(Debug, thiserror::Error)]
#[error("cannot read or write the index `{path}`")]
pub struct IndexFileError {
    /// The file or its folder.
    pub path: PathBuf,
    /// The operating system's error.
    pub source: io::Error,
}

/// Creates the file `path` with what `write` writes, completely or not at all; creates its folder.
///
/// # Errors
/// A folder or file that cannot be created or written.
pub fn write(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // Has mode 0600, and is removed if it is not renamed.
    let mut partial = tempfile::Builder::new().suffix(".partial").tempfile_in(folder)?;
    write(partial.as_file_mut())?;
    partial.as_file().sync_all()?;
    partial.persist(path).map(drop).map_err(io::Error::from)
}

/// Opens the file at `path`; `None` if there is none. What is no file, such as a folder or a pipe, counts as none: opening a pipe
/// would wait for ever.
///
/// # Errors
/// A file that cannot be opened.
pub fn open(path: &Path) -> io::Result<Option<File>> {
    let is_absent = |error: &io::Error| error.kind() == io::ErrorKind::NotFound;
    match fs::metadata(path) {
        Ok(found) if found.is_file() => File::open(path).map(Some),
        Ok(_) => Ok(None),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns true if the cache folder cannot be written, so that the work continues without it.
#[must_use]
pub fn is_read_only(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// Extension of an index file's name.
const EXTENSION: &str = "sparse";

impl SparseIndex {
    /// Opens the index `key` in `folder`, or builds it and saves it there. The flag in the result is true if it was
    /// built.
    ///
    /// `key` is a hash, in lower-case hexadecimal digits, of everything that determines the result of [`Self::build`]:
    /// the weighting, the ids, the analyser and the texts. A file with another number of documents is rebuilt and replaced; so is
    /// a damaged one, with a notice. Where the folder is read-only, a built
    /// index stays in memory, with a notice.
    ///
    /// # Errors
    /// [`IndexFileError`] if the folder or the file cannot be created, written or read.
    pub fn open_or_build(
        folder: &Path,
        key: &str,
        weighting: &Weighting,
        ids: impl ExactSizeIterator<Item = ChunkId>,
        source: &dyn IndexedWords,
        notices: &Notices,
    ) -> Result<(Self, bool), IndexFileError> {
        let path = folder.join(format!("{key}.{EXTENSION}"));
        let n_documents = ids.len();
        let fits = |image: &Image| {
            image.n_documents() == n_documents
                && image.is_tfidf() == matches!(weighting, Weighting::Tfidf)
        };
        match open_image(&path)? {
            Some(Ok(image)) if fits(&image) => return Ok((Self::new(image), false)),
            Some(Err(place)) => {
                notices.say(format!("the cached sparse index was damaged ({place}); rebuilt"));
            }
            _ => {}
        }
        let inverted = InvertedCorpus::new(ids, source);
        match write(&path, |file| inverted.write(weighting, file).map(drop)) {
            Err(error) if is_read_only(&error) => {
                notices.say(READ_ONLY_CACHE.to_owned());
                return Ok((Self::new(inverted.image(weighting)), true));
            }
            written => written.map_err(|error| file_error(&path, error))?,
        }
        drop(inverted);
        match open_image(&path)? {
            Some(Ok(image)) if fits(&image) => Ok((Self::new(image), true)),
            _ => Err(file_error(&path, io::Error::other("the file differs from what was written"))),
        }
    }
}

/// Opens and verifies the index at `path`; `None` if there is no file.
fn open_image(path: &Path) -> Result<Option<Result<Image, String>>, IndexFileError> {
    let Some(file) = open(path).map_err(|error| file_error(path, error))? else {
        return Ok(None);
    };
    // SAFETY: a mapping is sound as long as the file under it does not change. Index files are never changed: `write`
    // creates each under a name that only it uses, and a rename replaces the name, not the mapped file.
    #[allow(unsafe_code, reason = "mapping is unsafe because others could write to the file")]
    let mapped = unsafe { Mmap::map(&file) };
    match mapped {
        Ok(mapped) => Ok(Some(Image::open(&file, mapped))),
        Err(error) => Err(file_error(path, error)),
    }
}

fn file_error(path: &Path, source: io::Error) -> IndexFileError {
    IndexFileError { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn only_a_file_is_opened() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        assert!(open(&path).expect("absent").is_none());
        write(&path, |file| file.write_all(b"7")).expect("written");
        assert!(open(&path).expect("a file").is_some());
        for other in [folder.path(), Path::new("/dev/zero")] {
            assert!(open(other).expect("not a file").is_none(), "{other:?}");
        }
    }
}
