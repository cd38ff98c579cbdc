//! An index in a file named by a hash of its contents' inputs.
//!
//! A file is written once ([`cache_file`]) and never changed afterwards. A damaged file is rebuilt and replaced.

use std::io;
use std::path::{Path, PathBuf};

use memmap2::Mmap;

use super::build::InvertedCorpus;
use super::cache_file;
use super::image::{Image, Rejection};
use super::words::IndexedWords;
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
        match open(&path)? {
            Some(Ok(image)) if fits(&image) => return Ok((Self::new(image), false)),
            Some(Err(Rejection::Damaged(place))) => {
                notices.say(format!("the cached sparse index was damaged ({place}); rebuilt"));
            }
            _ => {}
        }
        let inverted = InvertedCorpus::new(ids, source);
        match cache_file::write(&path, |file| inverted.write(weighting, file).map(drop)) {
            Err(error) if cache_file::is_read_only(&error) => {
                notices.say(READ_ONLY_CACHE.to_owned());
                return Ok((Self::new(inverted.image(weighting)), true));
            }
            written => written.map_err(|error| file_error(&path, error))?,
        }
        drop(inverted);
        match open(&path)? {
            Some(Ok(image)) if fits(&image) => Ok((Self::new(image), true)),
            _ => Err(file_error(&path, io::Error::other("the file differs from what was written"))),
        }
    }
}

/// Opens and verifies the index at `path`; `None` if there is no file.
fn open(path: &Path) -> Result<Option<Result<Image, Rejection>>, IndexFileError> {
    let Some(file) = cache_file::open(path).map_err(|error| file_error(path, error))? else {
        return Ok(None);
    };
    // SAFETY: a mapping is sound as long as the file under it does not change. Index files are never changed: `cache_file::write`
    // creates each under a name that only it uses, and a rename replaces the name, not the mapped file.
    #[allow(unsafe_code, reason = "mapping is unsafe because others could write to the file")]
    let mapped = unsafe { Mmap::map(&file) };
    match mapped {
        Ok(mapped) => Ok(Some(Image::open(&file, mapped))),
        Err(error) => Err(file_error(path, error)),
    }
}

fn file_error(path: &Path, source: io::Error) -> IndexFileError {
    IndexFileError { path: PathBuf::from(path), source }
}
