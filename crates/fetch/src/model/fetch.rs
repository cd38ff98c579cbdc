//! Fetching of any model of the hub: found in the caches, or downloaded at one commit, and locked.

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;

use super::error::ModelError;
use super::locations::{Hub, ModelSource};
use super::lock::{LockedModel, ModelLock};
use super::name::{HubName, is_commit};
use super::part::PartialFile;
use super::{files, hub_cache};
use ragtriage_core::text::address::shown;
use ragtriage_encoder::checkpoint::{Checkpoint, CheckpointError, sha256_of_file};
use ragtriage_http::{
    Backoff, Downloader, FileRequest, HttpError, OnDownload, Partial, Url, address,
};

/// The branch that the hub shows by default.
const DEFAULT_REVISION: &str = "main";
const CONNECT_TIMEOUT: Duration = Duration::from_secs(20);
/// Attempts without progress, for each file.
const TRIES: u32 = 4;
/// Time limit for one file, across interruptions.
const DEADLINE: Duration = Duration::from_hours(6);
/// Maximum size of a model's file.
const MOST_BYTES: u64 = 4 << 30;
/// Maximum size of a model's description: the largest repositories list some thousand files.
const MOST_LISTING_BYTES: u64 = 16 << 20;

/// A model on this machine.
#[derive(Clone, Debug)]
pub struct FetchedModel {
    /// Its name on the hub.
    pub name: String,
    /// Its commit.
    pub commit: String,
    /// Its files.
    pub checkpoint: Checkpoint,
    /// True if it was downloaded just now.
    pub is_new: bool,
}

/// Returns the model `name` from the user's hub cache, the model cache, or the hub, in this order, and locks it.
///
/// A model with an entry in the lock is the locked one, verified, unless another revision is requested.
///
/// # Errors
/// See [`ModelError`]; nothing is locked then.
pub async fn fetch(
    name: &HubName,
    source: &ModelSource,
    on_download: OnDownload<'_>,
) -> Result<FetchedModel, ModelError> {
    let mut lock = source.lock.as_deref().map(ModelLock::read).transpose()?;
    let locked = lock.as_ref().and_then(|lock| lock.entry(name)).cloned();
    let fetched = match &locked {
        Some(locked) => {
            let of_commit = HubName { revision: Some(locked.revision.clone()), ..name.clone() };
            obtain(&of_commit, Some(locked), source, on_download).await?
        }
        None => obtain(name, None, source, on_download).await?,
    };
    let (commit, folder, is_new) = fetched;
    if let Some(lock) = &mut lock {
        match &locked {
            Some(locked) => lock.verify(&name.name, locked, &folder)?,
            None => lock.add(&name.name, &commit, &folder)?,
        }
    }
    Ok(FetchedModel {
        name: name.name.clone(),
        commit,
        checkpoint: Checkpoint::open(&folder, None)?,
        is_new,
    })
}

/// Returns the commit and the folder of a model, and true if it was downloaded.
async fn obtain(
    name: &HubName,
    locked: Option<&LockedModel>,
    source: &ModelSource,
    on_download: OnDownload<'_>,
) -> Result<(String, PathBuf, bool), ModelError> {
    let revision = name.revision.as_deref().unwrap_or(DEFAULT_REVISION);
    let own = |commit: &str| own_folder(&source.cache_dir, &name.name, commit);
    if let Some(cache) = &source.hub.cache
        && let Some(found) = hub_cache::find(cache, &name.name, revision)
    {
        return Ok((found.commit, found.folder, false));
    }
    if is_commit(revision) && files::is_complete(&own(revision)) {
        return Ok((revision.to_owned(), own(revision), false));
    }
    if source.offline {
        let caches = source.hub.cache.iter().cloned();
        let searched = caches.chain([source.cache_dir.join("models")]);
        return Err(ModelError::Offline {
            name: name.to_string(),
            searched: searched.map(|folder| format!("`{}`", folder.display())).collect(),
        });
    }
    let repository = Repository { hub: &source.hub, name, revision, lock: source.lock.as_deref() };
    let scratch = source.cache_dir.join("models");
    let listing = repository.listing(&scratch).await?;
    let folder = own(&listing.sha);
    if files::is_complete(&folder) {
        return Ok((listing.sha, folder, false));
    }
    repository.download(&listing, locked, &folder, on_download).await?;
    Ok((listing.sha, folder, true))
}

/// Returns the folder of a model in our cache.
pub(super) fn own_folder(cache_dir: &Path, name: &str, commit: &str) -> PathBuf {
    cache_dir.join("models").join(format!("{name}@{commit}"))
}

/// A revision of a model on the hub.
struct Repository<'a> {
    hub: &'a Hub,
    name: &'a HubName,
    revision: &'a str,
    lock: Option<&'a Path>,
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

