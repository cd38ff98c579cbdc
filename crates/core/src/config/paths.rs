//! The paths in the configuration that are relative to its file.

use std::path::{Path, PathBuf};

use super::settings::Settings;
use crate::prompt::Template;

impl Settings {
    /// Replaces each path by what `moved` returns for it. Names of models and templates count, because they may be paths.
    pub fn move_paths(&mut self, moved: impl Fn(&Path) -> Option<PathBuf>) {
        let (dense, generation) = (&mut self.retrieval.dense, &mut self.generation);
        let paths = [
            Some(&mut self.dataset.path),
            dense.model_path.as_mut(),
            dense.ca_file.as_mut(),
            self.rerank.ca_file.as_mut(),
            generation.ca_file.as_mut(),
            generation.responses.as_mut(),
            self.chunking.file.as_mut(),
            self.judge.ca_file.as_mut(),
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
