//! Known data sets, installed where the configuration expects them: from their publishers, or from a local copy.
//!
//! `known.json` is the table of sets, files and addresses. Addresses: the `README` of hotpotqa/hotpot, the page of SQuAD-explorer
//! and the repository that it is served from, the table of beir-cellar/beir, Glasgow's list of test collections; `XQuAD` is in
//! google-deepmind/xquad. Hashes: those of SQuAD and HotpotQA as pinned by several projects (tensorflow/datasets, `ParlAI`),
//! SciFact's as published by BEIR. Licences are printed, none has to be accepted.
//!
//! A set is built in a temporary folder next to its place and renamed at the end, so that a partial set is never visible.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::time::Duration;

use md5::Md5;
use serde::Deserialize;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::fetch::error::Error;
use crate::fetch::unpack::unpack;
use crate::http::{
    Backoff, Downloader, Error as HttpError, FileRequest, OnDownload, Partial, Url, address,
};
use ragtriage_core::text::address::shown;
use ragtriage_core::text::causes::with_causes;
use ragtriage_core::text::hex::hex;
use ragtriage_data::dataset::globs;

/// Publishers' servers may be slow or unreachable.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);
/// Attempts without progress.
const TRIES: u32 = 4;
/// Time limit for one set, across interruptions.
const DEADLINE: Duration = Duration::from_hours(6);

/// A published data set and the files it needs, as globs relative to its folder.
#[derive(Deserialize)]
pub(crate) struct KnownSet {
    name: &'static str,
    /// Each must match at least one file.
    required: Vec<&'static str>,
    /// Copied if present.
    #[serde(default)]
    optional: Vec<&'static str>,
    /// `None` if it can only be installed from a copy.
    pub(crate) publisher: Option<Publisher>,
}

#[derive(Deserialize)]
pub(crate) struct Publisher {
    /// Addresses of the same bytes, tried in order; without a hash there is one.
    urls: Vec<String>,
    pub(crate) packed: Archived,
    /// The published hash of the file, if there is one.
    hash: Option<Hash>,
    /// Maximum size of the download.
    most_mib: u64,
    /// As the publisher states it.
    licence: &'static str,
}

/// The form of the download.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Archived {
    /// The single file of the set, with its name there.
    File(&'static str),
    Zip,
    /// A tar archive under gzip.
    TarGz,
}

/// A digest in lower-case hex. BEIR's publisher gives the MD5 alone, which detects transfer errors and no manipulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Hash {
    Sha256(&'static str),
    Md5(&'static str),
}

static SETS: LazyLock<Vec<KnownSet>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("known.json")).expect("the table is well-formed")
});

