//! Any model of the Hugging Face hub: found in the caches, or downloaded at one commit.
//!
//! Caches have the layout of `huggingface_hub`: `models--ORG--NAME/snapshots/COMMIT/`, with the commit of each branch and tag in
//! `refs/`. The user's cache is read, never written; ours has the same layout.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use tempfile::NamedTempFile;

use super::ModelSource;
use crate::Error;
use crate::error::Fault;
use crate::fetch::download::{OnDownload, Wanted, download, install, part};
use ragtriage_encoder::checkpoint::Checkpoint;

/// The branch that the hub shows by default.
pub(super) const DEFAULT_REVISION: &str = "main";
/// Tries of each file.
const TRIES: u32 = 4;
/// Maximum size of a model's file.
pub(super) const MOST_BYTES: u64 = 4 << 30;

const CONFIG: &str = "config.json";
const WEIGHTS: &str = "model.safetensors";
const TOKENIZER: &str = "tokenizer.json";

/// The files that are fetched if the repository has them, the large ones last: shape, tokenizer, input length, pooling, prompts
/// (sentence-transformers), lengths and markers of late-interaction models (colbert-ai).
const MODEL_FILES: [&str; 10] = [
    CONFIG,
    TOKENIZER,
    "tokenizer_config.json",
    "special_tokens_map.json",
    "modules.json",
    "sentence_bert_config.json",
    "config_sentence_transformers.json",
    "1_Pooling/config.json",
    "artifact.metadata",
    WEIGHTS,
];

/// Returns the first needed file for which `has` is false.
fn missing_file(has: impl Fn(&str) -> bool) -> Option<&'static str> {
    [CONFIG, TOKENIZER, WEIGHTS].into_iter().find(|file| !has(file))
}

/// Returns true if the folder has the files without which no model is read.
fn is_complete(folder: &Path) -> bool {
    missing_file(|name| folder.join(name).is_file()).is_none()
}

/// A repository, and a branch, tag or commit of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubName {
    /// `ORG/NAME`, or `NAME` for the oldest models.
    pub name: String,
    /// `None` for the default branch.
    pub revision: Option<String>,
}

impl HubName {
    /// Parses `ORG/NAME` or `ORG/NAME@REVISION`.
    ///
    /// # Errors
    /// Anything else: names become paths and addresses.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let (name, revision) = match text.split_once('@') {
            Some((name, revision)) => (name, Some(revision)),
            None => (text, None),
        };
        let parts: Vec<&str> = name.split('/').collect();
        let is_valid = parts.len() <= 2
            && parts.iter().all(|part| is_part(part))
            && revision.is_none_or(|revision| revision.split('/').all(is_part));
        if !is_valid {
            return Err(Error::new(format!("`{text}` is not a model name"))
                .hinting("write it like `BAAI/bge-small-en-v1.5`, or `NAME@REVISION`"));
        }
        Ok(Self { name: name.to_owned(), revision: revision.map(str::to_owned) })
    }
}

