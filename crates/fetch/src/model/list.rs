//! The models of the lock and of the caches.

use std::path::{Path, PathBuf};

use super::error::ModelError;
use super::fetch::own_folder;
use super::locations::ModelSource;
use super::lock::ModelLock;
use super::name::{HubName, is_commit};
use super::{files, hub_cache};

/// The state of a listed model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModelState {
    /// Locked, and its files are those of the lock.
    Verified,
    /// Locked, and this file differs or cannot be read.
    Changed(String),
    /// Locked, and in no cache.
    Missing,
    /// In a cache, not locked.
    Cached,
}

/// A model of the lock or of a cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedModel {
    /// Its name.
    pub name: String,
    /// Its commit; `None` for a folder without one.
    pub commit: Option<String>,
    /// Its folder; `None` if it is in no cache.
    pub folder: Option<PathBuf>,
    /// Its state.
    pub state: ModelState,
}

/// Returns the locked models, then those of the caches that are not locked, each by name.
///
/// # Errors
/// `Lock` for a lock file that cannot be used.
pub fn list(source: &ModelSource) -> Result<Vec<ListedModel>, ModelError> {
    let mut all = Vec::new();
    if let Some(path) = &source.lock {
        let lock = ModelLock::read(path)?;
        for (name, locked) in lock.entries() {
            let folder = locate(source, name, &locked.revision);
            let state = match &folder {
                None => ModelState::Missing,
                Some(folder) => match lock.verify(name, locked, folder) {
                    Ok(()) => ModelState::Verified,
                    Err(ModelError::Changed { file, .. }) => ModelState::Changed(file),
                    Err(error) => ModelState::Changed(error.to_string()),
                },
            };
            all.push(ListedModel {
                name: name.clone(),
                commit: Some(locked.revision.clone()),
                folder,
                state,
            });
        }
    }
    let mut cached = own(&source.cache_dir.join("models"));
    for (name, found) in source.hub.cache.iter().flat_map(|cache| hub_cache::all(cache)) {
        cached.push((name, Some(found.commit), found.folder));
    }
    cached.sort();
    for (name, commit, folder) in cached {
        if !all.iter().any(|listed| listed.folder.as_ref() == Some(&folder)) {
            all.push(ListedModel { name, commit, folder: Some(folder), state: ModelState::Cached });
        }
    }
    Ok(all)
}

/// Returns the folder of a model at a commit, in the user's hub cache or ours.
pub(super) fn locate(source: &ModelSource, name: &str, commit: &str) -> Option<PathBuf> {
    let cache = source.hub.cache.as_deref();
    let shared = cache.and_then(|cache| hub_cache::find(cache, name, commit));
    let own = own_folder(&source.cache_dir, name, commit);
    shared.map(|found| found.folder).or_else(|| files::is_complete(&own).then_some(own))
}

/// Returns name, commit and folder of each model in our cache: `NAME` or `ORG/NAME`, with `@COMMIT` or without.
fn own(models: &Path) -> Vec<(String, Option<String>, PathBuf)> {
    let mut found = Vec::new();
    let folders = files::entries(models);
    let nested = folders.iter().flat_map(|folder| files::entries(folder));
    for folder in folders.iter().cloned().chain(nested) {
        let Some(relative) = folder.strip_prefix(models).ok().and_then(Path::to_str) else {
            continue;
        };
        if let Ok(HubName { name, revision }) = HubName::parse(relative)
            && files::is_complete(&folder)
        {
            found.push((name, revision.filter(|it| is_commit(it)), folder));
        }
    }
    found
}
