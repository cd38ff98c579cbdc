//! Known data sets, put where the settings expect them from a copy on this machine.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::{DatasetError, globs};

/// A published data set and the files it needs, as globs from its folder.
struct KnownSet {
    name: &'static str,
    /// Each must match at least one file.
    required: &'static [&'static str],
    /// Copied when there.
    optional: &'static [&'static str],
}

const SETS: [KnownSet; 7] = [
    KnownSet { name: "hotpotqa", required: &["*.{json,jsonl}"], optional: &[] },
    KnownSet { name: "squad", required: &["*.json"], optional: &[] },
    KnownSet { name: "cisi", required: &["CISI.ALL", "CISI.QRY", "CISI.REL"], optional: &[] },
    KnownSet {
        name: "scifact",
        required: &["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"],
        optional: &["qrels/*.tsv"],
    },
    KnownSet { name: "chunking_eval", required: &["corpora/*.md", "questions_df.csv"], optional: &[] },
    KnownSet {
        name: "trec_eval",
        required: &["qrels.test", "results.test", "out.test"],
        optional: &["qrels.*", "results.*", "out.*", "COMMANDS.txt"],
    },
    KnownSet { name: "qa_scores", required: &["*gold*.json", "*predictions*.json"], optional: &[] },
];

/// Licences and descriptions travel with every set.
const PAPERS: [&str; 2] = ["README*", "LICEN[CS]E*"];

/// The names that [`copy_local`] knows.
pub fn known_sets() -> impl Iterator<Item = &'static str> {
    SETS.iter().map(|set| set.name)
}

/// Copies the known data set `name` from `from` to `<to_root>/<name>` and returns that path.
///
/// `from` is its folder or one of its files (of a set that is one file: just that one is taken). Files that the set does
/// not need stay behind. The copy is made beside its place and renamed at the end, so that there is never half a set. A
/// copy that is there already is an error, or with `force` replaced.
pub fn copy_local(name: &str, from: &Path, to_root: &Path, force: bool) -> Result<PathBuf, DatasetError> {
    let set = SETS.iter().find(|set| set.name == name).ok_or_else(|| DatasetError::UnknownSet { name: name.into() })?;
    let target = to_root.join(name);
    if target.exists() && !force {
        return Err(DatasetError::Exists { path: target });
    }
    let files = wanted(set, from)?;
    let copy = Scratch::new(to_root, name, "tmp")?;
    for (path, file) in files {
        copy_file(&file, &copy.0.join(path))?;
    }
    let moved = |result: io::Result<()>| result.map_err(|source| DatasetError::Write { path: target.clone(), source });
    let earlier = Scratch::new(to_root, name, "old")?;
    if target.exists() {
        moved(fs::rename(&target, earlier.0.join("set")))?;
    }
    if let Err(error) = moved(fs::rename(&copy.0, &target)) {
        let _ = fs::rename(earlier.0.join("set"), &target); // back to what was there; the first error tells more
        return Err(error);
    }
    Ok(target)
}

/// The files to copy, each with its path in the set; fails when a required one is not there.
fn wanted(set: &KnownSet, from: &Path) -> Result<Vec<(String, PathBuf)>, DatasetError> {
    if !from.exists() {
        return Err(DatasetError::Missing { path: from.to_owned() });
    }
    let is_single = from.is_file() && set.required.len() == 1;
    let folder = if from.is_file() { from.parent().unwrap_or(from) } else { from };
    let files = if is_single {
        vec![(from.file_name().unwrap_or_default().to_string_lossy().into_owned(), from.to_owned())]
    } else {
        globs::walk(if folder.as_os_str().is_empty() { Path::new(".") } else { folder })?
    };
    for pattern in set.required {
        let glob = globs::set([*pattern])?;
        if !files.iter().any(|(path, _)| glob.is_match(path)) {
            return Err(DatasetError::Layout { path: from.to_owned(), expected: format!("`{pattern}`") });
        }
    }
    let all = globs::set(set.required.iter().chain(set.optional).chain(&PAPERS).copied())?;
    Ok(files.into_iter().filter(|(path, _)| all.is_match(path)).collect())
}

/// Copies the bytes, not the permissions: a read-only original makes a copy that can be replaced.
fn copy_file(from: &Path, to: &Path) -> Result<(), DatasetError> {
    let write = |source| DatasetError::Write { path: to.to_owned(), source };
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(write)?;
    }
    let mut source = File::open(from).map_err(|source| DatasetError::Read { path: from.to_owned(), source })?;
    let mut copy = File::create(to).map_err(write)?;
    io::copy(&mut source, &mut copy).map_err(write)?;
    copy.sync_all().map_err(write)
}

/// A folder beside the target that is gone at the end, whatever happens.
struct Scratch(PathBuf);

impl Scratch {
    fn new(root: &Path, name: &str, purpose: &str) -> Result<Self, DatasetError> {
        let path = root.join(format!(".{name}.{}.{purpose}", std::process::id()));
        let _ = fs::remove_dir_all(&path); // of a process of that id that was killed; there is none as a rule
        fs::create_dir_all(&path).map_err(|source| DatasetError::Write { path: path.clone(), source })?;
        Ok(Self(path))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0); // after the rename there is nothing left to remove
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let from =
            folder(&["corpus.jsonl", "queries.jsonl", "qrels/test.tsv", "qrels/train.tsv", "README.md", "junk.bin"]);
        let to = folder(&[]);
        let copy = copy_local("scifact", from.path(), to.path(), false).expect("copies");
        assert_eq!(listing(&copy), ["README.md", "corpus.jsonl", "qrels", "queries.jsonl"]);
        assert_eq!(fs::read_to_string(copy.join("qrels/train.tsv")).expect("there"), "qrels/train.tsv");
        assert_eq!(listing(to.path()), ["scifact"]);
    }

    #[test]
    fn one_file_is_enough_to_name_a_set() {
        let from = folder(&["dev.json", "train.json", "CISI.ALL", "cisi.qry", "CISI.REL"]);
        let to = folder(&[]);
        let hotpotqa = copy_local("hotpotqa", &from.path().join("dev.json"), to.path(), false).expect("copies");
        assert_eq!(listing(&hotpotqa), ["dev.json"]);
        let cisi = copy_local("cisi", &from.path().join("CISI.ALL"), to.path(), false).expect("copies");
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
    fn a_set_can_be_made_from_its_own_copy() {
        let to = folder(&["squad/dev.json"]);
        copy_local("squad", &to.path().join("squad"), to.path(), true).expect("copies");
        assert_eq!(listing(&to.path().join("squad")), ["dev.json"]);
    }

    #[test]
    fn an_unknown_name_is_answered_with_the_known_ones() {
        let to = folder(&[]);
        let error = copy_local("hotpot_qa", to.path(), to.path(), false).unwrap_err();
        assert_eq!(error.to_string(), "there is no known data set `hotpot_qa`");
        assert!(
            error.hint().starts_with("did you mean `hotpotqa`? known are `hotpotqa`, `squad`,"),
            "{}",
            error.hint()
        );
        assert!(matches!(
            copy_local("squad", &to.path().join("no"), to.path(), false),
            Err(DatasetError::Missing { .. })
        ));
    }
}
