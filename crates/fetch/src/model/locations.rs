//! The locations of models: caches, hub.

use std::path::PathBuf;

use super::hub_cache::{self, Snapshot};
use ragtriage_http::Secret;

/// The locations that models are cached in and downloaded from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelSource {
    /// The cache directory; models are in `models/<name>/` under it.
    pub cache_dir: PathBuf,
    /// The hub.
    pub hub: Hub,
    /// Disables downloads.
    pub offline: bool,
}

impl ModelSource {
    /// Returns the cache that downloads go to, in the layout of the hub's cache.
    pub(super) fn own_cache(&self) -> PathBuf {
        self.cache_dir.join("models")
    }

    /// Returns the model at `revision` from the user's hub cache, else from our own.
    pub(super) fn cached(&self, name: &str, revision: &str) -> Option<Snapshot> {
        let caches = self.hub.cache.iter().cloned().chain([self.own_cache()]);
        caches.into_iter().find_map(|cache| hub_cache::find(&cache, name, revision))
    }
}

/// The Hugging Face hub, or a mirror of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hub {
    /// Its base URL, without a trailing slash; [`HUB`] by default.
    pub url: String,
    /// The user's key. It is sent to the host of `url` only.
    pub key: Option<Secret>,
    /// The user's cache of hub models, which other programs fill; never written.
    pub cache: Option<PathBuf>,
}

impl Hub {
    /// Creates a hub without key and cache.
    #[must_use]
    pub fn at(url: &str) -> Self {
        Self { url: url.to_owned(), key: None, cache: None }
    }
}

/// The Hugging Face hub.
pub const HUB: &str = "https://huggingface.co";
