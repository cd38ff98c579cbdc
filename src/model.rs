//! `ragtriage model`: fetch the embedding model ahead of a run.

use ragtriage_core::hint::Hint;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use crate::bars::ProgressBars;
use crate::environment::environment;
use crate::failure::Failure;
use crate::output;
use crate::runtime::block_on;
use ragtriage_fetch::model::{self as source, ModelRef, ModelSource};
use ragtriage_pipeline::settings::Resolved;

#[derive(Debug, Subcommand)]
pub enum ModelCommand {
    /// Fetch a model into the cache, checked by sha256, and print where it is.
    Fetch(ModelFetchArgs),
}

#[derive(Debug, Args)]
pub struct ModelFetchArgs {
    /// The model. Default: the default embedding model.
    name: Option<String>,
    /// Only look: fetch nothing.
    #[arg(long)]
    offline: bool,
    /// A settings file, for its cache folder.
    #[arg(long)]
    config: Option<PathBuf>,
}

/// Runs the command.
pub fn model(command: ModelCommand) -> Result<(), Failure> {
    let ModelCommand::Fetch(args) = command;
    let resolved = Resolved::new(args.config.as_deref(), &[])?;
    let environment = environment(&resolved, args.offline, false)?;
    let name = args
        .name
        .unwrap_or_else(|| resolved.settings.retrieval.dense.model.clone());
    let source = ModelSource {
        cache_dir: environment.cache_dir,
        hub: environment.hub,
        offline: args.offline,
    };
    let bars = ProgressBars::new();
    let found = block_on(async {
        let found = source::locate(
            &ModelRef::parse(&name, Path::new("")),
            &source,
            &|download| bars.download(download),
        )
        .await;
        found.map_err(|error| Failure {
            message: error.to_string(),
            hint: error.hint(),
        })
    });
    ragtriage_pipeline::progress::Progress::finish(&bars);
    output::data(&format!("{}\n", found?.folder.display()))
}
