//! File matching by glob patterns.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use walkdir::{DirEntry, WalkDir};

use crate::dataset::read;
use crate::error::Error;

/// Compiles patterns for paths with `/`; `*` does not cross a `/`, `**` does; matching ignores case.
pub fn set<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Result<GlobSet, Error> {
    let mut builder = GlobSetBuilder::new();
    for pattern in patterns {
        let glob = GlobBuilder::new(pattern).literal_separator(true).case_insensitive(true).build();
        builder.add(glob.map_err(|source| invalid(pattern, source))?);
    }
    builder.build().map_err(|source| invalid("", source))
}

fn invalid(pattern: &str, source: globset::Error) -> Error {
    let hint = "write patterns such as `*.md` or `guides/**/*.rst`";
    Error::new(format!("invalid glob pattern `{pattern}`"), hint).because(source)
}

/// The files of a folder.
#[derive(Debug, Default)]
pub struct Walked {
    /// Each file with its path from the folder with `/`, ascending by that path.
    pub files: Vec<(String, PathBuf)>,
    /// Number of skipped symbolic links.
    pub n_links: usize,
}

/// Returns the files under `root`. Hidden folders and files (names beginning with a dot) are skipped, and so are the folders of runs
/// and tunes, whose reports are no documents, and symbolic links unless `follows_links`.
pub fn walk(root: &Path, follows_links: bool) -> Result<Walked, Error> {
    let mut walked = Walked::default();
    let is_walked = |entry: &DirEntry| !is_hidden(root, entry.path()) && !is_of_results(entry);
    let entries = WalkDir::new(root).follow_links(follows_links).into_iter();
    for entry in entries.filter_entry(is_walked) {
        // A link that leads nowhere, or in a circle.
        let is_lost = |error: &walkdir::Error| error.path().is_some_and(Path::is_symlink);
        if entry.as_ref().is_err_and(is_lost) {
            walked.n_links += 1;
            continue;
        }
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(root).to_owned();
            Error::read(&path, error.into())
        })?;
        if !follows_links && entry.path_is_symlink() && entry.depth() > 0 {
            walked.n_links += 1;
        } else if entry.file_type().is_file() {
            let name = relative(root, entry.path())?;
            walked.files.push((name, entry.into_path()));
        }
    }
    walked.files.sort_unstable();
    Ok(walked)
}

/// Returns true for the folder of a run or a tune below the root.
fn is_of_results(entry: &DirEntry) -> bool {
    let has = |name| entry.path().join(name).is_file();
    entry.depth() > 0 && entry.file_type().is_dir() && (has("run.json") || has("tune.json"))
}

fn relative(root: &Path, path: &Path) -> Result<String, Error> {
    let parts =
        path.strip_prefix(root).unwrap_or(path).components().map(|part| part.as_os_str().to_str());
    let parts: Option<Vec<&str>> = parts.collect();
    let parts = parts.ok_or_else(|| read::layout(path, "name in UTF-8"))?;
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
    fn files_come_in_the_order_of_their_paths_without_hidden_ones_and_results() {
        let folder = tempfile::tempdir().expect("a folder");
        let of_results = ["ragtriage-runs/tune/tune.json", "ragtriage-runs/tune/report.md"];
        let names = ["b.md", "a/z.md", "a/.hidden", ".git/x.md", "a.md"];
        for name in names.iter().chain(&of_results) {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            std::fs::write(path, "").expect("written");
        }
        let files = walk(folder.path(), false).expect("walks").files;
        // `.` (0x2e) comes before `/` (0x2f).
        assert_eq!(
            files.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(),
            ["a.md", "a/z.md", "b.md"]
        );
    }

    #[test]
    fn links_are_counted_and_not_followed() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("root");
        std::fs::create_dir_all(root.join("a")).expect("made");
        std::fs::write(root.join("a/x.md"), "").expect("written");
        let links = [("a", "b"), ("a/x.md", "x.md"), ("..", "out"), ("gone", "dangling.md")];
        for (target, link) in links.into_iter().chain([("self", "self"), ("gone", ".#lock")]) {
            symlink(root.join(target), root.join(link)).expect("linked");
        }
        symlink(&root, folder.path().join("named")).expect("linked");
        for root in [root, folder.path().join("named")] {
            let walked = walk(&root, false).expect("walks");
            let names: Vec<&str> = walked.files.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!((names, walked.n_links), (vec!["a/x.md"], 5));
        }
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
