//! The services that a configuration names, in one form.

use std::collections::BTreeMap;
use std::path::Path;

use super::collection::CollectionSettings;
use super::external::ExternalSettings;
use super::judge::JudgeSettings;
use super::retrieval::{DenseSettings, RerankSettings, VectorStoreSettings};
use super::settings::GenerationSettings;

/// A service of one table of the configuration: where it is, and how it is called.
#[derive(Clone, Copy, Debug)]
pub struct Endpoint<'a> {
    /// The table: `generation`.
    pub table: &'static str,
    /// The key of its address in the table: `base_url`.
    pub url_key: &'static str,
    /// Its address.
    pub url: &'a str,
    /// Environment variable with the API key.
    pub api_key_env: Option<&'a str>,
    /// Additional request headers, each with the environment variable that holds its value.
    pub headers_env: Option<&'a BTreeMap<String, String>>,
    /// Timeout of a call in seconds.
    pub timeout_s: f64,
    /// Maximum number of concurrent calls.
    pub concurrency: usize,
    /// PEM file of a private certificate authority.
    pub ca_file: Option<&'a Path>,
}

impl<'a> Endpoint<'a> {
    fn new(
        [table, url_key]: [&'static str; 2],
        url: &'a str,
        api_key_env: Option<&'a String>,
        timeout_s: f64,
    ) -> Self {
        Self {
            table,
            url_key,
            url,
            api_key_env: api_key_env.map(String::as_str),
            headers_env: None,
            timeout_s,
            concurrency: 1,
            ca_file: None,
        }
    }
}

impl GenerationSettings {
    /// Returns the endpoint of the generator.
    #[must_use]
    pub fn service(&self) -> Endpoint<'_> {
        Endpoint {
            headers_env: Some(&self.headers_env),
            concurrency: self.concurrency,
            ca_file: self.ca_file.as_deref(),
            ..Endpoint::new(
                ["generation", "base_url"],
                &self.base_url,
                self.api_key_env.as_ref(),
                self.timeout_s,
            )
        }
    }
}

impl JudgeSettings {
    /// Returns the endpoint of the judge.
    #[must_use]
    pub fn service(&self) -> Endpoint<'_> {
        Endpoint {
            headers_env: Some(&self.headers_env),
            concurrency: self.concurrency,
            ca_file: self.ca_file.as_deref(),
            ..Endpoint::new(
                ["judge", "base_url"],
                &self.base_url,
                self.api_key_env.as_ref(),
                self.timeout_s,
            )
        }
    }
}

impl DenseSettings {
    /// Returns the embeddings endpoint; `None` for a local model.
    #[must_use]
    pub fn service(&self) -> Option<Endpoint<'_>> {
        let url = self.endpoint.as_deref()?;
        Some(Endpoint {
            concurrency: self.concurrency,
            ca_file: self.ca_file.as_deref(),
            ..Endpoint::new(
                ["retrieval.dense", "endpoint"],
                url,
                self.api_key_env.as_ref(),
                self.timeout_s,
            )
        })
    }
}

impl RerankSettings {
    /// Returns the rerank endpoint; `None` for a local model.
    #[must_use]
    pub fn service(&self) -> Option<Endpoint<'_>> {
        let url = self.endpoint.as_deref()?;
        Some(Endpoint {
            concurrency: self.concurrency,
            ca_file: self.ca_file.as_deref(),
            ..Endpoint::new(["rerank", "endpoint"], url, self.api_key_env.as_ref(), self.timeout_s)
        })
    }
}

impl ExternalSettings {
    /// Returns the external RAG; `None` for the built-in pipeline.
    #[must_use]
    pub fn service(&self) -> Option<Endpoint<'_>> {
        let url = self.url.as_deref()?;
        Some(Endpoint {
            headers_env: Some(&self.headers_env),
            concurrency: self.concurrency,
            ..Endpoint::new(["external", "url"], url, self.api_key_env.as_ref(), self.timeout_s)
        })
    }
}

impl VectorStoreSettings {
    /// Returns the Qdrant server of the vector store.
    #[must_use]
    pub fn service(&self) -> Endpoint<'_> {
        Endpoint::new(["vector_store", "url"], &self.url, self.api_key_env.as_ref(), self.timeout_s)
    }
}

impl CollectionSettings {
    /// Returns the Qdrant server of the collection.
    #[must_use]
    pub fn service(&self) -> Endpoint<'_> {
        Endpoint::new(
            ["retrieval.collection", "url"],
            &self.url,
            self.api_key_env.as_ref(),
            self.timeout_s,
        )
    }
}
