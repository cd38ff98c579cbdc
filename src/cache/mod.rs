//! `ragtriage cache`: what is kept between runs, and taking some of it out.

mod folder;
mod kind;
mod prune;
mod stat;

use clap::Subcommand;

use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum CacheCommand {
    /// Print what the cache holds.
    Stat(stat::StatArgs),
    /// Take things out of the cache. What is taken out is made, fetched or paid for again when it is needed.
    Prune(prune::PruneArgs),
}

/// Runs the command.
pub fn cache(command: CacheCommand) -> Result<(), Failure> {
    match command {
        CacheCommand::Stat(args) => stat::stat(&args),
        CacheCommand::Prune(args) => prune::prune(&args),
    }
}
