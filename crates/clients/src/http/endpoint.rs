//! The services that can be called: the names of their settings, where they are, and how they are called.

use std::path::PathBuf;
use std::time::Duration;

use reqwest::Url;
use sha2::{Digest, Sha256};

use super::{Backoff, Secret};
use crate::Error;
use crate::error::Fault;
use ragtriage_core::text::hex::hex;
use ragtriage_core::types::ErrorKind;

/// The names of a service's settings, for errors and hints.
#[derive(Debug)]
pub struct ServiceNames {
    /// The table of its settings.
    pub table: &'static str,
    /// The setting of its address.
    pub url: &'static str,
    /// An address.
    pub example: &'static str,
    /// Appended to the address.
    pub path: &'static str,
    /// The kind of server that must run there.
    pub server: &'static str,
    /// Commands that start such a server, in parentheses.
    pub commands: &'static str,
}

/// The generator.
pub static GENERATION: ServiceNames = chat("generation");
/// The judge.
pub static JUDGE: ServiceNames = chat("judge");
/// The encoder.
pub static ENCODER: ServiceNames = ServiceNames {
    table: "retrieval.dense",
    url: "endpoint",
    example: "http://localhost:8080/v1",
    path: "/embeddings",
    server: "an OpenAI-compatible server with an embedding model",
    commands: "",
};
/// The reranker.
pub static RERANKER: ServiceNames = ServiceNames {
    table: "rerank",
    url: "endpoint",
    example: "http://localhost:8080",
    path: "/rerank",
    server: "a reranker with the API `rerank.form`",
    commands: "",
};
/// An external RAG.
pub static EXTERNAL: ServiceNames = ServiceNames {
    table: "external",
    url: "url",
    example: "http://localhost:8080/ask",
    path: "",
    server: "the RAG",
    commands: "",
};

const fn chat(table: &'static str) -> ServiceNames {
    ServiceNames {
        table,
        url: "base_url",
        example: "http://localhost:8080/v1",
        path: "/chat/completions",
        server: "an OpenAI-compatible server",
        commands: " (`ollama serve`, `vllm serve MODEL`, `llama-server -m MODEL.gguf`)",
    }
}

impl ServiceNames {
    /// Creates the error of a setting with an invalid value.
    pub(crate) fn bad_setting(&self, setting: &str, problem: &str) -> Error {
        Error::new(format!("`{}.{setting}` {problem}", self.table))
    }

    /// Returns the remedy for a failed call.
    pub(crate) fn hint(&self, fault: Fault) -> Option<String> {
        let Self { table, url, path, server, commands, .. } = self;
        Some(match fault {
            Fault::Unreachable => format!("start the server{commands} or correct `{table}.{url}`"),
            Fault::TimedOut => "raise `http.timeout_s` or lower `http.concurrency`".to_owned(),
            Fault::Untrusted => {
                "name the PEM file of its certificate authority, or of a self-signed certificate without `CA:TRUE`, in \
                 `http.ca_file`"
                    .to_owned()
            }
            Fault::Redirected => {
                format!("set `{table}.{url}` to the target of the redirect, if you trust it")
            }
            Fault::Status(401 | 403) => {
                format!("`{table}.api_key_env` names the variable with the key")
            }
            Fault::Status(404 | 405) if !path.is_empty() => format!(
                "`{path}` is appended to `{table}.{url}`; check the address and the model name"
            ),
            Fault::Status(429) => "lower `http.concurrency`".to_owned(),
            // The message says what is wrong with the request.
            Fault::Status(400 | 422) => return None,
            Fault::Interrupted | Fault::Unreadable | Fault::AnswerTooLarge | Fault::Status(_) => {
                format!("check that {server} runs at `{table}.{url}`")
            }
            // Other services have no `extra_body`.
            Fault::Rejected(_) if ![GENERATION.table, JUDGE.table].contains(table) => return None,
            // `OpenAI`'s reasoning models expect `max_completion_tokens`, and only the temperature 1.
            Fault::Rejected(ErrorKind::RejectsMaxTokens) => format!(
                "set `{table}.extra_body = {{ max_completion_tokens = 2048 }}` to replace `max_tokens`; add `temperature = 1` \
                 there if the temperature is refused as well"
            ),
            Fault::Rejected(ErrorKind::RejectsTemperature) => {
                format!("set `{table}.extra_body = {{ temperature = 1 }}` to replace `{table}.temperature`")
            }
            Fault::Rejected(ErrorKind::RejectsSystemRole) if *table == GENERATION.table => {
                "name a prompt file without `[system]`, with its text under `[user]`, as `generation.prompt`"
                    .to_owned()
            }
            Fault::RequestTooLarge if *table == GENERATION.table => {
                "lower `generation.context_tokens` or `retrieval.k`, or raise the server's context length"
                    .to_owned()
            }
            Fault::RequestTooLarge | Fault::Refused | Fault::Rejected(_) => return None,
        })
    }
}

