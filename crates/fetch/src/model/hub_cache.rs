//! Caches of hub models, as `huggingface_hub` writes them: `models--ORG--NAME/snapshots/COMMIT/`, with the commit of each branch and
//! tag in `refs/`. The user's cache is read, never written; ours has the same layout.

use std::path::{Path, PathBuf};

use super::files;
use super::name::is_commit;

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
    let commit = if is_commit(revision) {
        revision.to_owned()
    } else {
        let read = std::fs::read_to_string(reference(cache, name, revision)).ok()?;
        read.trim().to_owned()
    };
    let folder = snapshot_folder(cache, name, &commit);
    (is_commit(&commit) && files::is_complete(&folder)).then_some(Snapshot { commit, folder })
}

/// Returns the folder of a model's files at a commit.
pub(super) fn snapshot_folder(cache: &Path, name: &str, commit: &str) -> PathBuf {
    model_folder(cache, name).join("snapshots").join(commit)
}

/// Returns the file that has the commit of a branch or tag.
pub(super) fn reference(cache: &Path, name: &str, revision: &str) -> PathBuf {
    model_folder(cache, name).join("refs").join(revision)
}

fn model_folder(cache: &Path, name: &str) -> PathBuf {
    cache.join(format!("models--{}", name.replace('/', "--")))
}
