//! The user's cache of hub models, as `huggingface_hub` writes it: `models--ORG--NAME/snapshots/COMMIT/`, with the commit of each
//! branch and tag in `refs/`. It is read, never written.

use std::path::{Path, PathBuf};

use super::files;
use super::name::{HubName, is_commit};

/// A model in a cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Its commit.
    pub commit: String,
    /// Its folder.
    pub folder: PathBuf,
}

/// Returns the model at `revision`, if the cache has the files that are needed.
pub(super) fn find(cache: &Path, name: &str, revision: &str) -> Option<Snapshot> {
    let model = cache.join(format!("models--{}", name.replace('/', "--")));
    let commit = if is_commit(revision) {
        revision.to_owned()
    } else {
        let read = std::fs::read_to_string(model.join("refs").join(revision)).ok()?;
        read.trim().to_owned()
    };
    let folder = model.join("snapshots").join(&commit);
    (is_commit(&commit) && files::is_complete(&folder)).then_some(Snapshot { commit, folder })
}

/// Returns all models of the cache, by name, then by commit.
pub(super) fn all(cache: &Path) -> Vec<(String, Snapshot)> {
    let mut found = Vec::new();
    for model in files::entries(cache) {
        let folder_name = model.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(name) = folder_name.strip_prefix("models--") else {
            continue;
        };
        let name = name.replacen("--", "/", 1);
        if HubName::parse(&name).is_err() {
            continue;
        }
        for folder in files::entries(&model.join("snapshots")) {
            let commit = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if is_commit(&commit) && files::is_complete(&folder) {
                found.push((name.clone(), Snapshot { commit, folder }));
            }
        }
    }
    found
}
