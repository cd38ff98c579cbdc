//! File matching by glob patterns.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use walkdir::WalkDir;

use crate::error::DatasetError;
use crate::read;

/// Compiles patterns for paths with `/`; `*` does not cross a `/`, `**` does; matching ignores case.
pub fn set<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<GlobSet, DatasetError> {
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern)
            .literal_separator(true)
            .case_insensitive(true)
            .build();
        builder.add(glob.map_err(|source| invalid(pattern, source))?);
    }
    builder.build().map_err(|source| invalid("", source))
}

fn invalid(pattern: &str, source: globset::Error) -> DatasetError {
    DatasetError::Glob {
        glob: pattern.to_owned(),
        source,
    }
}

/// Returns the files under `root`, each with its path from there with `/`, ascending by that path. Hidden folders
/// and files (names beginning with a dot) are skipped; links are followed.
pub fn walk(root: &Path) -> Result<Vec<(String, PathBuf)>, DatasetError> {
    let mut files = Vec::new();
    for entry in WalkDir::new(root)
        .follow_links(true)
        .into_iter()
        .filter_entry(|entry| !is_hidden(root, entry.path()))
    {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) if error.path().is_some_and(|path| is_hidden(root, path)) => continue, // for example an editor's dangling lock link
            Err(error) => {
                let path = error.path().unwrap_or(root).to_owned();
                return Err(read::unreadable(&path, error.into()));
            }
        };
        if entry.file_type().is_file() {
            files.push((relative(root, entry.path())?, entry.into_path()));
        }
    }
    files.sort_unstable();
    Ok(files)
}

fn relative(root: &Path, path: &Path) -> Result<String, DatasetError> {
    let parts = path
        .strip_prefix(root)
        .unwrap_or(path)
        .components()
        .map(|part| part.as_os_str().to_str());
    let parts: Option<Vec<&str>> = parts.collect();
    let parts = parts.ok_or_else(|| DatasetError::Layout {
        path: path.to_owned(),
        expected: "name in UTF-8".into(),
    })?;
    Ok(parts.join("/"))
}

fn is_hidden(root: &Path, path: &Path) -> bool {
    let name = path.file_name();
    path != root && name.is_some_and(|name| name.as_encoded_bytes()[0] == b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_in_the_order_of_their_paths_without_hidden_ones() {
        let folder = tempfile::tempdir().expect("a folder");
        for name in ["b.md", "a/z.md", "a/.hidden", ".git/x.md", "a.md"] {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, "").expect("written");
        }
        let files = walk(folder.path()).expect("walks");
        // `.` (0x2e) comes before `/` (0x2f).
        assert_eq!(
            files
                .iter()
                .map(|(name, _)| name.as_str())
                .collect::<Vec<_>>(),
            ["a.md", "a/z.md", "b.md"]
        );
    }

    #[test]
    fn a_star_stays_in_its_folder_and_a_broken_pattern_is_named() {
        let set = set(["*.md", "guides/**/*.rst"]).expect("patterns");
        assert!(
            set.is_match("READ.MD") && !set.is_match("a/b.md") && set.is_match("guides/a/b/c.rst")
        );
        let error = super::set(["a[b"]).unwrap_err();
        assert_eq!(error.to_string(), "invalid glob pattern `a[b`");
    }
}
