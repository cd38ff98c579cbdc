//! Fetching of any model of the hub: found in the caches, or downloaded at one commit.

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use super::error::ModelError;
use super::locations::{Hub, ModelSource};
use super::name::{HubName, is_commit};
use super::part::PartialFile;
use super::{files, hub_cache};
use ragtriage_core::text::address::shown;
use ragtriage_encoder::checkpoint::{Checkpoint, CheckpointError, sha256_of_file};
use ragtriage_http::{Backoff, Downloader, FileRequest, Kind, OnDownload, Partial, Url, address};

/// The branch that the hub shows by default.
pub(super) const DEFAULT_REVISION: &str = "main";
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

/// Returns the model `name` from the user's hub cache, the model cache, or the hub, in this order.
///
/// # Errors
/// See [`ModelError`].
pub async fn fetch(
    name: &HubName,
    source: &ModelSource,
    on_download: OnDownload<'_>,
) -> Result<FetchedModel, ModelError> {
    let revision = name.revision.as_deref().unwrap_or(DEFAULT_REVISION);
    if let Some(found) = source.cached(&name.name, revision) {
        return opened(name, found.commit, &found.folder, false);
    }
    let own_cache = source.own_cache();
    if source.offline {
        let searched = source.hub.cache.iter().chain([&own_cache]);
        return Err(ModelError::Offline {
            name: name.to_string(),
            searched: searched.map(|folder| format!("`{}`", folder.display())).collect(),
        });
    }
    let repository = Repository { hub: &source.hub, name, revision };
    let listing = repository.listing(&own_cache).await?;
    let folder = hub_cache::snapshot_folder(&own_cache, &name.name, &listing.sha);
    let is_new = !files::is_complete(&folder);
    if is_new {
        repository.download(&listing, &folder, on_download).await?;
    }
    if !is_commit(revision) {
        write_reference(&hub_cache::reference(&own_cache, &name.name, revision), &listing.sha)?;
    }
    opened(name, listing.sha, &folder, is_new)
}

fn opened(
    name: &HubName,
    commit: String,
    folder: &Path,
    is_new: bool,
) -> Result<FetchedModel, ModelError> {
    let checkpoint = Checkpoint::open(folder, None)?;
    Ok(FetchedModel { name: name.name.clone(), commit, checkpoint, is_new })
}

/// Writes the commit of a branch or tag.
fn write_reference(path: &Path, commit: &str) -> Result<(), ModelError> {
    let (parent, stem) = (path.parent().unwrap_or(path), path.file_name().unwrap_or_default());
    create(parent)?;
    let part = PartialFile::create(parent, &stem.to_string_lossy())?;
    std::fs::write(part.path(), commit)
        .map_err(|source| ModelError::Write { path: path.to_owned(), source })?;
    let sha256 = sha256_of_file(part.path())?;
    Ok(part.finish(&sha256)?)
}

/// A revision of a model on the hub.
struct Repository<'a> {
    hub: &'a Hub,
    name: &'a HubName,
    revision: &'a str,
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

    /// Downloads the files that `folder` lacks. A large file gets its name when its hash is the one that the hub gives.
    async fn download(
        &self,
        listing: &Listing,
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
            let by_hub = sibling.lfs.as_ref().and_then(|lfs| lfs.sha256.as_ref());
            part.finish(by_hub.unwrap_or(&found))?;
        }
        Ok(())
    }

    fn url(&self, path: &str) -> Result<Url, ModelError> {
        Ok(address(&format!("{}/{path}", self.hub.url.trim_end_matches('/')))?)
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
        let downloader = Downloader::new(url, self.hub.key.as_ref(), CONNECT_TIMEOUT)?;
        let mut partial = Partial::fresh(to)?;
        let fetched = downloader.fetch(&wanted, &mut partial, on_download).await;
        fetched.map_err(|error| self.refusal(error))
    }

    /// Names the cause of a refusal by its status.
    fn refusal(&self, error: ragtriage_http::Error) -> ModelError {
        let (name, hub) = (self.name.name.clone(), self.hub.url.clone());
        let has_key = self.hub.key.is_some();
        match error.kind {
            Kind::Status(401) => ModelError::NotAuthorized { name, hub, has_key },
            Kind::Status(403) => ModelError::Gated { name, hub, has_key },
            Kind::Status(404) => {
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
