//! `ragtriage model`: fetch models ahead of a run.

use std::path::Path;

use clap::{Args, Subcommand};

use crate::bars::ProgressBars;
use crate::environment::environment;
use crate::failure::Failure;
use crate::output;
use crate::run_folder::nearest_configuration;
use crate::runtime::block_on;
use ragtriage_clients::fetch::Download;
use ragtriage_clients::fetch::model::{self as models, FetchedModel, HubName, ModelSource};
use ragtriage_pipeline::progress::Progress;
use ragtriage_pipeline::settings::Resolved;

#[derive(Debug, Subcommand)]
pub enum ModelCommand {
    /// Fetch a model of the Hugging Face hub.
    Fetch(ModelFetchArgs),
}

#[derive(Debug, Args)]
pub struct ModelFetchArgs {
    /// Model, as NAME or NAME@REVISION [default: the configured encoder].
    name: Option<String>,
    /// Use only models on this machine.
    #[arg(long)]
    offline: bool,
}

/// Runs the command.
pub fn model(command: ModelCommand) -> Result<(), Failure> {
    let ModelCommand::Fetch(args) = command;
    let resolved = Resolved::new(nearest_configuration().as_deref(), &[])?;
    let environment = environment(&resolved, args.offline, false);
    let source = ModelSource {
        cache_dir: environment.cache_dir,
        hub: environment.hub,
        offline: args.offline,
    };
    let name = args.name.unwrap_or_else(|| resolved.settings.retrieval.dense.model.clone());
    let bars = ProgressBars::new();
    let on_download = |download: Download<'_>| bars.download(download);
    let fetched = block_on(async {
        // Of a pinned model this program knows the hashes.
        if models::is_pinned(&name) {
            let found = models::locate(&name, Path::new(""), &source, &on_download).await?;
            return Ok((found, None));
        }
        let name = HubName::parse(&name)?;
        let fetched = models::fetch(&name, &source, &on_download).await?;
        let FetchedModel { commit, checkpoint, is_new } = fetched;
        let how = if is_new { "downloaded" } else { "already on this machine" };
        Ok((checkpoint, Some(format!("{} at {commit}: {how}", name.name))))
    });
    bars.finish();
    let (checkpoint, told) = fetched?;
    if let Some(told) = told {
        output::talk(&told);
    }
    output::data(&format!("{}\n", checkpoint.folder.display()))
}
