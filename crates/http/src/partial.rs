//! A partially downloaded file, with a record of its origin, so that a later process can resume.
//!
//! Next to the file is a mark: the hash of the address (which may hold a secret) and the server's name for this version
//! of the bytes. The mark is written while the file is empty, so bytes without their mark are never resumed. The file
//! is locked while open.

use std::fs::{self, File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use reqwest::Url;
use sha2::{Digest, Sha256};

use super::Error;
use ragtriage_core::text::hex::hex;

/// The file, open at its end.
pub struct Partial {
    path: PathBuf,
    file: File,
    /// The path of the mark and the first of its two lines; `None` for a file of this process alone.
    mark: Option<(PathBuf, String)>,
    n_bytes: u64,
    version: Option<String>,
}

impl Partial {
    /// Opens a file of this process alone, which must exist.
    pub fn fresh(path: &Path) -> Result<Self, Error> {
        let file = OpenOptions::new()
            .write(true)
            .open(path)
            .map_err(|source| Error::write(path, source))?;
        Ok(Self { path: path.to_owned(), file, mark: None, n_bytes: 0, version: None })
    }

    /// Opens the part of `url` that an earlier process left at `path`, or an empty file.
    ///
    /// # Errors
    /// A file that another process holds, or that cannot be written.
    pub fn resumed(path: &Path, url: &Url) -> Result<Self, Error> {
        let opened = OpenOptions::new().write(true).create(true).truncate(false).open(path);
        let file = opened.map_err(|source| Error::write(path, source))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(fs::TryLockError::WouldBlock) => {
                let message = format!("another process is fetching `{}`", path.display());
                return Err(Error::local(message, "wait for it to end, then try again"));
            }
            Err(fs::TryLockError::Error(source)) => return Err(Error::write(path, source)),
        }
        let mut mark = path.as_os_str().to_owned();
        mark.push(".from");
        let mark = PathBuf::from(mark);
        let source = hex(&Sha256::digest(url.as_str()));
        let noted = fs::read_to_string(&mark).unwrap_or_default();
        let version = noted
            .strip_prefix(&source)
            .and_then(|rest| rest.strip_prefix('\n')?.strip_suffix('\n'));
        let version = version.map(str::to_owned);
        let mut partial =
            Self { path: path.to_owned(), file, mark: Some((mark, source)), n_bytes: 0, version };
        if partial.version.is_some() {
            partial.n_bytes =
                partial.file.seek(SeekFrom::End(0)).map_err(|source| Error::write(path, source))?;
        }
        Ok(partial)
    }

    /// Returns the number of bytes received.
    #[must_use]
    pub fn n_bytes(&self) -> u64 {
        self.n_bytes
    }

    /// Returns the server's name for the version of the bytes, if there are bytes and they can be resumed.
    pub(super) fn version(&self) -> Option<&str> {
        self.version.as_deref().filter(|_| self.n_bytes > 0)
    }

    /// Starts over with the bytes of this version; without a version the download cannot be resumed later.
    pub(super) fn begin(&mut self, version: Option<String>) -> Result<(), Error> {
        let emptied = self.file.set_len(0).and_then(|()| self.file.rewind());
        emptied.map_err(|source| Error::write(&self.path, source))?;
        (self.n_bytes, self.version) = (0, version);
        match (&self.mark, &self.version) {
            (None, _) => Ok(()),
            (Some((mark, source)), Some(version)) => {
                fs::write(mark, format!("{source}\n{version}\n"))
                    .map_err(|source| Error::write(mark, source))
            }
            (Some((mark, _)), None) => {
                let _ = fs::remove_file(mark); // there is none as a rule
                Ok(())
            }
        }
    }

    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.file.write_all(bytes).map_err(|source| Error::write(&self.path, source))?;
        self.n_bytes += bytes.len() as u64;
        Ok(())
    }

    /// Removes the file and its mark.
    pub fn remove(self) {
        // A file that cannot be removed is overwritten by the next process.
        let _ = fs::remove_file(&self.path);
        if let Some((mark, _)) = &self.mark {
            let _ = fs::remove_file(mark);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).expect("a URL")
    }

    #[test]
    fn bytes_are_gone_on_with_under_their_own_address_and_version_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("set.partial");
        let mut partial = Partial::resumed(&path, &url("http://h/a?key=k")).expect("opened");
        assert_eq!((partial.n_bytes(), partial.version()), (0, None));
        partial.begin(Some("\"v1\"".to_owned())).expect("begun");
        partial.append(b"abc").expect("written");
        let busy = Partial::resumed(&path, &url("http://h/a?key=k")).err().expect("locked");
        assert!(busy.to_string().starts_with("another process is fetching"));
        drop(partial);
        let mark = fs::read_to_string(folder.path().join("set.partial.from")).expect("there");
        assert!(mark.ends_with("\n\"v1\"\n") && !mark.contains("key"), "{mark}");
        let partial = Partial::resumed(&path, &url("http://h/a?key=k")).expect("opened");
        assert_eq!((partial.n_bytes(), partial.version()), (3, Some("\"v1\"")));
        drop(partial);
        assert_eq!(Partial::resumed(&path, &url("http://h/b")).expect("opened").version(), None);
        let mut partial = Partial::resumed(&path, &url("http://h/a?key=k")).expect("opened");
        partial.begin(None).expect("begun");
        partial.append(b"xy").expect("written");
        drop(partial);
        assert_eq!(fs::read(&path).expect("there"), b"xy");
        let partial = Partial::resumed(&path, &url("http://h/a?key=k")).expect("opened");
        assert_eq!(
            (partial.n_bytes(), partial.version()),
            (0, None),
            "nothing says whose bytes these are"
        );
        partial.remove();
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0);
    }
}
