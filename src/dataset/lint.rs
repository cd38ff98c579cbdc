//! `ragtriage dataset lint`: checks a data set for errors and weaknesses. Exit 1 on errors.

use clap::Args;

use super::source::{self, SourceArgs};
use crate::failure::Failure;
use crate::output;
use ragtriage_data::dataset::{inspect, lint};

#[derive(Debug, Args)]
pub struct LintArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// Print JSON, with every finding.
    #[arg(long)]
    json: bool,
}

/// Runs the command; returns true if the data set has no errors.
pub fn lint(args: &LintArgs) -> Result<bool, Failure> {
    let resolved = source::resolve(&args.source)?;
    let inspection = inspect(&resolved.dataset())?;
    let lint = lint::content(resolved.settings.dataset.label(), &inspection);
    if args.json {
        output::data(&output::json(&lint, "the findings")?)?;
    } else {
        output::report(&ragtriage_report::lint::report(&lint))?;
    }
    Ok(lint.errors == 0)
}
