//! The environment of a run: folders, network access, environment variables.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::Error;
use crate::settings::cache_folder::ScratchFolder;
use ragtriage_clients::fetch::model::Hub;
use ragtriage_clients::http::{Backoff, Secret};
use ragtriage_core::config::Endpoint;
use ragtriage_core::notices::Notices;
use ragtriage_core::text::address;
use ragtriage_vectors::Server;

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
    /// Unix time at which the resumed run began; `None` for a new one.
    pub resumed_since: Option<u64>,
}

/// A service with its keys, ready to be called.
pub(super) struct Client {
    pub url: String,
    pub api_key: Option<Secret>,
    pub headers: Vec<(String, Secret)>,
    pub timeout: Duration,
    pub concurrency: usize,
    pub ca_file: Option<PathBuf>,
    /// Four attempts within three times the time of one call.
    pub backoff: Backoff,
}

impl Environment {
    /// Returns the folder `name` of the cache folder; `None` if caching is off.
    pub(super) fn cached(&self, name: &str) -> Option<PathBuf> {
        let is_on = self.scratch.is_none() && !self.cache_dir.as_os_str().is_empty();
        is_on.then(|| self.cache_dir.join(name))
    }

    /// Returns the client of `endpoint`; paths start from `base`.
    ///
    /// # Errors
    /// An address on another machine in offline mode, an unset key.
    pub(super) fn client(&self, endpoint: &Endpoint<'_>, base: &Path) -> Result<Client, Error> {
        let Endpoint { table, url_key, url, headers_env, timeout_s, concurrency, .. } = *endpoint;
        if self.offline && !address::is_on_this_machine(url) {
            let url = address::shown_url(url);
            return Err(Error::other(format!(
                "`{table}.{url_key}`: `{url}` is not on this machine, but offline mode is on"
            ))
            .with_hint("use a service on this machine, or leave `--offline` out"));
        }
        let headers = headers_env.into_iter().flatten().map(|(header, variable)| {
            let value = self.key(Some(variable), &format!("{table}.headers_env"))?;
            Ok((header.clone(), Secret::new(value.unwrap_or_default())))
        });
        let timeout = Duration::from_secs_f64(timeout_s);
        Ok(Client {
            url: url.to_owned(),
            api_key: self
                .key(endpoint.api_key_env, &format!("{table}.api_key_env"))?
                .map(Secret::new),
            headers: headers.collect::<Result<_, Error>>()?,
            timeout,
            concurrency,
            ca_file: endpoint.ca_file.map(|path| base.join(path)),
            backoff: Backoff::new(4, 3 * timeout),
        })
    }

    /// Returns the Qdrant server `endpoint`, which builds a graph within `indexing_timeout_s`.
    ///
    /// # Errors
    /// As [`Self::client`], and a key that would be sent unencrypted to another machine.
    pub(super) fn server(
        &self,
        endpoint: &Endpoint<'_>,
        indexing_timeout_s: f64,
    ) -> Result<Server, Error> {
        let Client { url, api_key, timeout, .. } = self.client(endpoint, Path::new(""))?;
        if api_key.is_some() && url.starts_with("http://") && !address::is_on_this_machine(&url) {
            let (Endpoint { table, url_key, .. }, url) = (endpoint, address::shown_url(&url));
            return Err(Error::other(format!(
                "`{table}.{url_key}`: the Qdrant API key would be sent unencrypted to `{url}`"
            ))
            .with_hint("use `https`; plain `http` with a key is for this machine only"));
        }
        let indexing_timeout = Duration::from_secs_f64(indexing_timeout_s);
        let api_key = api_key.map(|key| key.expose().to_owned());
        Ok(Server { url, settings: endpoint.table, api_key, timeout, indexing_timeout })
    }

    /// Returns the value of the environment variable `name`, configured under `key`; `None` without a name.
    fn key(&self, name: Option<&str>, key: &str) -> Result<Option<String>, Error> {
        let Some(name) = name.filter(|name| !name.is_empty()) else {
            return Ok(None);
        };
        let value = (self.variable)(name).filter(|value| !value.is_empty());
        value.map(Some).ok_or_else(|| {
            Error::other(format!("the environment variable `{name}` named by `{key}` is not set"))
                .with_hint(format!("set {name}, or remove the setting for a server without keys"))
        })
    }
}