impl Repository<'_> {
    async fn listing(&self, scratch: &Path) -> Result<Listing, ModelError> {
        let revision = self.revision.replace('/', "%2F");
        let url =
            self.url(&format!("api/models/{}/revision/{revision}?blobs=true", self.name.name))?;
        create(scratch)?;
        let part = PartialFile::create(scratch, "listing")?;
        self.get(&url, "model description", part.path(), MOST_LISTING_BYTES, &|_| ()).await?;
        let bytes = std::fs::read(part.path())
            .map_err(|source| CheckpointError::Read { path: part.path().to_owned(), source })?;
        let invalid = |what: String| ModelError::Listing { url: shown(&url), what };
        let listing: Listing =
            serde_json::from_slice(&bytes).map_err(|error| invalid(error.to_string()))?;
        if !is_commit(&listing.sha) {
            return Err(invalid("`sha` is not a commit".to_owned()));
        }
        if is_commit(self.revision) && listing.sha != self.revision {
            return Err(ModelError::OtherCommit {
                name: self.name.name.clone(),
                hub: self.hub.url.clone(),
                wanted: self.revision.to_owned(),
                found: listing.sha,
            });
        }
        let has = |name: &str| listing.siblings.iter().any(|it| it.rfilename == name);
        match files::missing(has) {
            None => Ok(listing),
            Some(file) => Err(ModelError::NoFile {
                name: self.name.name.clone(),
                revision: listing.sha,
                file,
            }),
        }
    }

    /// Downloads the files that `folder` lacks. A file gets its name when its hash is that of the lock, or else the one that the hub
    /// gives for large files.
    async fn download(
        &self,
        listing: &Listing,
        locked: Option<&LockedModel>,
        folder: &Path,
        on_download: OnDownload<'_>,
    ) -> Result<(), ModelError> {
        for file in files::ALL {
            let target = folder.join(file);
            let Some(sibling) = listing.siblings.iter().find(|it| it.rfilename == file) else {
                continue;
            };
            if target.is_file() {
                continue;
            }
            let (parent, stem) = (target.parent().unwrap_or(folder), file.rsplit('/').next());
            create(parent)?;
            let part = PartialFile::create(parent, stem.unwrap_or(file))?;
            let url = self.url(&format!("{}/resolve/{}/{file}", self.name.name, listing.sha))?;
            self.get(&url, file, part.path(), MOST_BYTES, on_download).await?;
            let found = sha256_of_file(part.path())?;
            let by_lock = locked.and_then(|locked| locked.files.get(file));
            if let (Some(expected), Some(lock)) = (by_lock.filter(|it| **it != found), self.lock) {
                return Err(ModelError::Changed {
                    name: self.name.name.clone(),
                    file: file.to_owned(),
                    expected: expected.clone(),
                    found,
                    lock: lock.to_owned(),
                });
            }
            let by_hub = sibling.lfs.as_ref().and_then(|lfs| lfs.sha256.as_ref());
            part.finish(by_hub.unwrap_or(&found))?;
        }
        Ok(())
    }

    fn url(&self, path: &str) -> Result<Url, ModelError> {
        Ok(address(&format!("{}/{path}", self.hub.url.trim_end_matches('/')), "")?)
    }

    async fn get(
        &self,
        url: &Url,
        file: &str,
        to: &Path,
        most_bytes: u64,
        on_download: OnDownload<'_>,
    ) -> Result<(), ModelError> {
        let wanted = FileRequest { file, most_bytes, backoff: Backoff::new(TRIES, DEADLINE) };
        let downloader = Downloader::with_key(url, self.hub.key.as_ref(), CONNECT_TIMEOUT)?;
        let mut partial = Partial::fresh(to)?;
        let fetched = downloader.fetch(&wanted, &mut partial, on_download).await;
        fetched.map_err(|error| self.refusal(error))
    }

    /// Names the cause of a refusal by its status.
    fn refusal(&self, error: HttpError) -> ModelError {
        let (name, hub) = (self.name.name.clone(), self.hub.url.clone());
        let has_key = self.hub.key.is_some();
        match error.last() {
            HttpError::Status { status: 401, .. } => {
                ModelError::NotAuthorized { name, hub, has_key }
            }
            HttpError::Status { status: 403, .. } => ModelError::Gated { name, hub, has_key },
            HttpError::Status { status: 404, .. } => {
                ModelError::Unknown { name, hub, revision: self.revision.to_owned() }
            }
            _ => error.into(),
        }
    }
}

fn create(folder: &Path) -> Result<(), ModelError> {
    std::fs::create_dir_all(folder)
        .map_err(|source| ModelError::Write { path: folder.to_owned(), source })
}
