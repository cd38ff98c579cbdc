//! `ragtriage cache`: shows and removes what is cached between runs.

mod folder;
mod kind;
mod prune;
mod stat;

use clap::Subcommand;

use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum CacheCommand {
    /// Show the content of the cache by kind.
    Stat(stat::StatArgs),
    /// Remove entries from the cache.
    ///
    /// Removed entries are computed, fetched or paid for again when needed.
    Prune(prune::PruneArgs),
}

/// Runs the command.
pub fn cache(command: CacheCommand) -> Result<(), Failure> {
    match command {
        CacheCommand::Stat(args) => stat::stat(&args),
        CacheCommand::Prune(args) => prune::prune(&args),
    }
}