impl fmt::Display for HubName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.revision {
            Some(revision) => write!(f, "{}@{revision}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// Returns true for letters, digits, `-`, `_` and `.` that are no relative path.
fn is_part(part: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    !part.is_empty() && !part.starts_with('.') && !part.contains("..") && part.chars().all(is_plain)
}

/// Returns true for a full commit hash.
fn is_commit(revision: &str) -> bool {
    revision.len() == 40 && revision.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A model in a cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Snapshot {
    /// Its commit.
    commit: String,
    /// Its folder.
    pub(super) folder: PathBuf,
}

/// Returns the model at `revision`, if the cache has the files that are needed.
pub(super) fn find(cache: &Path, name: &str, revision: &str) -> Option<Snapshot> {
    let commit = if is_commit(revision) {
        revision.to_owned()
    } else {
        let read = std::fs::read_to_string(reference(cache, name, revision)).ok()?;
        read.trim().to_owned()
    };
    let folder = snapshot_folder(cache, name, &commit);
    (is_commit(&commit) && is_complete(&folder)).then_some(Snapshot { commit, folder })
}

/// Returns the folder of a model's files at a commit.
fn snapshot_folder(cache: &Path, name: &str, commit: &str) -> PathBuf {
    model_folder(cache, name).join("snapshots").join(commit)
}

/// Returns the file that has the commit of a branch or tag.
fn reference(cache: &Path, name: &str, revision: &str) -> PathBuf {
    model_folder(cache, name).join("refs").join(revision)
}

fn model_folder(cache: &Path, name: &str) -> PathBuf {
    cache.join(format!("models--{}", name.replace('/', "--")))
}

/// A model on this machine.
#[derive(Clone, Debug)]
pub struct FetchedModel {
    /// Its commit.
    pub commit: String,
    /// Its files.
    pub checkpoint: Checkpoint,
    /// True if it was downloaded just now.
    pub is_new: bool,
}

/// Returns the model `name` from the user's hub cache, the model cache, or the hub, in this order.
pub async fn fetch(
    name: &HubName,
    source: &ModelSource,
    on_download: OnDownload<'_>,
) -> Result<FetchedModel, Error> {
    let revision = name.revision.as_deref().unwrap_or(DEFAULT_REVISION);
    if let Some(found) = source.cached(&name.name, revision) {
        return opened(found.commit, &found.folder, false);
    }
    let own_cache = source.own_cache();
    if source.offline {
        let searched = source.hub.cache.iter().chain([&own_cache]);
        let searched: Vec<_> = searched.map(|folder| format!("`{}`", folder.display())).collect();
        let searched = searched.join(", ");
        return Err(Error::new(format!("`{name}` is in no cache, and offline mode is on: {searched}"))
            .hinting("fetch it while connected, or put it into one of these folders; the caches are those of `HF_HOME` and `cache.dir`"));
    }
    let listing = listing(name, revision, source).await?;
    let folder = snapshot_folder(&own_cache, &name.name, &listing.sha);
    let is_new = !is_complete(&folder);
    for file in if is_new { &MODEL_FILES[..] } else { &[] } {
        let Some(sibling) = listing.siblings.iter().find(|it| it.rfilename == *file) else {
            continue;
        };
        let target = folder.join(file);
        if target.is_file() {
            continue;
        }
        let url = source.hub.url_of(&format!("{}/resolve/{}/{file}", name.name, listing.sha));
        let key = source.hub.key.as_ref();
        let wanted = Wanted { url: &url, key, file, most_bytes: MOST_BYTES, tries: TRIES };
        let sha256 = sibling.lfs.as_ref().and_then(|lfs| lfs.sha256.as_deref());
        let fetched = install(&wanted, &target, sha256, on_download).await;
        fetched.map_err(|error| refusal(error, name, revision, source))?;
    }
    if !is_commit(revision) {
        write_reference(&reference(&own_cache, &name.name, revision), &listing.sha)?;
    }
    opened(listing.sha, &folder, is_new)
}

fn opened(commit: String, folder: &Path, is_new: bool) -> Result<FetchedModel, Error> {
    let checkpoint = Checkpoint::open(folder, None)?;
    Ok(FetchedModel { commit, checkpoint, is_new })
}

/// Writes the commit of a branch or tag.
fn write_reference(path: &Path, commit: &str) -> Result<(), Error> {
    let part = part(path)?;
    fs::write(part.path(), commit).map_err(Error::disk(path))?;
    part.persist(path).map(drop).map_err(|error| Error::disk(path)(error.error))
}

/// The hub's description of a revision.
#[derive(Deserialize)]
struct Listing {
    /// The commit.
    sha: String,
    siblings: Vec<Sibling>,
}

#[derive(Deserialize)]
struct Sibling {
    rfilename: String,
    /// Present for large files.
    lfs: Option<LargeFile>,
}

#[derive(Deserialize)]
struct LargeFile {
    sha256: Option<String>,
}

async fn listing(name: &HubName, revision: &str, source: &ModelSource) -> Result<Listing, Error> {
    let own = &name.name;
    let path = format!("api/models/{own}/revision/{}?blobs=true", revision.replace('/', "%2F"));
    let url = source.hub.url_of(&path);
    let file = NamedTempFile::new().map_err(Error::disk(Path::new("the temporary folder")))?;
    let key = source.hub.key.as_ref();
    let what = "model description";
    let wanted = Wanted { url: &url, key, file: what, most_bytes: MOST_BYTES, tries: TRIES };
    let fetched = download(&wanted, file.path(), &|_| ()).await;
    fetched.map_err(|error| refusal(error, name, revision, source))?;
    let bytes = fs::read(file.path()).map_err(Error::disk(file.path()))?;
    let check_address = "check the hub's address; `HF_ENDPOINT` sets it";
    let invalid = |what: String| {
        Error::new(format!("the response of `{url}` does not describe a model: {what}"))
            .hinting(check_address)
    };
    let listing: Listing =
        serde_json::from_slice(&bytes).map_err(|error| invalid(error.to_string()))?;
    if !is_commit(&listing.sha) {
        return Err(invalid("`sha` is not a commit".to_owned()));
    }
    if is_commit(revision) && listing.sha != revision {
        let (hub, found) = (&source.hub.url, &listing.sha);
        let message =
            format!("`{hub}` describes commit `{found}` of `{own}` instead of `{revision}`");
        return Err(Error::new(message).hinting(check_address));
    }
    let has = |name: &str| listing.siblings.iter().any(|it| it.rfilename == name);
    match missing_file(has) {
        None => Ok(listing),
        Some(file) => Err(Error::new(format!("`{own}` at revision `{}` has no `{file}`", listing.sha))
            .hinting(format!(
                "choose a revision or a model that has `{file}`, or convert the model and name its folder"
            ))),
    }
}

/// Names the cause of a refusal. The hub hides private models from those without a key, and reports missing ones likewise.
fn refusal(error: Error, name: &HubName, revision: &str, source: &ModelSource) -> Error {
    let Some(Fault::Status(status @ (401 | 403 | 404))) = error.fault else {
        return error.or_hint("try again, or use a model that is on this machine");
    };
    let (hub, name) = (&source.hub.url, &name.name);
    let key = if source.hub.key.is_some() { "the given" } else { "no" };
    let message = format!(
        "`{hub}` has no model `{name}` with revision `{revision}`, or denies access with {key} key (status {status})"
    );
    Error::new(message).hinting(
        "check the name and the revision; a private or gated model needs the key of an account that accepted its conditions, in \
         `HF_TOKEN`",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_have_a_revision_and_nothing_that_leaves_a_folder() {
        let of = |text| HubName::parse(text).map(|it| (it.name, it.revision));
        assert_eq!(of("BAAI/bge-small-en-v1.5").expect("a name").1, None);
        let pull = of("a/b@refs/pr/1").expect("a name");
        assert_eq!(pull, ("a/b".to_owned(), Some("refs/pr/1".to_owned())));
        for text in [
            "", "a/", "/a", "a/b/c", "../a", "a/..", "a b", "a/b@", "a/b@../c", "a/b@c?d",
            "a/b@c@d",
        ] {
            assert!(of(text).is_err(), "{text}");
        }
    }
}
