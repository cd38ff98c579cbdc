//! `best.toml`: the configuration of one trial, ready to run from its folder.

use std::path::{Component, Path, PathBuf};

use toml::{Table, Value};

use crate::settings::{Resolved, Settings};
use ragtriage_core::text::address;

/// Prompt packing that replaces the trial's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packing {
    /// `retrieval.k`.
    pub k: usize,
    /// `generation.context_tokens`.
    pub context_tokens: usize,
}

/// Returns the file's text: the settings that differ from the defaults, with relative paths rewritten to start from `folder`, below a
/// comment on each address that is incomplete.
#[must_use]
pub fn best(resolved: &Resolved, packing: Option<Packing>, folder: &Path) -> String {
    let (mut settings, shortened) = resolved.settings.with_addresses(address::shown_url);
    if let Some(Packing { k, context_tokens }) = packing {
        settings.retrieval.k = k;
        settings.retrieval.candidates = settings.retrieval.candidates.max(k);
        settings.generation.context_tokens = context_tokens;
    }
    settings.move_paths(|path| seen_from(folder, path, &resolved.base()));
    let comments = shortened.iter().map(|key| {
        format!(
            "# {key} is written without its user info and query, which may hold keys: set it again.\n"
        )
    });
    let own = differing(&table(&settings), &table(&Settings::default()));
    comments.collect::<String>() + &toml::to_string(&own).expect("a table of plain values")
}

fn table(settings: &Settings) -> Table {
    Table::try_from(settings).expect("settings are plain TOML values")
}

/// Returns the entries of `own` that differ from `other`.
fn differing(own: &Table, other: &Table) -> Table {
    let differs = |(key, value): (&String, &Value)| match (value, other.get(key)) {
        (Value::Table(own), Some(Value::Table(other))) => {
            let inner = differing(own, other);
            (!inner.is_empty()).then(|| (key.clone(), Value::Table(inner)))
        }
        (value, known) => (known != Some(value)).then(|| (key.clone(), value.clone())),
    };
    own.iter().filter_map(differs).collect()
}

/// Returns the relative `path`, which starts from `base`, as it is reached from `folder`; `None` if it names no file.
fn seen_from(folder: &Path, path: &Path, base: &Path) -> Option<PathBuf> {
    (!path.is_absolute()).then(|| from_folder(&base.join(path), folder)).flatten()
}

/// Returns `path` relative to `folder`; `None` if one of them does not exist.
fn from_folder(path: &Path, folder: &Path) -> Option<PathBuf> {
    let (path, folder) = (path.canonicalize().ok()?, folder.canonicalize().ok()?);
    let shared = path.components().zip(folder.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(shared).map(|_| Path::new("..").as_os_str());
    Some(up.chain(path.components().skip(shared).map(Component::as_os_str)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_holds_what_differs_and_its_paths_lead_to_the_same_places() {
        let root = tempfile::tempdir().expect("a folder");
        for folder in ["config", "docs", "tunes/one"] {
            std::fs::create_dir_all(root.path().join(folder)).expect("made");
        }
        let config = root.path().join("config/tune.toml");
        std::fs::write(
            &config,
            "[dataset]\npath = \"../docs\"\n[chunking]\nsize = 64\noverlap = 40\n",
        )
        .expect("written");
        let resolved =
            Resolved::new(Some(&config), &["retrieval.k=3".to_owned()]).expect("settings");
        let folder = root.path().join("tunes/one");
        let text = best(&resolved, None, &folder);
        assert_eq!(
            text,
            "[chunking]\nsize = 64\n\n[dataset]\npath = \"../../docs\"\n\n[retrieval]\nk = 3\n"
        );
        std::fs::write(folder.join("best.toml"), &text).expect("written");
        let again = Resolved::new(Some(&folder.join("best.toml")), &[]).expect("settings");
        assert_eq!(again.settings.retrieval.k, 3);
        assert_eq!(
            again.base().join(&again.settings.dataset.path).canonicalize().ok(),
            root.path().join("docs").canonicalize().ok()
        );
    }

    #[test]
    fn the_settings_file_s_own_folder_is_found_from_elsewhere_and_the_packing_is_written() {
        let root = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(root.path().join("tunes/one")).expect("made");
        let config = root.path().join("tune.toml");
        std::fs::write(&config, "[retrieval]\nk = 5\n").expect("written");
        let resolved = Resolved::new(Some(&config), &[]).expect("settings");
        let packing = Some(Packing { k: 18, context_tokens: 1000 });
        assert_eq!(
            best(&resolved, packing, &root.path().join("tunes/one")),
            "[dataset]\npath = \"../..\"\n\n[generation]\ncontext_tokens = 1000\n\n[retrieval]\nk = 18\n"
        );
    }

    #[test]
    fn a_name_that_is_no_path_stays() {
        let root = tempfile::tempdir().expect("a folder");
        let resolved = Resolved::new(None, &["retrieval.dense.model=some/model".to_owned()])
            .expect("settings");
        assert!(best(&resolved, None, root.path()).contains("model = \"some/model\""));
    }
}
