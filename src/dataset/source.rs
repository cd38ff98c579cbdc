//! The data set of a command.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::failure::Failure;
use crate::output;
use crate::overrides::SetArgs;
use crate::run_folder::configuration;
use ragtriage_core::config::DatasetSettings;
use ragtriage_core::text::numbers::{plural, thousands};
use ragtriage_pipeline::settings::Resolved;

#[derive(Debug, Args)]
pub struct SourceArgs {
    /// Configuration file [default: ragtriage.toml, here or above].
    pub config: Option<PathBuf>,
    #[command(flatten)]
    set: SetArgs,
}

/// Returns the configuration with the overrides.
pub fn resolve(args: &SourceArgs) -> Result<Resolved, Failure> {
    Ok(Resolved::new(Some(&configuration(args.config.as_deref())?), &args.set.sets)?)
}

/// Returns the file of a data set that takes more questions.
pub fn questions_file(spec: &DatasetSettings) -> Result<PathBuf, Failure> {
    if !spec.fields.is_empty() {
        return Err(Failure::new(
            "questions in a layout of their own, by `dataset.fields`, are not added to",
            "leave `dataset.questions` and `dataset.fields` out: labels then go to `questions.jsonl`",
        ));
    }
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
