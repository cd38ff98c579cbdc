//! The arguments of `ragtriage run`.

use std::path::{Path, PathBuf};

use clap::Args;

use crate::report::Printed;
use crate::run_folder::DEFAULT_OUT;

/// The configuration file of commands that are given none.
pub const DEFAULT_CONFIG: &str = "config/runbooks.toml";

#[derive(Debug, Default, Args)]
#[allow(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub struct RunArgs {
    /// The settings file. Default: config/runbooks.toml.
    pub(super) config: Option<PathBuf>,
    /// Set any setting, value in TOML: `--set retrieval.k=3`.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(super) sets: Vec<String>,
    /// Ask only N questions, a seeded sample; the corpus stays whole.
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<usize>,
    /// The run's name. Default: the settings file's, the time, four hex digits.
    #[arg(long)]
    pub(super) name: Option<String>,
    /// The folder that runs go to.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_OUT)]
    pub(super) out: PathBuf,
    /// Go on with a run: ask what is missing or failed. Its own settings hold; given ones must be the same.
    #[arg(long, value_name = "NAME", conflicts_with = "name")]
    pub(super) resume: Option<String>,
    /// Ask each question's own prompt N times, to see how replies differ: none is taken from the cache or kept there.
    #[arg(long, value_name = "N")]
    pub(super) repeat: Option<usize>,
    /// Only say what would be asked, what it may cost and what leaves this machine. Retrieval is run, no service is called.
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Ask the generator and compute vectors anew; keep neither.
    #[arg(long)]
    pub(super) no_cache: bool,
    /// Refuse every connection that is not to this machine.
    #[arg(long)]
    pub(super) offline: bool,
    /// Print the full report instead of the first screen.
    #[arg(long, conflicts_with = "json")]
    pub(super) full: bool,
    /// Print summary.json instead of the report; with --dry-run the estimate as JSON.
    #[arg(long)]
    pub(super) json: bool,
}

impl RunArgs {
    /// Returns what to print when the run is finished.
    pub fn printed(&self) -> Printed {
        Printed::new(self.full, self.json)
    }

    /// Returns the configuration file, given or not.
    pub fn config(&self) -> &Path {
        self.config.as_deref().unwrap_or(Path::new(DEFAULT_CONFIG))
    }
}
