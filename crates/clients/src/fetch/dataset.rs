//! Known data sets, installed where the configuration expects them: from their publishers, or from a local copy.
//!
//! `known.json` is the table of sets, files and addresses. Addresses: the `README` of hotpotqa/hotpot, the page of SQuAD-explorer,
//! the table of beir-cellar/beir, Glasgow's list of test collections; `XQuAD` is in google-deepmind/xquad. Hashes: those of SQuAD
//! and HotpotQA as pinned by several projects (tensorflow/datasets, `ParlAI`). Licences are printed, none has to be accepted.
//! Archives are not unpacked: whoever wants such a set names its folder.
//!
//! A set is built in a temporary folder next to its place and renamed at the end, so that a partial set is never visible.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::Deserialize;
use tempfile::TempDir;

use super::download::{OnDownload, Wanted, install};
use crate::Error;
use ragtriage_data::dataset::globs;

/// Tries of a download.
const TRIES: u32 = 4;

/// A published data set and the files it needs, as globs relative to its folder.
#[derive(Deserialize)]
struct KnownSet {
    name: &'static str,
    /// Each must match at least one file.
    required: Vec<&'static str>,
    /// Copied if present.
    #[serde(default)]
    optional: Vec<&'static str>,
    /// `None` if it can only be installed from a copy.
    publisher: Option<Publisher>,
    /// The address of an archive that holds it.
    archive: Option<&'static str>,
}

#[derive(Deserialize)]
struct Publisher {
    url: String,
    /// The single file of the set, with its name there.
    file: &'static str,
    /// In lower-case hex.
    sha256: &'static str,
    /// Maximum size of the download.
    most_mib: u64,
    /// As the publisher states it.
    licence: &'static str,
}

static SETS: LazyLock<Vec<KnownSet>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("known.json")).expect("the table is well-formed")
});

impl KnownSet {
    /// Returns the set of that name.
    fn of(name: &str) -> Result<&'static Self, Error> {
        SETS.iter().find(|set| set.name == name).ok_or_else(|| {
            let known: Vec<String> = SETS.iter().map(|set| format!("`{}`", set.name)).collect();
            let hint = format!("known data sets: {}", known.join(", "));
            Error::new(format!("unknown data set `{name}`")).hinting(hint)
        })
    }

    /// Returns all patterns: licences and descriptions are included with every set.
    fn patterns(&self) -> impl Iterator<Item = &'static str> {
        let papers = ["README*", "LICEN[CS]E*"];
        self.required.iter().chain(&self.optional).copied().chain(papers)
    }

    /// Returns the place of the set under `root`; an existing one is an error without `force`.
    fn target(&self, root: &Path, force: bool) -> Result<PathBuf, Error> {
        let target = root.join(self.name);
        if target.exists() && !force {
            return Err(Error::new(format!("`{}` already exists", target.display()))
                .hinting("choose another path, or replace it with `--force`"));
        }
        Ok(target)
    }

    /// Returns the files of the set under `folder`, each with its path in the set; fails if `source` lacks a required one.
    fn files(&self, folder: &Path, source: &str) -> Result<Vec<(String, PathBuf)>, Error> {
        let files = globs::walk(folder, true).map_err(Error::from_other)?.files;
        self.check(&files, source)?;
        let all = globs::set(self.patterns()).map_err(Error::from_other)?;
        Ok(files.into_iter().filter(|(path, _)| all.is_match(path)).collect())
    }

    fn check(&self, files: &[(String, PathBuf)], source: &str) -> Result<(), Error> {
        for pattern in &self.required {
            let glob = globs::set([*pattern]).map_err(Error::from_other)?;
            if !files.iter().any(|(path, _)| glob.is_match(path)) {
                return Err(Error::new(format!("{source} has no `{pattern}`"))
                    .hinting("name a copy of that data set with `--from PATH`"));
            }
        }
        Ok(())
    }
}

