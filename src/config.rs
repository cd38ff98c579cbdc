//! `ragtriage config show`: the settings.

use std::path::PathBuf;

use clap::Subcommand;

use crate::failure::Failure;
use crate::output;
use crate::overrides::OverrideArgs;
use ragtriage_pipeline::settings::Resolved;

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Show every key as TOML.
    Show {
        /// Configuration file [default: none, the built-in defaults].
        config: Option<PathBuf>,
        #[command(flatten)]
        overrides: OverrideArgs,
    },
}

/// Runs the command.
pub fn config(command: &ConfigCommand) -> Result<(), Failure> {
    let ConfigCommand::Show { config, overrides } = command;
    output::data(&Resolved::new(config.as_deref(), &overrides.sets()?)?.show())
}