/// A service, and how it is called. Not `Debug`: the address may hold user info.
#[derive(Clone)]
pub struct Endpoint {
    /// The names of its settings.
    pub names: &'static ServiceNames,
    /// Its address, without [`ServiceNames::path`].
    pub url: String,
    /// Key sent as a bearer token; one of white space only is ignored.
    pub api_key: Option<Secret>,
    /// Additional headers; one named `authorization` replaces the key's.
    pub headers: Vec<(String, Secret)>,
    /// Timeout of one call.
    pub timeout: Duration,
    /// Maximum number of concurrent calls.
    pub concurrency: usize,
    /// The retry policy.
    pub backoff: Backoff,
    /// PEM file of certificate authorities trusted in addition to the system's.
    pub ca_file: Option<PathBuf>,
}

impl Endpoint {
    /// Creates the endpoint at `url`, without a key, with the timeout for each of four tries of a call, which may take three times
    /// as long together.
    #[must_use]
    pub fn new(
        names: &'static ServiceNames,
        url: String,
        timeout: Duration,
        concurrency: usize,
    ) -> Self {
        let backoff = Backoff::new(4, 3 * timeout);
        let (api_key, headers, ca_file) = (None, Vec::new(), None);
        Self { names, url, api_key, headers, timeout, concurrency, backoff, ca_file }
    }

    /// Returns the URL of the calls.
    pub(crate) fn address(&self) -> Result<Url, Error> {
        let ServiceNames { table, url, example, path, .. } = self.names;
        parse(&self.url, path).map_err(|reason| {
            let appended =
                if path.is_empty() { String::new() } else { format!("; `{path}` is appended") };
            Error::new(format!("`{table}.{url}` {reason}"))
                .hinting(format!("write it like `{example}`{appended}"))
        })
    }

    /// Returns the part of a fingerprint for the address's query, which may select the model and may hold a key: ` query `
    /// and the first eight hexadecimal digits of its sha256; empty without a query.
    pub(crate) fn hashed_query(&self) -> String {
        let url = Url::parse(self.url.trim()).ok();
        url.as_ref().and_then(Url::query).map_or_else(String::new, |query| {
            format!(" query {}", hex(&Sha256::digest(query)[..4]))
        })
    }
}

/// Returns the URL `base` with `path` appended to its path, unless it already ends with it. A query is preserved, a
/// fragment is dropped. The error completes "the address ...".
pub(crate) fn parse(base: &str, path: &str) -> Result<Url, String> {
    let mut url = Url::parse(base.trim()).map_err(|error| format!("is not a URL: {error}"))?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err("must begin with `http://` or `https://`".to_owned());
    }
    if !path.is_empty() {
        let before = url.path().trim_end_matches('/');
        let whole =
            if before.ends_with(path) { before.to_owned() } else { format!("{before}{path}") };
        url.set_path(&whole);
    }
    url.set_fragment(None);
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_is_appended_once_and_the_query_kept() {
        let path = "/chat/completions";
        for (base, path, expected) in [
            ("http://localhost:11434/v1", path, "http://localhost:11434/v1/chat/completions"),
            ("http://localhost:8080/", path, "http://localhost:8080/chat/completions"),
            ("https://h/v1/chat/completions/", path, "https://h/v1/chat/completions"),
            (
                "https://h/openai/d?api-version=1",
                path,
                "https://h/openai/d/chat/completions?api-version=1",
            ),
            ("https://h/ask/?a=1#b", "", "https://h/ask/?a=1"),
        ] {
            assert_eq!(parse(base, path).expect(base).as_str(), expected);
        }
    }

    #[test]
    fn a_query_is_told_apart_without_being_told() {
        let hashed = |url: &str| {
            Endpoint::new(&EXTERNAL, url.to_owned(), Duration::from_secs(1), 1).hashed_query()
        };
        // printf 'deployment=a' | sha256sum
        assert_eq!(hashed("https://u:p@gw/v1?deployment=a"), " query bb682454");
        assert_eq!(hashed("https://u:p@gw/v1"), "");
    }

    #[test]
    fn what_is_no_web_address_is_refused() {
        for base in ["", "localhost:8080", "ftp://h/v1", "http://"] {
            assert!(parse(base, "/x").is_err(), "{base}");
        }
    }
}
