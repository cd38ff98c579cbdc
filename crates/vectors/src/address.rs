//! Address of a Qdrant server, checked before any connection is made.

use std::fmt;
use std::time::Duration;

use crate::{Error, error};
use ragtriage_core::text::address::is_on_this_machine;

/// A Qdrant server's address, key and timeout.
#[derive(Clone, PartialEq, Eq)]
pub struct Server {
    /// `http://host:6334`: scheme and gRPC port are required.
    pub url: String,
    /// Table of the configuration that names it, for hints: `vector_store` or `retrieval.collection`.
    pub settings: &'static str,
    /// Sent with every call if given; never shown.
    pub api_key: Option<String>,
    /// Maximum duration of one call, its retries included.
    pub timeout: Duration,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let api_key = self.api_key.as_ref().map(|_| "...");
        f.debug_struct("Server")
            .field("url", &shown(&self.url))
            .field("api_key", &api_key)
            .finish_non_exhaustive()
    }
}

impl Server {
    /// Rejects a key that would be sent unencrypted to another machine.
    ///
    /// # Errors
    /// An error that names the setting and the address.
    pub fn check_key_is_encrypted(&self) -> Result<(), Error> {
        let is_encrypted = !self.url.starts_with("http://") || is_on_this_machine(&self.url);
        if self.api_key.is_none() || is_encrypted {
            return Ok(());
        }
        let (settings, url) = (&self.settings, shown(&self.url));
        let message =
            format!("`{settings}.url`: the Qdrant API key would be sent unencrypted to `{url}`");
        Err(error::permanent(message)
            .with_hint("use `https`; plain `http` with a key is for this machine only"))
    }

    /// Rejects URLs that the client would misinterpret, or would repeat with a secret in an error.
    pub(super) fn check(&self) -> Result<(), Error> {
        check_url(&self.url)?;
        self.check_key_is_encrypted()?;
        match &self.api_key {
            Some(key) if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) => {
                let problem = "the Qdrant API key must be printable ASCII without spaces";
                Err(error::permanent(problem.to_owned()).with_hint(format!(
                    "correct the variable that `{}.api_key_env` names",
                    self.settings
                )))
            }
            _ => Ok(()),
        }
    }
}

/// Checks for URLs that the client accepts but cannot use as intended: without a port it would try 80 or 443.
fn check_url(url: &str) -> Result<(), Error> {
    match defect(url) {
        None => Ok(()),
        Some(reason) => Err(invalid(url, reason)),
    }
}

pub(super) fn invalid(url: &str, reason: &str) -> Error {
    error::permanent(format!("invalid Qdrant server URL `{}`: {reason}", shown(url)))
        .with_hint("write it like `http://localhost:6334`, the gRPC port")
}

fn defect(url: &str) -> Option<&'static str> {
    let Some((_, rest)) =
        url.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"))
    else {
        return Some("it must begin with `http://` or `https://`");
    };
    let authority = rest.trim_end_matches('/');
    if authority.contains('@') {
        return Some("user and password are not supported; use an API key");
    }
    if authority.contains(['/', '?', '#']) {
        return Some("a gRPC address has no path");
    }
    match authority.rsplit_once(':') {
        Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok() => None,
        _ => Some("it has no port"),
    }
}

/// Returns the host and port of a URL, without user, password and query, which may be secrets.
fn shown(url: &str) -> &str {
    let url = url.split(['?', '#']).next().unwrap_or_default();
    url.rsplit_once('@').map_or(url, |(_, host)| host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(url: &str, api_key: Option<&str>) -> Server {
        Server {
            url: url.to_owned(),
            settings: "vector_store",
            api_key: api_key.map(str::to_owned),
            timeout: Duration::from_secs(1),
        }
    }

    fn reason(url: &str) -> String {
        check_url(url).expect_err("refused").to_string()
    }

    #[test]
    fn a_url_needs_a_scheme_and_a_port() {
        for url in ["http://localhost:6334", "https://qdrant.example:6334/", "http://[::1]:6334"] {
            check_url(url).expect("accepted");
        }
        assert!(reason("localhost:6334").ends_with("it must begin with `http://` or `https://`"));
        assert!(reason("http://localhost").ends_with("it has no port"));
        assert!(reason("http://[::1]").ends_with("it has no port"));
        assert!(
            reason("http://localhost:6334/collections").ends_with("a gRPC address has no path")
        );
    }

    #[test]
    fn a_password_in_a_url_is_refused_and_not_repeated() {
        let error = reason("http://me:secret@localhost:6334");
        assert!(error.starts_with("invalid Qdrant server URL `localhost:6334`"), "{error}");
    }

    #[test]
    fn a_key_goes_unencrypted_to_this_machine_only() {
        let checked = |url: &str, api_key: Option<&str>| server(url, api_key).check();
        let error =
            checked("http://qdrant.example:6334", Some("key")).expect_err("refused").to_string();
        assert_eq!(
            error,
            "`vector_store.url`: the Qdrant API key would be sent unencrypted to `http://qdrant.example:6334`"
        );
        for (url, key) in [
            ("http://qdrant.example:6334", None),
            ("https://qdrant.example:6334", Some("key")),
            ("http://localhost:6334", Some("key")),
            ("http://[::1]:6334", Some("key")),
        ] {
            assert!(checked(url, key).is_ok(), "{url}");
        }
    }

    #[test]
    fn a_key_is_never_shown() {
        let server = server("http://localhost:6334", Some("se cret"));
        assert!(!format!("{server:?}").contains("cret"));
        let error = server.check().expect_err("a key with a space");
        assert!(!error.to_string().contains("cret"), "{error}");
    }
}
