//! The environment of a run: folders, network access, environment variables.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::Error;
use crate::settings::Resolved;
use crate::settings::cache_folder::ScratchFolder;
use ragtriage_clients::fetch::model::Hub;
use ragtriage_clients::http::{Endpoint, Secret, ServiceNames};
use ragtriage_core::config::HttpSettings;
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
}

impl Environment {
    /// Returns the folder `name` of the cache folder; `None` if caching is off.
    pub(super) fn cached(&self, name: &str) -> Option<PathBuf> {
        let is_on = self.scratch.is_none() && !self.cache_dir.as_os_str().is_empty();
        is_on.then(|| self.cache_dir.join(name))
    }

    /// Returns the service at `url` with its keys, called as `[http]` of the configuration says.
    ///
    /// # Errors
    /// An address on another machine in offline mode, an unset key.
    pub(super) fn endpoint(
        &self,
        names: &'static ServiceNames,
        url: &str,
        api_key_env: Option<&String>,
        headers_env: &BTreeMap<String, String>,
        resolved: &Resolved,
    ) -> Result<Endpoint, Error> {
        let HttpSettings { timeout_s, concurrency, ca_file } = &resolved.settings.http;
        let table = names.table;
        self.check_offline(table, names.url, url)?;
        let headers = headers_env.iter().map(|(header, variable)| {
            let value = self.key(Some(variable), &format!("{table}.headers_env"))?;
            Ok((header.clone(), Secret::new(value.unwrap_or_default())))
        });
        let timeout = Duration::from_secs_f64(*timeout_s);
        Ok(Endpoint {
            api_key: self.key(api_key_env, &format!("{table}.api_key_env"))?.map(Secret::new),
            headers: headers.collect::<Result<_, Error>>()?,
            ca_file: ca_file.as_ref().map(|path| resolved.base().join(path)),
            ..Endpoint::new(names, url.to_owned(), timeout, *concurrency)
        })
    }

    /// Returns the Qdrant server of a table of the settings, with its address and the name of its key.
    ///
    /// # Errors
    /// As [`Self::endpoint`], and a key that would be sent unencrypted to another machine.
    pub(super) fn server(
        &self,
        (table, url, api_key_env): (&'static str, &str, Option<&String>),
        timeout_s: f64,
    ) -> Result<Server, Error> {
        self.check_offline(table, "url", url)?;
        let api_key = self.key(api_key_env, &format!("{table}.api_key_env"))?;
        let timeout = Duration::from_secs_f64(timeout_s);
        let server = Server { url: url.to_owned(), settings: table, api_key, timeout };
        server.check_key_is_encrypted()?;
        Ok(server)
    }

    fn check_offline(&self, table: &str, key: &str, url: &str) -> Result<(), Error> {
        if !self.offline || address::is_on_this_machine(url) {
            return Ok(());
        }
        let url = address::shown_url(url);
        Err(Error::other(format!(
            "`{table}.{key}`: `{url}` is not on this machine, but offline mode is on"
        ))
        .with_hint("use a service on this machine, or leave `--offline` out"))
    }

    /// Returns the value of the environment variable `name`, configured under `key`; `None` without a name.
    fn key(&self, name: Option<&String>, key: &str) -> Result<Option<String>, Error> {
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
