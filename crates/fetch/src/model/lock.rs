//! `models.lock`: the commit and the sha256 of each file of the models that a project uses.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::ModelError;
use super::files;
use super::name::{HubName, is_commit};
use ragtriage_encoder::checkpoint::sha256_of_file;

/// Name of the file, next to the configuration.
pub const LOCK: &str = "models.lock";

const HEADER: &str = "# Models of this project: the commit on the hub and the sha256 of each file. Keep this file under version control.\n\n";

/// The lock file.
#[derive(Clone, Debug)]
pub struct ModelLock {
    path: PathBuf,
    content: Content,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct Content {
    #[serde(default)]
    models: BTreeMap<String, LockedModel>,
}

/// A locked model.
#[derive(Clone, Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct LockedModel {
    /// Its commit.
    pub revision: String,
    /// sha256 in hex by file name.
    pub files: BTreeMap<String, String>,
}

impl ModelLock {
    /// Reads the file `path`; empty if it is missing.
    ///
    /// # Errors
    /// `Lock`, with the parser's line.
    pub fn read(path: &Path) -> Result<Self, ModelError> {
        let invalid = |what: String| ModelError::Lock { path: path.to_owned(), what };
        let text = match std::fs::read_to_string(path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            read => read.map_err(|error| invalid(error.to_string()))?,
        };
        let content: Content =
            toml::from_str(&text).map_err(|error| invalid(error.to_string().trim().to_owned()))?;
        for (name, model) in &content.models {
            if HubName::parse(name).is_err() {
                return Err(invalid(format!("`{name}` is not a model name")));
            }
            if !is_commit(&model.revision) {
                return Err(invalid(format!("the revision of `{name}` is not a commit")));
            }
            for (file, hash) in &model.files {
                let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
                if !is_hash || !files::ALL.contains(&file.as_str()) {
                    return Err(invalid(format!(
                        "`{file}` of `{name}` is not a model file with a sha256"
                    )));
                }
            }
            if let Some(file) = files::missing(|file| model.files.contains_key(file)) {
                return Err(invalid(format!("`{name}` has no `{file}`")));
            }
        }
        Ok(Self { path: path.to_owned(), content })
    }

    /// Returns the entry of that model; `None` also for another revision of it.
    pub(super) fn entry(&self, name: &HubName) -> Option<&LockedModel> {
        let model = self.content.models.get(&name.name)?;
        let is_locked = name.revision.as_ref().is_none_or(|it| *it == model.revision);
        is_locked.then_some(model)
    }

    /// Returns all entries, by name.
    pub(super) fn entries(&self) -> impl Iterator<Item = (&String, &LockedModel)> {
        self.content.models.iter()
    }

    /// Compares the files in `folder` with `model`, the entry of `name`.
    ///
    /// # Errors
    /// `Changed` for the first file that differs; `Checkpoint` for one that cannot be read.
    pub(super) fn verify(
        &self,
        name: &str,
        model: &LockedModel,
        folder: &Path,
    ) -> Result<(), ModelError> {
        for (file, expected) in &model.files {
            let path = folder.join(file);
            let found = sha256_of_file(&path)?;
            if found != *expected {
                return Err(ModelError::Changed {
                    name: name.to_owned(),
                    file: path.display().to_string(),
                    expected: expected.clone(),
                    found,
                    lock: self.path.clone(),
                });
            }
        }
        Ok(())
    }

    /// Locks the files of `name` in `folder`, and writes the file.
    ///
    /// # Errors
    /// `Write`; `Checkpoint` for a file that cannot be read.
    pub(super) fn add(
        &mut self,
        name: &str,
        commit: &str,
        folder: &Path,
    ) -> Result<(), ModelError> {
        let mut locked = BTreeMap::new();
        for file in files::ALL {
            let path = folder.join(file);
            if path.is_file() {
                locked.insert(file.to_owned(), sha256_of_file(&path)?);
            }
        }
        let model = LockedModel { revision: commit.to_owned(), files: locked };
        self.content.models.insert(name.to_owned(), model);
        let text = toml::to_string(&self.content).expect("strings in tables");
        let partial =
            PathBuf::from(format!("{}.partial-{}", self.path.display(), std::process::id()));
        std::fs::write(&partial, format!("{HEADER}{text}"))
            .and_then(|()| std::fs::rename(&partial, &self.path))
            .map_err(|source| ModelError::Write { path: self.path.clone(), source })
    }

    /// Returns its path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `printf one | sha256sum`.
    const ONE: &str = "7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed";
    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

    #[test]
    fn a_locked_model_reads_back_and_a_changed_file_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        for file in ["config.json", "tokenizer.json", "model.safetensors", "other.txt"] {
            std::fs::write(folder.path().join(file), "one").expect("written");
        }
        let path = folder.path().join(LOCK);
        let mut lock = ModelLock::read(&path).expect("missing is empty");
        lock.add("a/b", COMMIT, folder.path()).expect("written");
        let lock = ModelLock::read(&path).expect("reads");
        let of = |text| HubName::parse(text).expect("a name");
        let entry = lock.entry(&of("a/b")).expect("locked");
        assert_eq!(entry.files.len(), 3);
        assert!(entry.files.values().all(|hash| hash == ONE));
        assert_eq!(lock.entry(&of("a/b@main")), None);
        lock.verify("a/b", entry, folder.path()).expect("unchanged");
        std::fs::write(folder.path().join("config.json"), "two").expect("written");
        let error = lock.verify("a/b", entry, folder.path()).expect_err("changed");
        assert!(
            matches!(&error, ModelError::Changed { file, expected, .. } if file.ends_with("config.json") && expected == ONE),
            "{error}"
        );
    }

    #[test]
    fn a_lock_that_names_other_paths_or_lacks_a_hash_is_refused() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(LOCK);
        let model = |name: &str, revision: &str, file: &str, hash: &str| {
            format!(
                "[models.\"{name}\"]\nrevision = \"{revision}\"\n[models.\"{name}\".files]\n\"{file}\" = \"{hash}\"\n"
            )
        };
        for (text, expected) in [
            ("[models\n".to_owned(), "line 1"),
            (model("../a", COMMIT, "config.json", ONE), "not a model name"),
            (model("a/b", "main", "config.json", ONE), "not a commit"),
            (model("a/b", COMMIT, "../config.json", ONE), "not a model file"),
            (model("a/b", COMMIT, "config.json", "12"), "not a model file"),
            (model("a/b", COMMIT, "config.json", ONE), "has no `tokenizer.json`"),
            ("version = 2\n".to_owned(), "version"),
        ] {
            std::fs::write(&path, text).expect("written");
            let error = ModelLock::read(&path).expect_err("refused").to_string();
            assert!(error.contains(expected), "{expected}: {error}");
        }
    }
}
