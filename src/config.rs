//! `ragtriage config`: what the settings are and where each comes from.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::failure::Failure;
use crate::output;
use ragtriage_pipeline::settings::{Resolved, Settings};

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Every setting as TOML, its origin behind it.
    Show(ShowArgs),
    /// The settings' JSON Schema.
    Schema,
}

#[derive(Debug, Args)]
pub struct ShowArgs {
    /// The settings file. Default: none, the built-in defaults.
    config: Option<PathBuf>,
    /// Set any setting.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
}

/// Runs the command.
pub fn config(command: &ConfigCommand) -> Result<(), Failure> {
    match command {
        ConfigCommand::Show(args) => {
            output::data(&Resolved::new(args.config.as_deref(), &args.sets)?.show())
        }
        ConfigCommand::Schema => output::data(&output::json(
            &schemars::schema_for!(Settings),
            "the schema",
        )?),
    }
}
