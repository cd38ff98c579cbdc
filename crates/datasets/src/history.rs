//! A data set's files at a commit, obtained with `git`.

use std::hash::{BuildHasher, Hasher};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::error::DatasetError;

/// An earlier version of a folder or file; removed on drop.
#[derive(Debug)]
pub struct Earlier {
    scratch: PathBuf,
    path: PathBuf,
}

impl Earlier {
    /// Returns the path of the earlier data set.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Earlier {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.scratch); // a leftover scratch folder is harmless
    }
}

/// Writes the contents of `path` at the commit `reference` into a new folder under `scratch`. The repository is only
/// read.
///
/// # Errors
/// `History` with git's message: not a repository, unknown commit, path missing at that commit;
/// `Write`.
pub fn earlier(path: &Path, reference: &str, scratch: &Path) -> Result<Earlier, DatasetError> {
    let (folder, name) = if path.is_dir() {
        (path, None)
    } else {
        (path.parent().unwrap_or(path), path.file_name())
    };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let scratch = own_folder(scratch).map_err(DatasetError::write(scratch))?;
    let set = scratch.join("set");
    let earlier =
        Earlier { path: name.map_or_else(|| set.clone(), |name| set.join(name)), scratch };
    std::fs::create_dir_all(&set).map_err(DatasetError::write(&set))?;
    let git = Git { folder, index: &earlier.scratch.join("index") };
    git.check_out(reference, &set).map_err(|reason| DatasetError::History {
        path: path.to_owned(),
        reference: reference.into(),
        reason,
    })?;
    Ok(earlier)
}

/// Runs git in a repository's folder with a separate index, leaving the repository's index untouched.
struct Git<'a> {
    folder: &'a Path,
    index: &'a Path,
}

impl Git<'_> {
    /// Filters (line ends, large files) apply as in any checkout.
    fn check_out(&self, reference: &str, into: &Path) -> Result<(), String> {
        if reference.starts_with('-') {
            return Err("a commit name must not begin with `-`".to_owned());
        }
        let prefix = self.run(&["rev-parse", "--show-prefix"])?;
        let root = self.run(&["rev-parse", "--show-toplevel"])?;
        let commit = format!("{reference}^{{commit}}");
        let commit = self
            .run(&["rev-parse", "--verify", "--quiet", &commit])
            .map_err(|_| "unknown commit".to_owned())?;
        let git = Git { folder: Path::new(&root), index: self.index };
        let tree = format!("{commit}:{}", prefix.trim_end_matches('/'));
        git.run(&["read-tree", &tree]).map_err(|_| "it did not exist in that commit".to_owned())?;
        let into = std::path::absolute(into).unwrap_or_else(|_| into.to_owned());
        let into = format!("--prefix={}/", into.display());
        git.run(&["checkout-index", "--all", &into]).map(drop)
    }

    /// Returns the standard output; the error is the first line that git reported.
    fn run(&self, arguments: &[&str]) -> Result<String, String> {
        let mut command = Command::new("git");
        // Inside a hook these variables name the committing repository, regardless of the data
        // set's location.
        for name in
            ["GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY"]
        {
            command.env_remove(name);
        }
        let output = command
            .arg("-C")
            .arg(self.folder)
            .args(arguments)
            .env("GIT_INDEX_FILE", self.index)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("cannot run git: {error}"))?;
        if output.status.success() {
            let text = String::from_utf8_lossy(&output.stdout);
            return Ok(text.trim_end_matches('\n').to_owned());
        }
        let text = String::from_utf8_lossy(&output.stderr);
        Err(text.lines().next().unwrap_or("git failed").to_owned())
    }
}

/// Creates a folder with an unpredictable name that only the current user may enter.
fn own_folder(under: &Path) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(under)?;
    let random = std::hash::RandomState::new().build_hasher().finish(); // seeded by the operating system
    let folder = under.join(format!("ragtriage-{}-{random:016x}", std::process::id()));
    std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(folder: &Path, arguments: &[&str]) {
        let identity =
            ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
        let done = Command::new("git")
            .arg("-C")
            .arg(folder)
            .args(identity)
            .args(arguments)
            .output()
            .expect("git runs");
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }

    #[test]
    fn files_come_back_as_they_were_and_the_repository_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let (root, scratch) = (folder.path().join("repo"), folder.path().join("scratch"));
        let set = root.join("data/my set");
        std::fs::create_dir_all(set.join("corpus/deep")).expect("made");
        std::fs::write(set.join("corpus/deep/a.md"), "first\n").expect("written");
        std::fs::write(root.join("else.md"), "x").expect("written");
        git(folder.path(), &["init", "-q", "repo"]);
        git(&root, &["add", "-A"]);
        git(&root, &["commit", "-q", "-m", "first"]);
        std::fs::write(set.join("corpus/deep/a.md"), "second\n").expect("written");
        std::fs::write(set.join("corpus/b.md"), "new\n").expect("written");
        git(&root, &["add", "data/my set/corpus/b.md"]);
        let status = || {
            Command::new("git")
                .arg("-C")
                .arg(&root)
                .args(["status", "--porcelain"])
                .output()
                .expect("runs")
                .stdout
        };
        let before = status();
        {
            let earlier = earlier(&set, "HEAD", &scratch).expect("there");
            let read = |name: &str| std::fs::read_to_string(earlier.path().join(name)).ok();
            assert_eq!(read("corpus/deep/a.md").as_deref(), Some("first\n"));
            assert_eq!((read("corpus/b.md"), read("else.md")), (None, None));
            let file =
                super::earlier(&set.join("corpus/deep/a.md"), "HEAD", &folder.path().join("other"))
                    .expect("a file");
            assert_eq!(std::fs::read_to_string(file.path()).expect("there"), "first\n");
        }
        assert_eq!(status(), before);
        assert_eq!(
            std::fs::read_dir(&scratch).expect("a folder").count(),
            0,
            "the scratch is gone"
        );
        for (reference, reason) in [("no-such", "unknown commit"), ("--all", "must not begin with")]
        {
            let error = earlier(&set, reference, &scratch).expect_err("refused").to_string();
            assert!(error.contains(reason), "{error}");
        }
    }
}
