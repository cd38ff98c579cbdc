//! Files of the cache folder that are written once: each has a hash of its content's inputs as its name.
//!
//! A file is written under a unique temporary name, flushed to disk and then renamed: under its final name it is either
//! complete or absent, however many processes write it at once and whenever one is killed. Files have mode 0600, their
//! folder 0700.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

/// Creates the file `path` with what `write` writes, completely or not at all; creates its folder.
///
/// # Errors
/// A folder or file that cannot be created or written.
pub fn write(path: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let mut private = DirBuilder::new();
    let folder = path.parent().unwrap_or(Path::new("."));
    private.recursive(true).mode(0o700).create(folder)?;
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    // Process ids repeat between containers that share a cache; an existing name is refused, never overwritten.
    let random = RandomState::new().hash_one(number);
    let partial =
        path.with_added_extension(format!("{}-{random:016x}.partial", std::process::id()));
    let mut new = OpenOptions::new();
    let file = new.write(true).create_new(true).mode(0o600).open(&partial);
    let written = file.and_then(|mut file| {
        write(&mut file)?;
        file.sync_all()
    });
    written.and_then(|()| fs::rename(&partial, path)).inspect_err(|_| {
        // Best effort: the error to report is the first one.
        let _ = fs::remove_file(&partial);
    })
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
