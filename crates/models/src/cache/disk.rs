//! Disk usage of a file or folder.

use std::path::Path;
use std::time::SystemTime;

/// The disk usage of a path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DiskUse {
    /// Bytes of its files.
    pub bytes: u64,
    /// The latest modification time.
    pub changed: Option<SystemTime>,
}

impl DiskUse {
    /// Measures the file or folder at `path`. Files that disappear in the meantime, or cannot be read, count as
    /// empty.
    #[must_use]
    pub fn of(path: &Path) -> Self {
        let files = walkdir::WalkDir::new(path).into_iter().filter_map(Result::ok);
        let files =
            files.filter_map(|entry| entry.metadata().ok()).filter(std::fs::Metadata::is_file);
        files.fold(Self::default(), |sum, file| Self {
            bytes: sum.bytes + file.len(),
            changed: sum.changed.max(file.modified().ok()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_takes_what_its_files_take() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("a")).unwrap();
        std::fs::write(folder.path().join("a/b"), "12345").unwrap();
        std::fs::write(folder.path().join("c"), "678").unwrap();
        assert_eq!(DiskUse::of(folder.path()).bytes, 8);
        assert_eq!(DiskUse::of(&folder.path().join("c")).bytes, 3);
        assert_eq!(DiskUse::of(&folder.path().join("d")), DiskUse::default());
    }
}
