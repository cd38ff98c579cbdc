//! Installation of a data set from a local copy.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::known::{self, KnownSet};
use super::scratch::{self, SetScratch};
use super::{required, wanted};
use ragtriage_datasets::DatasetError;

/// Copies the known data set `name` from `from` to `<to_root>/<name>` and returns that path.
///
/// `from` is its folder or one of its files (for a single-file set only that file is copied). Files that the set does
/// not need are not copied. An existing copy is an error, or replaced with `force`.
pub fn copy_local(
    name: &str,
    from: &Path,
    to_root: &Path,
    force: bool,
) -> Result<PathBuf, DatasetError> {
    let set = known::set(name)?;
    scratch::restore(to_root, name);
    let target = known::target(set, to_root, force)?;
    let files = named(set, from)?;
    let copy = SetScratch::new(to_root, name, "tmp")?;
    for (path, file) in files {
        copy_file(&file, &copy.path().join(path))?;
    }
    copy.install(&target)?;
    Ok(target)
}

/// Returns the files to copy, each with its path in the set.
fn named(set: &KnownSet, from: &Path) -> Result<Vec<(String, PathBuf)>, DatasetError> {
    if !from.exists() {
        return Err(DatasetError::Missing { path: from.to_owned() });
    }
    if from.is_file() && set.required.len() == 1 {
        let name = from.file_name().unwrap_or_default().to_string_lossy();
        let file = vec![(name.into_owned(), from.to_owned())];
        return required(set, from, &file).map(|()| file);
    }
    let folder = if from.is_file() { from.parent().unwrap_or(from) } else { from };
    if folder.as_os_str().is_empty() {
        return wanted(set, Path::new("."));
    }
    wanted(set, folder)
}

/// Copies the bytes, not the permissions: the copy of a read-only original can be replaced.
fn copy_file(from: &Path, to: &Path) -> Result<(), DatasetError> {
    let unwritable = DatasetError::write(to);
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(unwritable)?;
    }
    let mut source = File::open(from).map_err(DatasetError::read(from))?;
    let mut copy = File::create(to).map_err(unwritable)?;
    io::copy(&mut source, &mut copy).map_err(unwritable)?;
    copy.sync_all().map_err(unwritable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ragtriage_core::hint::Hint;

    fn folder(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, *file).expect("written");
        }
        folder
    }

    fn listing(root: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(root)
            .expect("a folder")
            .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_set_is_copied_whole_without_strangers() {
        let from = folder(&[
            "corpus.jsonl",
            "queries.jsonl",
            "qrels/test.tsv",
            "qrels/train.tsv",
            "README.md",
            "junk.bin",
        ]);
        let to = folder(&[]);
        let copy = copy_local("scifact", from.path(), to.path(), false).expect("copies");
        assert_eq!(listing(&copy), ["README.md", "corpus.jsonl", "qrels", "queries.jsonl"]);
        assert_eq!(
            fs::read_to_string(copy.join("qrels/train.tsv")).expect("there"),
            "qrels/train.tsv"
        );
        assert_eq!(listing(to.path()), ["scifact"]);
    }

    #[test]
    fn one_file_is_enough_to_name_a_set() {
        let from = folder(&["dev.json", "train.json", "CISI.ALL", "cisi.qry", "CISI.REL"]);
        let to = folder(&[]);
        let hotpotqa = copy_local("hotpotqa", &from.path().join("dev.json"), to.path(), false)
            .expect("copies");
        assert_eq!(listing(&hotpotqa), ["dev.json"]);
        let cisi =
            copy_local("cisi", &from.path().join("CISI.ALL"), to.path(), false).expect("copies");
        assert_eq!(listing(&cisi), ["CISI.ALL", "CISI.REL", "cisi.qry"]);
    }

    #[test]
    fn an_incomplete_set_leaves_nothing_behind() {
        let from = folder(&["CISI.ALL", "CISI.QRY"]);
        let to = folder(&[]);
        let error = copy_local("cisi", from.path(), to.path(), false).unwrap_err();
        assert!(error.to_string().ends_with("has no `CISI.REL`"), "{error}");
        assert!(listing(to.path()).is_empty());
    }

    #[test]
    fn a_copy_that_is_there_is_replaced_by_force_only() {
        let to = folder(&["squad/old.json"]);
        let from = folder(&["new.json"]);
        let refused = copy_local("squad", from.path(), to.path(), false);
        assert!(matches!(refused, Err(DatasetError::Exists { .. })));
        assert_eq!(listing(&to.path().join("squad")), ["old.json"]);
        copy_local("squad", from.path(), to.path(), true).expect("replaces");
        assert_eq!(listing(&to.path().join("squad")), ["new.json"]);
        assert_eq!(listing(to.path()), ["squad"]);
    }

    #[test]
    fn a_set_that_a_killed_process_had_moved_aside_is_there() {
        let to = folder(&[".squad.7.old/set/old.json"]);
        let from = folder(&["new.json"]);
        let refused = copy_local("squad", from.path(), to.path(), false);
        assert!(matches!(refused, Err(DatasetError::Exists { .. })));
        assert_eq!(listing(&to.path().join("squad")), ["old.json"]);
        assert_eq!(listing(to.path()), ["squad"]);
    }

    #[test]
    fn a_set_can_be_made_from_its_own_copy() {
        let to = folder(&["squad/dev.json"]);
        copy_local("squad", &to.path().join("squad"), to.path(), true).expect("copies");
        assert_eq!(listing(&to.path().join("squad")), ["dev.json"]);
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let to = folder(&[]);
        let error = copy_local("hotpot_qa", to.path(), to.path(), false).unwrap_err();
        assert_eq!(error.to_string(), "unknown data set `hotpot_qa`");
        let hint = error.hint().expect("a hint");
        assert!(
            hint.starts_with("did you mean `hotpotqa`? known data sets: `hotpotqa`, `squad`,"),
            "{hint}"
        );
        assert!(matches!(
            copy_local("squad", &to.path().join("no"), to.path(), false),
            Err(DatasetError::Missing { .. })
        ));
    }
}
