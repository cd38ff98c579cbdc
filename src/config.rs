//! `ragtriage config show`: the settings.

use std::path::PathBuf;

use clap::Subcommand;

use crate::failure::Failure;
use crate::output;
use crate::overrides::OverrideArgs;
use crate::run_folder::nearest_configuration;
use ragtriage_pipeline::settings::Resolved;

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Show every setting as TOML.
    Show {
        /// Configuration file [default: ragtriage.toml, else the built-in defaults].
        config: Option<PathBuf>,
        #[command(flatten)]
        overrides: OverrideArgs,
    },
}

/// Runs the command.
pub fn config(command: &ConfigCommand) -> Result<(), Failure> {
    let ConfigCommand::Show { config, overrides } = command;
    let config = config.clone().or_else(nearest_configuration);
    output::data(&Resolved::new(config.as_deref(), &overrides.sets()?)?.show())
}
