//! `ragtriage config`: what the settings are and where each comes from.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::failure::Failure;
use crate::output;
use crate::overrides::OverrideArgs;
use crate::schema::{self, File};
use ragtriage_pipeline::settings::Resolved;

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Show every key as TOML, with the origin of its value.
    Show(ShowArgs),
    /// Print the JSON Schema: earlier name of `schema config`.
    #[command(hide = true)]
    Schema,
}

#[derive(Debug, Args)]
pub struct ShowArgs {
    /// Configuration file [default: none, the built-in defaults].
    config: Option<PathBuf>,
    #[command(flatten)]
    overrides: OverrideArgs,
}

/// Runs the command.
pub fn config(command: &ConfigCommand) -> Result<(), Failure> {
    match command {
        ConfigCommand::Show(args) => {
            let sets = args.overrides.sets()?;
            output::data(&Resolved::new(args.config.as_deref(), &sets)?.show())
        }
        ConfigCommand::Schema => schema::schema(File::Config),
    }
}
