//! The environment of a run: folders, network access, environment variables.

use std::path::PathBuf;

use crate::collection::ReadCollections;
use crate::settings::SettingsError;
use crate::settings::cache_folder::ScratchFolder;
use ragtriage_core::notices::Notices;
use ragtriage_core::text::address;
use ragtriage_fetch::model::Hub;

/// The environment of a run, read once by the command line, so that no library reads it.
pub struct Environment {
    /// The cache folder: models, vectors, collections, responses.
    pub cache_dir: PathBuf,
    /// The Hugging Face hub, with the user's key and cache.
    pub hub: Hub,
    /// Rejects every connection to other machines.
    pub offline: bool,
    /// Set if no cache is read or written; holds the collections of this process.
    pub scratch: Option<ScratchFolder>,
    /// Reads an environment variable.
    pub variable: fn(&str) -> Option<String>,
    /// Receives notices of repaired caches.
    pub notices: Notices,
    /// Content read from existing collections.
    pub collections: ReadCollections,
}

impl Environment {
    /// Returns the folder `name` of the cache folder; `None` if caching is off.
    pub(super) fn cached(&self, name: &str) -> Option<PathBuf> {
        let is_on = self.scratch.is_none() && !self.cache_dir.as_os_str().is_empty();
        is_on.then(|| self.cache_dir.join(name))
    }

    /// Returns the value of the environment variable `name`, configured under `key`; `None` without a name.
    ///
    /// # Errors
    /// A variable that is unset or empty.
    pub(super) fn key(
        &self,
        name: Option<&str>,
        key: &'static str,
    ) -> Result<Option<String>, SettingsError> {
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            return Ok(None);
        };
        let value = (self.variable)(name).filter(|value| !value.is_empty());
        value.map(Some).ok_or_else(|| SettingsError::NoKey { name: name.to_owned(), key })
    }

    /// Returns the key of a Qdrant server; `url` and `name` are settings with their values.
    ///
    /// # Errors
    /// As [`Self::key`], and a key that would be sent unencrypted to another machine.
    pub(super) fn qdrant_key(
        &self,
        (url_key, url): (&'static str, &str),
        (key, name): (&'static str, Option<&str>),
    ) -> Result<Option<String>, SettingsError> {
        let value = self.key(name, key)?;
        if value.is_some() && url.starts_with("http://") && !address::is_on_this_machine(url) {
            return Err(SettingsError::KeyInClear { key: url_key, url: address::shown_url(url) });
        }
        Ok(value)
    }

    /// Rejects an address on another machine in offline mode.
    pub(super) fn check_address(&self, key: &str, url: &str) -> Result<(), SettingsError> {
        if !self.offline || address::is_on_this_machine(url) {
            return Ok(());
        }
        Err(SettingsError::NotLocal { key: key.to_owned(), url: address::shown_url(url) })
    }
}