/// Copies the known data set `name` from `from` to `<to_root>/<name>` and returns that path.
///
/// `from` is its folder or one of its files (for a single-file set only that file is copied). Files that the set does
/// not need are not copied. An existing copy is an error, or replaced with `force`.
pub fn copy_local(name: &str, from: &Path, to_root: &Path, force: bool) -> Result<PathBuf, Error> {
    let set = KnownSet::of(name)?;
    let target = set.target(to_root, force)?;
    let source = format!("`{}`", from.display());
    if !from.exists() {
        let hint = "name the folder or file of the data set with `--from`";
        return Err(Error::new(format!("{source} does not exist")).hinting(hint));
    }
    let files = if from.is_file() && set.required.len() == 1 {
        let name = from.file_name().unwrap_or_default().to_string_lossy();
        let file = vec![(name.into_owned(), from.to_owned())];
        set.check(&file, &source)?;
        file
    } else {
        let folder = if from.is_file() { from.parent().unwrap_or(from) } else { from };
        set.files(if folder.as_os_str().is_empty() { Path::new(".") } else { folder }, &source)?
    };
    let building = Building::new(to_root, name)?;
    for (path, file) in files {
        copy_file(&file, &building.set.join(path))?;
    }
    building.install(&target)?;
    Ok(target)
}

/// Copies the bytes, not the permissions: the copy of a read-only original can be replaced.
fn copy_file(from: &Path, to: &Path) -> Result<(), Error> {
    let unwritable = Error::disk(to);
    if let Some(folder) = to.parent() {
        fs::create_dir_all(folder).map_err(unwritable)?;
    }
    let mut source = File::open(from).map_err(Error::disk(from))?;
    let mut copy = File::create(to).map_err(unwritable)?;
    io::copy(&mut source, &mut copy).map_err(unwritable)?;
    copy.sync_all().map_err(unwritable)
}

/// A set that is being built in a temporary folder next to its place.
struct Building {
    scratch: TempDir,
    set: PathBuf,
}

impl Building {
    fn new(root: &Path, name: &str) -> Result<Self, Error> {
        let unwritable = Error::disk(root);
        fs::create_dir_all(root).map_err(unwritable)?;
        let scratch = tempfile::Builder::new().prefix(&format!(".{name}.")).tempdir_in(root);
        let scratch = scratch.map_err(unwritable)?;
        let set = scratch.path().join("set");
        fs::create_dir(&set).map_err(unwritable)?;
        Ok(Self { scratch, set })
    }

    /// Moves the set to `target`, which it replaces.
    fn install(self, target: &Path) -> Result<(), Error> {
        let old = self.scratch.path().join("old");
        if target.exists() {
            fs::rename(target, &old).map_err(Error::disk(target))?;
        }
        fs::rename(&self.set, target).map_err(|error| {
            let _ = fs::rename(&old, target); // restores the old set; the first error is more informative
            Error::disk(target)(error)
        })
    }
}

/// An installed set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetched {
    /// Its folder.
    pub folder: PathBuf,
    /// The publisher's licence.
    pub licence: &'static str,
}

/// Fetches the known data set `name` to `<to_root>/<name>` from its publisher. An existing set is an error, or replaced with
/// `force`.
pub async fn fetch(
    name: &str,
    to_root: &Path,
    force: bool,
    on_download: OnDownload<'_>,
) -> Result<Fetched, Error> {
    fetch_set(KnownSet::of(name)?, to_root, force, on_download).await
}

