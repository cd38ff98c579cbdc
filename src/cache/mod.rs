//! `ragtriage cache`: what is kept between runs, and taking some of it out.

mod kind;
mod prune;
mod stat;

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Args, Subcommand};
use jiff::Timestamp;

use crate::environment::environment;
use crate::failure::Failure;
use kind::Kind;
use ragtriage_pipeline::settings::Resolved;

#[derive(Debug, Subcommand)]
pub enum CacheCommand {
    /// Print what the cache holds.
    Stat(StatArgs),
    /// Take things out of the cache. What is taken out is made, fetched or paid for again when it is needed.
    Prune(PruneArgs),
}

#[derive(Debug, Args)]
pub struct StatArgs {
    /// Only replies asked for data sets whose name (format and path) holds this text.
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    dataset: Option<String>,
    /// JSON.
    #[arg(long)]
    json: bool,
    /// A settings file, for its cache folder.
    #[arg(long)]
    config: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct PruneArgs {
    /// Only replies asked for data sets whose name (format and path) holds this text.
    #[arg(long, value_name = "TEXT", value_parser = NonEmptyStringValueParser::new())]
    dataset: Option<String>,
    /// Only what was made so many days ago or earlier; vectors, lengths and scores have no date and stay.
    #[arg(long, value_name = "DAYS")]
    older_than: Option<u32>,
    /// Only this kind; may be repeated.
    #[arg(long = "kind", value_enum, value_name = "KIND")]
    kinds: Vec<Kind>,
    /// Everything.
    #[arg(long, conflicts_with_all = ["dataset", "older_than", "kinds"])]
    all: bool,
    /// Only say what would be taken out.
    #[arg(long)]
    dry_run: bool,
    /// A settings file, for its cache folder.
    #[arg(long)]
    config: Option<PathBuf>,
}

/// Runs the command.
pub fn cache(command: CacheCommand) -> Result<(), Failure> {
    match command {
        CacheCommand::Stat(args) => stat::stat(&args),
        CacheCommand::Prune(args) => prune::prune(&args),
    }
}

/// The cache folder that `config` or the user's environment names.
fn folder(config: Option<&PathBuf>) -> Result<PathBuf, Failure> {
    let resolved = Resolved::new(config.map(PathBuf::as_path), &[])?;
    Ok(environment(&resolved, true, false)?.cache_dir)
}

/// A moment as a record has it.
fn written(seconds: u64) -> Option<String> {
    let at = i64::try_from(seconds)
        .ok()
        .and_then(|seconds| Timestamp::from_second(seconds).ok())?;
    Some(at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}
