//! The addresses in the configuration, which may hold keys, and its paths, which are relative to its file.

use std::path::{Path, PathBuf};

use super::settings::Settings;
use crate::prompt::Template;
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

    /// Replaces each path by what `moved` returns for it. Names of models and templates count, because they may be paths.
    pub fn move_paths(&mut self, moved: impl Fn(&Path) -> Option<PathBuf>) {
        let (dense, generation) = (&mut self.retrieval.dense, &mut self.generation);
        let paths = [
            Some(&mut self.dataset.path),
            self.http.ca_file.as_mut(),
            generation.responses.as_mut(),
            self.chunking.file.as_mut(),
            self.cache.dir.as_mut(),
        ];
        for path in paths.into_iter().flatten() {
            if let Some(new) = moved(path) {
                *path = new;
            }
        }
        let names = [
            Some(&mut dense.model),
            dense.query_model.as_mut(),
            Some(&mut self.retrieval.late_interaction.model),
            self.rerank.model.as_mut(),
            Some(&mut generation.prompt).filter(|name| Template::built_in(name).is_none()),
        ];
        for name in names.into_iter().flatten().filter(|name| !name.is_empty()) {
            if let Some(new) = moved(Path::new(name)) {
                *name = new.to_string_lossy().into_owned();
            }
        }
    }
}
