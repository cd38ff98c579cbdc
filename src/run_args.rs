//! The arguments of `ragtriage run`.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::overrides::OverrideArgs;
use crate::report::Printed;
use crate::run_folder::DEFAULT_OUT;
use crate::shell::shell;

/// The configuration file of commands that are given none.
pub const DEFAULT_CONFIG: &str = "config/runbooks.toml";

#[derive(Debug, Default, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct RunArgs {
    /// Configuration file [default: config/runbooks.toml].
    pub(super) config: Option<PathBuf>,
    #[command(flatten)]
    pub(super) overrides: OverrideArgs,
    /// Use a seeded sample of N questions over the whole corpus.
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<usize>,
    /// Name of the run [default: file name, time and four hex digits].
    #[arg(long)]
    pub(super) name: Option<String>,
    /// Folder to write runs to.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_OUT)]
    pub(super) out: PathBuf,
    /// Resume a run, asking only missing or failed questions.
    ///
    /// Uses the recorded configuration; overrides must match it.
    #[arg(long, value_name = "NAME", conflicts_with = "name")]
    pub(super) resume: Option<String>,
    /// Ask each prompt N times to measure how replies vary.
    ///
    /// The cache of responses is neither read nor written.
    #[arg(long, value_name = "N")]
    pub(super) repeat: Option<usize>,
    /// Estimate calls, cost and data sent, without calling a service.
    ///
    /// Retrieval runs on this machine.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Do not read or write the caches of vectors and responses.
    #[arg(long)]
    pub(super) no_cache: bool,
    /// Refuse connections to other machines.
    #[arg(long)]
    pub(super) offline: bool,
    /// Print the full report instead of one screen.
    #[arg(long, conflicts_with = "json")]
    pub(super) full: bool,
    /// Print JSON: summary.json, or the estimate of --dry-run.
    #[arg(long)]
    pub(super) json: bool,
}

impl RunArgs {
    /// Returns what to print when the run is finished.
    pub fn printed(&self) -> Printed {
        Printed::new(self.full, self.json)
    }

    /// Returns the flag that names the folder of runs, after a space; empty for the default.
    pub fn out_flag(&self) -> String {
        if self.out == Path::new(DEFAULT_OUT) {
            String::new()
        } else {
            format!(" --out {}", shell(&self.out))
        }
    }

    /// Returns the configuration file, given or not.
    pub fn config(&self) -> &Path {
        self.config.as_deref().unwrap_or(Path::new(DEFAULT_CONFIG))
    }
}