impl KnownSet {
    /// Returns the set of that name.
    pub(crate) fn of(name: &str) -> Result<&'static Self, Error> {
        SETS.iter().find(|set| set.name == name).ok_or_else(|| {
            let known: Vec<String> = SETS.iter().map(|set| format!("`{}`", set.name)).collect();
            let hint = format!("known data sets: {}", known.join(", "));
            Error::local(format!("unknown data set `{name}`"), hint)
        })
    }

    /// Returns all patterns: licences and descriptions are included with every set.
    pub(crate) fn patterns(&self) -> impl Iterator<Item = &'static str> {
        let papers = ["README*", "LICEN[CS]E*"];
        self.required.iter().chain(&self.optional).copied().chain(papers)
    }

    /// Returns the place of the set under `root`; an existing one is an error without `force`.
    fn target(&self, root: &Path, force: bool) -> Result<PathBuf, Error> {
        let target = root.join(self.name);
        if target.exists() && !force {
            return Err(Error::local(
                format!("`{}` already exists", target.display()),
                "choose another path, or replace it with `--force`",
            ));
        }
        Ok(target)
    }

    /// Returns the files of the set under `folder`, each with its path in the set; fails if `source` lacks a required one.
    fn files(&self, folder: &Path, source: &str) -> Result<Vec<(String, PathBuf)>, Error> {
        let files = globs::walk(folder, true).map_err(|error| Error::of(&error))?.files;
        self.check(&files, source)?;
        let all = globs::set(self.patterns()).map_err(|error| Error::of(&error))?;
        Ok(files.into_iter().filter(|(path, _)| all.is_match(path)).collect())
    }

    fn check(&self, files: &[(String, PathBuf)], source: &str) -> Result<(), Error> {
        for pattern in &self.required {
            let glob = globs::set([*pattern]).map_err(|error| Error::of(&error))?;
            if !files.iter().any(|(path, _)| glob.is_match(path)) {
                return Err(Error::new(
                    format!("{source} has no `{pattern}`"),
                    "name a copy of that data set with `--from PATH`",
                ));
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
        return Err(Error::local(format!("{source} does not exist"), hint));
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
    /// The address it came from, without secrets.
    pub url: String,
    /// The sha256 of the download, if there was no published hash to verify it.
    pub unverified: Option<String>,
    /// The publisher's licence.
    pub licence: &'static str,
}

/// Fetches the known data set `name` to `<to_root>/<name>`, from the first of its sources that has the file, or from `url`, which
/// must have an identical file. An existing set is an error, or replaced with `force`.
pub async fn fetch(
    name: &str,
    url: Option<&str>,
    to_root: &Path,
    force: bool,
    on_download: OnDownload<'_>,
) -> Result<Fetched, Error> {
    fetch_set(KnownSet::of(name)?, url, to_root, force, on_download).await
}

async fn fetch_set(
    set: &KnownSet,
    url: Option<&str>,
    to_root: &Path,
    force: bool,
    on_download: OnDownload<'_>,
) -> Result<Fetched, Error> {
    let name = set.name;
    let publisher = set.publisher.as_ref().ok_or_else(|| {
        let message = format!("no download address of `{name}` is known");
        Error::local(message, "name a copy with `--from PATH`")
    })?;
    let target = set.target(to_root, force)?;
    let urls = url.map_or_else(|| publisher.urls.clone(), |url| vec![url.to_owned()]);
    let mut failed = Vec::new();
    for url in urls {
        let url = address(&url).map_err(|error| Error::of(&error))?;
        match from_source(set, publisher, &url, to_root, &target, on_download).await {
            Err(error) if !error.is_local => failed.push((shown(&url), error)),
            done => return done,
        }
    }
    if failed.len() == 1 {
        return Err(failed.remove(0).1);
    }
    let again =
        if failed.iter().any(|(_, it)| it.is_transient) { "try again later, or " } else { "" };
    let causes = failed.iter().map(|(url, error)| {
        let cause = with_causes(error);
        if cause.contains(url) { cause } else { format!("`{url}`: {cause}") }
    });
    let causes = causes.collect::<Vec<_>>().join("; ");
    Err(Error::new(
        format!("`{name}` could not be fetched from any source: {causes}"),
        format!("{again}use a local copy of the data set: `--from PATH` takes it"),
    ))
}

/// Fetches the set from one address and installs it.
async fn from_source(
    set: &KnownSet,
    publisher: &Publisher,
    url: &Url,
    to_root: &Path,
    target: &Path,
    on_download: OnDownload<'_>,
) -> Result<Fetched, Error> {
    let downloader =
        Downloader::new(url, None, CONNECT_TIMEOUT).map_err(|error| Error::of(&error))?;
    let building = Building::new(to_root, set.name)?;
    let file = building.scratch.path().join("download");
    File::create_new(&file).map_err(Error::disk(&file))?;
    let mut partial = Partial::fresh(&file).map_err(|error| Error::of(&error))?;
    let wanted = FileRequest {
        file: set.name,
        most_bytes: publisher.most_mib << 20,
        backoff: Backoff::new(TRIES, DEADLINE),
    };
    downloader.fetch(&wanted, &mut partial, on_download).await.map_err(|error| refused(&error))?;
    let unverified = verify(publisher.hash, &file, url)?;
    match publisher.packed {
        Archived::File(name) => copy_file(&file, &building.set.join(name))?,
        packed => unpack(packed, &file, set, &building.set).map_err(|refusal| {
            if refusal.is_local {
                return refusal;
            }
            let hint = "use another address with `--url URL`; nothing was unpacked";
            Error::new(format!("cannot unpack the archive of `{}`: {refusal}", shown(url)), hint)
        })?,
    }
    set.files(&building.set, &format!("the archive of `{}`", shown(url)))?;
    building.install(target)?;
    Ok(Fetched {
        folder: target.to_owned(),
        url: shown(url),
        unverified,
        licence: publisher.licence,
    })
}

fn refused(error: &HttpError) -> Error {
    Error::http(error).or_hint(if error.is_transient() {
        "try again; or name a mirror with `--url`, a copy with `--from`"
    } else {
        "name another address with `--url URL`, or a copy with `--from PATH`"
    })
}

/// Compares the download with its published hash; without one, returns its sha256.
fn verify(hash: Option<Hash>, file: &Path, url: &Url) -> Result<Option<String>, Error> {
    let (kind, found, expected) = match hash {
        None => return Ok(Some(digest::<Sha256>(file)?)),
        Some(Hash::Sha256(expected)) => ("sha256", digest::<Sha256>(file)?, expected),
        Some(Hash::Md5(expected)) => ("md5", digest::<Md5>(file)?, expected),
    };
    if found == expected {
        return Ok(None);
    }
    Err(Error::new(
        format!("the response of `{}` has {kind} {found}, expected {expected}", shown(url)),
        "try again; if the hash still differs, the publisher has changed the file: `--from PATH` takes a copy",
    ))
}

fn digest<D: Digest>(path: &Path) -> Result<String, Error> {
    let unreadable = Error::disk(path);
    let mut file = File::open(path).map_err(unreadable)?;
    let (mut digest, mut buffer) = (D::new(), vec![0; 1 << 18]);
    loop {
        match file.read(&mut buffer).map_err(unreadable)? {
            0 => return Ok(hex(&digest.finalize())),
            n => digest.update(&buffer[..n]),
        }
    }
}

/// Extracts an archive of the known set `name` into the empty folder `into`: the entry point of `fuzz/`.
///
/// # Errors
/// An unknown set, or one without an archive; the reason for refusing the archive.
#[doc(hidden)]
pub fn unpack_known(name: &str, archive: &Path, into: &Path) -> Result<(), String> {
    let set = KnownSet::of(name).map_err(|error| error.to_string())?;
    let publisher = set.publisher.as_ref().ok_or("no publisher")?;
    unpack(publisher.packed, archive, set, into).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use wiremock::matchers::any;
    use wiremock::{Mock, MockServer, ResponseTemplate};

    use super::*;
    use ragtriage_core::hint::Hint;

    #[test]
    fn every_publisher_has_an_address_and_whole_hashes() {
        for publisher in SETS.iter().filter_map(|set| set.publisher.as_ref()) {
            // Without a hash, two sources could differ.
            assert!(publisher.urls.len() == 1 || publisher.hash.is_some());
            for url in &publisher.urls {
                let url = crate::http::address(url).expect("an address");
                let name = url.path_segments().and_then(Iterator::last).expect("a file");
                match publisher.packed {
                    Archived::File(file) => assert_eq!(name, file),
                    Archived::Zip => assert_eq!(name.rsplit('.').next(), Some("zip")),
                    Archived::TarGz => assert!(name.ends_with(".tar.gz")),
                }
            }
            // 4 bits per digit.
            match publisher.hash {
                None => {}
                Some(Hash::Sha256(hash)) => assert_eq!(hash.len(), 64),
                Some(Hash::Md5(hash)) => assert_eq!(hash.len(), 32),
            }
        }
    }

    #[test]
    fn a_file_is_hashed_as_md5sum_does() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        fs::write(file.path(), "abc").expect("written");
        // printf abc | md5sum
        let md5 = digest::<Md5>(file.path()).expect("read");
        assert_eq!(md5, "900150983cd24fb0d6963f7d28e17f72");
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

    /// A set of one file with these sources, for as long as the process runs.
    fn set(sources: &[&MockServer]) -> &'static KnownSet {
        Box::leak(Box::new(KnownSet {
            name: "abc",
            required: vec!["*.txt"],
            optional: Vec::new(),
            publisher: Some(Publisher {
                urls: sources.iter().map(|source| source.uri()).collect(),
                packed: Archived::File("abc.txt"),
                hash: Some(Hash::Sha256(ABC)),
                most_mib: 1,
                licence: "none",
            }),
        }))
    }

    #[tokio::test]
    async fn the_next_source_is_asked_when_one_fails_or_sends_other_bytes() {
        let gone = server(ResponseTemplate::new(404)).await;
        let other = server(ResponseTemplate::new(200).set_body_string("abd")).await;
        let right = server(ResponseTemplate::new(200).set_body_string("abc")).await;
        let root = tempfile::tempdir().expect("a folder");
        let set = set(&[&gone, &other, &right]);
        let fetched = fetch_set(set, None, root.path(), false, &|_| ()).await;
        assert_eq!(fetched.expect("fetched").url, shown(&address(&right.uri()).expect("a URL")));
        let text = fs::read_to_string(root.path().join("abc/abc.txt")).expect("installed");
        assert_eq!(text, "abc");
        assert_eq!(right.received_requests().await.expect("recorded").len(), 1);
    }

    #[tokio::test]
    async fn every_source_is_named_with_its_cause_when_all_fail() {
        let gone = server(ResponseTemplate::new(404)).await;
        let other = server(ResponseTemplate::new(200).set_body_string("abd")).await;
        let root = tempfile::tempdir().expect("a folder");
        let error = fetch_set(set(&[&gone, &other]), None, root.path(), false, &|_| ()).await;
        let error = error.expect_err("no source has it");
        let text = error.to_string();
        assert!(text.starts_with("`abc` could not be fetched from any source: "), "{text}");
        for (source, cause) in [(&gone, "status 404"), (&other, "has sha256")] {
            let at = text.find(&source.uri()).unwrap_or_else(|| panic!("{text}"));
            assert!(text[at..].contains(cause), "{cause}: {text}");
        }
        assert_eq!(
            error.hint().as_deref(),
            Some("use a local copy of the data set: `--from PATH` takes it")
        );
        assert!(!root.path().join("abc").exists());
    }
}