async fn fetch_set(
    set: &KnownSet,
    to_root: &Path,
    force: bool,
    on_download: OnDownload<'_>,
) -> Result<Fetched, Error> {
    let name = set.name;
    let Some(Publisher { url, file, sha256, most_mib, licence }) = &set.publisher else {
        return Err(match set.archive {
            Some(url) => Error::new(format!("`{name}` is published as an archive")).hinting(
                format!("download and unpack {url}, and name the folder with `--from PATH`"),
            ),
            None => Error::new(format!("no download address of `{name}` is known"))
                .hinting("name a copy with `--from PATH`"),
        });
    };
    let target = set.target(to_root, force)?;
    let building = Building::new(to_root, name)?;
    let wanted = Wanted { url, key: None, file: name, most_bytes: most_mib << 20, tries: TRIES };
    let fetched = install(&wanted, &building.set.join(file), Some(sha256), on_download).await;
    fetched.map_err(|error| error.hinting("try again later, or name a copy with `--from PATH`"))?;
    building.install(&target)?;
    Ok(Fetched { folder: target, licence })
}

#[cfg(test)]
mod tests {
    use wiremock::matchers::any;
    use wiremock::{Mock, MockServer, ResponseTemplate};

    use super::*;
    use ragtriage_core::hint::Hint;

    #[test]
    fn every_publisher_has_an_address_of_its_file_and_a_whole_hash() {
        for publisher in SETS.iter().filter_map(|set| set.publisher.as_ref()) {
            let url = crate::http::parse(&publisher.url, "").expect("an address");
            assert_eq!(url.path_segments().and_then(Iterator::last), Some(publisher.file));
            assert_eq!(publisher.sha256.len(), 64, "4 bits per digit");
        }
    }

    #[tokio::test]
    async fn a_set_that_is_an_archive_or_nowhere_is_named_by_its_copy() {
        let root = folder(&[]);
        for (set, hint) in [
            ("scifact", "download and unpack https://public.ukp"),
            ("trec_eval", "name a copy with `--from PATH`"),
        ] {
            let error =
                fetch(set, root.path(), false, &|_| ()).await.expect_err("a copy is needed");
            assert!(error.hint().expect("a hint").starts_with(hint), "{error}");
        }
    }

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
        assert!(refused.expect_err("there").to_string().ends_with("already exists"));
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
        assert_eq!(error.to_string(), "unknown data set `hotpot_qa`");
        let hint = error.hint().expect("a hint");
        assert!(hint.starts_with("known data sets: `hotpotqa`, `squad`,"), "{hint}");
        assert!(copy_local("squad", &to.path().join("no"), to.path(), false).is_err());
    }

    /// `printf abc | sha256sum`.
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

    async fn server(answer: ResponseTemplate) -> MockServer {
        let server = MockServer::start().await;
        Mock::given(any()).respond_with(answer).mount(&server).await;
        server
    }

    /// A set of one file at this publisher.
    fn set(publisher: &MockServer) -> KnownSet {
        KnownSet {
            name: "abc",
            required: vec!["*.txt"],
            optional: Vec::new(),
            publisher: Some(Publisher {
                url: publisher.uri(),
                file: "abc.txt",
                sha256: ABC,
                most_mib: 1,
                licence: "none",
            }),
            archive: None,
        }
    }

    #[tokio::test]
    async fn a_set_is_installed_if_its_hash_is_correct() {
        let root = tempfile::tempdir().expect("a folder");
        for (answer, cause) in [
            (ResponseTemplate::new(404), "answered with status 404"),
            (ResponseTemplate::new(200).set_body_string("abd"), "has sha256"),
        ] {
            let publisher = server(answer).await;
            let error = fetch_set(&set(&publisher), root.path(), false, &|_| ()).await;
            let error = error.expect_err("not that file");
            assert!(error.to_string().contains(cause), "{error}");
            assert!(error.hint().expect("a hint").contains("`--from PATH`"));
            assert!(listing(root.path()).is_empty());
        }
        let publisher = server(ResponseTemplate::new(200).set_body_string("abc")).await;
        let fetched = fetch_set(&set(&publisher), root.path(), false, &|_| ()).await;
        assert_eq!(fetched.expect("fetched").licence, "none");
        let text = fs::read_to_string(root.path().join("abc/abc.txt")).expect("installed");
        assert_eq!(text, "abc");
    }
}
