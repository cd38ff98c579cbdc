//! `ragtriage cache`: shows what is cached between runs.

mod folder;
mod kind;
mod stat;

use clap::Subcommand;

use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum CacheCommand {
    /// Show the content of the cache by kind.
    Stat(stat::StatArgs),
}

/// Runs the command.
pub fn cache(command: CacheCommand) -> Result<(), Failure> {
    let CacheCommand::Stat(args) = command;
    stat::stat(&args)
}
