//! The addresses in the configuration, which may hold keys.

use super::settings::Settings;
use crate::text::address;

impl Settings {
    /// Returns a copy with `shown` of each address, and the keys of those that it changed.
    #[must_use]
    pub fn with_addresses(&self, shown: fn(&str) -> String) -> (Self, Vec<String>) {
        let mut settings = self.clone();
        let mut changed = Vec::new();
        let addresses = [
            ("generation.base_url", Some(&mut settings.generation.base_url)),
            ("judge.base_url", Some(&mut settings.judge.base_url)),
            ("vector_store.url", Some(&mut settings.vector_store.url)),
            ("external.url", settings.external.url.as_mut()),
            ("retrieval.dense.endpoint", settings.retrieval.dense.endpoint.as_mut()),
            ("rerank.endpoint", settings.rerank.endpoint.as_mut()),
            ("retrieval.collection.url", Some(&mut settings.retrieval.collection.url)),
        ];
        for (key, url) in addresses {
            let Some(url) = url.filter(|url| address::is_shortened(url)) else {
                continue;
            };
            changed.push(key.to_owned());
            *url = shown(url);
        }
        (settings, changed)
    }
}
