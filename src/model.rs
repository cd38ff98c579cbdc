//! `ragtriage model`: fetch models ahead of a run.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};

use crate::bars::ProgressBars;
use crate::environment::environment;
use crate::failure::Failure;
use crate::output;
use crate::runtime::block_on;
use ragtriage_clients::fetch::model::{self as models, FetchedModel, HubName, ModelSource};
use ragtriage_pipeline::settings::Resolved;

#[derive(Debug, Subcommand)]
pub enum ModelCommand {
    /// Fetch a model of the Hugging Face hub.
    Fetch(ModelFetchArgs),
}

#[derive(Debug, Args)]
pub struct ModelFetchArgs {
    /// Model, as NAME or NAME@REVISION [default: the embedding model].
    name: Option<String>,
    /// Use only models on this machine.
    #[arg(long)]
    offline: bool,
    /// Configuration file: its cache folder.
    #[arg(long)]
    config: Option<PathBuf>,
}

/// Runs the command.
pub fn model(command: ModelCommand) -> Result<(), Failure> {
    let ModelCommand::Fetch(args) = command;
    let resolved = Resolved::new(args.config.as_deref(), &[])?;
    let environment = environment(&resolved, args.offline, false)?;
    let source = ModelSource {
        cache_dir: environment.cache_dir,
        hub: environment.hub,
        offline: args.offline,
    };
    let name = args.name.unwrap_or_else(|| resolved.settings.retrieval.dense.model.clone());
    if models::is_pinned(&name) {
        return fetch_pinned(&name, &source);
    }
    let name = HubName::parse(&name)?;
    let bars = ProgressBars::new();
    let fetched = block_on(async {
        Ok(models::fetch(&name, &source, &|download| bars.download(download)).await?)
    });
    ragtriage_pipeline::progress::Progress::finish(&bars);
    let FetchedModel { commit, checkpoint, is_new } = fetched?;
    let how = if is_new { "downloaded" } else { "already on this machine" };
    output::talk(&format!("{} at {commit}: {how}", name.name));
    output::data(&format!("{}\n", checkpoint.folder.display()))
}

/// Fetches a model whose hashes this program knows, as a run does.
fn fetch_pinned(name: &str, source: &ModelSource) -> Result<(), Failure> {
    let bars = ProgressBars::new();
    let found = block_on(async {
        Ok(models::locate(name, Path::new(""), source, &|download| bars.download(download)).await?)
    });
    ragtriage_pipeline::progress::Progress::finish(&bars);
    output::data(&format!("{}\n", found?.folder.display()))
}
