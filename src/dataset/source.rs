//! The data set of a command: named by a configuration file, or the data itself.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::Failure;
use crate::output;
use ragtriage_core::config::DatasetSettings;
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_pipeline::settings::Resolved;

#[derive(Debug, Args)]
pub struct SourceArgs {
    /// Configuration file (.toml), or the data set itself: folder or file.
    #[arg(value_name = "PATH")]
    path: PathBuf,
    /// Layout: hotpotqa, squad, beir, smart, jsonl, files [default: detected].
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// Override a configuration key, value in TOML.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
}

impl SourceArgs {
    /// Returns the settings file, if the path is one.
    pub fn settings(&self) -> Option<&Path> {
        let is_settings = self.path.extension().is_some_and(|ending| ending == "toml");
        is_settings.then_some(self.path.as_path())
    }
}

/// Returns the configuration of the file, or the defaults with the data set; `--set` applies to both.
///
/// # Errors
/// A setting that is none; nothing at the path.
pub fn resolve(args: &SourceArgs) -> Result<Resolved, Failure> {
    let SourceArgs { path, format, sets } = args;
    let mut all = Vec::new();
    let file = args.settings();
    if file.is_none() {
        all.push(set("dataset.path", &path.to_string_lossy()));
        if format.is_none() {
            all.push(set("dataset.format", ragtriage_data::dataset::guess_format(path)?.name()));
        }
    }
    all.extend(format.iter().map(|format| set("dataset.format", format)));
    all.extend(sets.iter().cloned());
    Ok(Resolved::new(file, &all)?)
}

/// Returns the file of a data set that takes more questions.
pub fn questions_file(spec: &DatasetSettings) -> Result<PathBuf, Failure> {
    ragtriage_data::dataset::questions_file(spec).ok_or_else(|| {
        Failure::new(
            format!("a `{}` data set takes no further questions", spec.format),
            "copy its documents into a folder of your own, and name that",
        )
    })
}

/// Tells how many of the given questions a file has already.
pub fn tell_known(path: &Path, n_known: usize, n_all: usize) {
    if n_known > 0 {
        let all = plural(n_all, "question", "questions");
        output::talk(&format!("already in {}: {} of {all}", path.display(), thousands(n_known)));
    }
}

/// Returns `key=value` with the value as a TOML string.
fn set(key: &str, value: &str) -> String {
    format!("{key}={}", toml::Value::from(value))
}
