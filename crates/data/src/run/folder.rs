//! The folder of one run, and atomic writes of its files.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::{Error, Kind, PRIVATE, write_file};

/// Refuses a name that is not a plain file name.
fn check_name(name: &str) -> Result<(), Error> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
        let message = format!("invalid run name `{name}`: use letters, digits, `.`, `_` and `-`");
        return Err(Error::new(message, "choose another `--name`, or leave it out"));
    }
    Ok(())
}

/// A run's folder. Files in it are mode 0600, the folder 0700: they hold corpus text and answers.
#[derive(Clone, Debug)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// Creates the folder `name` under `parent`; parents are created as needed.
    ///
    /// # Errors
    /// [`Kind::Exists`] if it already exists; a name that is not a plain file name.
    pub fn create(parent: &Path, name: &str) -> Result<Self, Error> {
        check_name(name)?;
        fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
        let path = parent.join(name);
        match fs::DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
                let message = format!("run folder `{}` already exists", path.display());
                let hint = "choose another `--name`, leave it out, or delete the folder; `run --resume` continues a run that was interrupted";
                Err(Error::new(message, hint).of_kind(Kind::Exists))
            }
            Err(error) => Err(Error::io("create", &path)(error)),
            Ok(()) => Ok(Self { path }),
        }
    }

    /// Opens the existing folder `name` under `parent` without checking its files.
    ///
    /// # Errors
    /// A name that is not a plain file name.
    pub fn named(parent: &Path, name: &str) -> Result<Self, Error> {
        check_name(name)?;
        Ok(Self::existing(&parent.join(name)))
    }

    /// Opens an existing folder without checking it.
    #[must_use]
    pub fn existing(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Returns the folder's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns its last component: the run's name.
    #[must_use]
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Returns the path of a file in it.
    #[must_use]
    pub fn file(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Returns true if nothing was recorded in it: its process was killed before the manifest had its name.
    #[must_use]
    pub fn is_unused(&self) -> bool {
        fs::read_dir(&self.path).is_ok_and(|entries| {
            entries.flatten().all(|entry| entry.file_name() == "run.json.partial")
        })
    }

    /// Writes a file whole or not at all ([`write_file`]).
    pub fn write(&self, name: &str, content: &[u8]) -> Result<(), Error> {
        let path = self.file(name);
        write_file(&path, PRIVATE, |file| file.write_all(content))
            .map_err(Error::io("write", &path))
    }
}

pub(super) fn append(path: &Path) -> std::io::Result<File> {
    OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_taken_name_is_refused_and_nothing_in_it_changes() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = RunFolder::create(parent.path(), "a").expect("made");
        folder.write("run.json", b"{}").expect("written");
        let error = RunFolder::create(parent.path(), "a").expect_err("it exists");
        assert_eq!(error.kind, Kind::Exists);
        assert_eq!(fs::read(folder.file("run.json")).expect("still there"), b"{}");
        let mode = fs::metadata(folder.file("run.json")).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_folder_is_unused_until_something_is_recorded() {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = RunFolder::create(parent.path(), "a").expect("made");
        assert!(folder.is_unused());
        fs::write(folder.file("run.json.partial"), "{").expect("written");
        assert!(folder.is_unused());
        fs::write(folder.file("notes.md"), "").expect("written");
        assert!(!folder.is_unused());
    }

    #[test]
    fn a_name_that_leaves_the_folder_is_refused() {
        let parent = tempfile::tempdir().expect("a folder");
        for name in ["", "..", "a/b", ".hidden", "a b"] {
            let error = RunFolder::create(parent.path(), name).expect_err(name);
            assert!(error.to_string().starts_with("invalid run name"), "{error}");
        }
    }
}
