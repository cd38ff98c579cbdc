//! File matching by glob patterns.

use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use walkdir::{DirEntry, WalkDir};

use crate::dataset::error::Error;
use crate::dataset::read;

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
    Error::unusable(format!("invalid glob pattern `{pattern}`"), hint).because(source)
}

/// The files of a folder.
#[derive(Debug, Default)]
pub struct Walked {
    /// Each file with its path from the folder with `/`, ascending by that path.
    pub files: Vec<(String, PathBuf)>,
    /// Number of skipped links without a target, or to a folder around them.
    pub n_broken: usize,
    /// Number of skipped links that lead out of the folder.
    pub n_outside: usize,
}

/// Returns the files under `root`. Hidden folders and files (names beginning with a dot) are skipped, and so are the folders of
/// runs and tunes, whose reports are no documents; links are followed, those out of the root
/// only if `leaves_root`.
pub fn walk(root: &Path, leaves_root: bool) -> Result<Walked, Error> {
    let mut walked = Walked::default();
    let mut entries = WalkDir::new(root).follow_links(true).into_iter();
    while let Some(entry) = entries.next() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) if error.path().is_some_and(|path| is_hidden(root, path)) => continue, // for example an editor's dangling lock link
            Err(error) if is_broken_link(&error) => {
                walked.n_broken += 1;
                continue;
            }
            Err(error) => {
                let path = error.path().unwrap_or(root).to_owned();
                return Err(Error::read(&path, error.into()));
            }
        };
        let is_outside = !leaves_root && leads_out(root, &entry);
        if is_hidden(root, entry.path()) || is_outside {
            walked.n_outside += usize::from(is_outside && !is_hidden(root, entry.path()));
            if entry.file_type().is_dir() {
                entries.skip_current_dir();
            }
            continue;
        }
        if is_of_results(&entry) {
            entries.skip_current_dir();
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

/// Returns true for a link without a target, to itself, or to a folder around it.
fn is_broken_link(error: &walkdir::Error) -> bool {
    let is_denied = |path: &Path| {
        std::fs::metadata(path)
            .is_err_and(|error| error.kind() == std::io::ErrorKind::PermissionDenied)
    };
    error.loop_ancestor().is_some()
        || error.path().is_some_and(|path| path.is_symlink() && !is_denied(path))
}

fn leads_out(root: &Path, entry: &DirEntry) -> bool {
    if !entry.path_is_symlink() || entry.depth() == 0 {
        return false;
    }
    match (root.canonicalize(), entry.path().canonicalize()) {
        (Ok(root), Ok(target)) => !target.starts_with(root),
        _ => true,
    }
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
        let of_results = ["evals/tunes/tune/tune.json", "evals/tunes/tune/report.md"];
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
    fn links_that_lead_nowhere_or_out_are_counted_and_not_followed() {
        use std::os::unix::fs::symlink;
        let (folder, other) =
            (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        let (root, outside) = (folder.path(), other.path());
        std::fs::create_dir(root.join("a")).expect("made");
        for path in [root.join("a/x.md"), outside.join("y.md")] {
            std::fs::write(path, "").expect("written");
        }
        let links = [
            (root.join("a"), "b"),
            (root.join("a/x.md"), "x.md"),
            (outside.to_owned(), "out"),
            (outside.join("y.md"), "y.md"),
            (root.join("gone"), "dangling.md"),
            (root.join("self"), "self"),
            (root.to_owned(), "a/around"),
            (root.join("gone"), ".#lock"),
        ];
        for (target, link) in links {
            symlink(target, root.join(link)).expect("linked");
        }
        let names = |walked: &Walked| {
            let names = walked.files.iter().map(|(name, _)| name.clone());
            names.collect::<Vec<_>>().join(" ")
        };
        // `b` is another name of `a`, so its `around` is a link around as well.
        let inside = walk(root, false).expect("walks");
        assert_eq!(names(&inside), "a/x.md b/x.md x.md");
        assert_eq!((inside.n_broken, inside.n_outside), (4, 2));
        let everywhere = walk(root, true).expect("walks");
        assert_eq!(names(&everywhere), "a/x.md b/x.md out/y.md x.md y.md");
        assert_eq!((everywhere.n_broken, everywhere.n_outside), (4, 0));
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
