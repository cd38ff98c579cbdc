//! `ragtriage model`: fetch and lock models ahead of a run, and list those that are there.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::bars::ProgressBars;
use crate::environment::environment;
use crate::failure::Failure;
use crate::output;
use crate::runtime::block_on;
use ragtriage_fetch::model::{
    self as models, FetchedModel, HubName, LOCK, ListedModel, ModelRef, ModelSource, ModelState,
};
use ragtriage_pipeline::settings::Resolved;

#[derive(Debug, Subcommand)]
pub enum ModelCommand {
    /// Fetch a model of the Hugging Face hub and lock its files.
    Fetch(ModelFetchArgs),
    /// List locked and cached models.
    List(ModelListArgs),
}

#[derive(Debug, Args)]
pub struct ModelFetchArgs {
    /// Model, as NAME or NAME@REVISION [default: the embedding model].
    name: Option<String>,
    /// Use only models on this machine.
    #[arg(long)]
    offline: bool,
    /// Configuration file: its cache folder, and models.lock next to it.
    #[arg(long)]
    config: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub struct ModelListArgs {
    /// Configuration file: its cache folder, and models.lock next to it.
    #[arg(long)]
    config: Option<PathBuf>,
}

/// Runs the command.
pub fn model(command: ModelCommand) -> Result<(), Failure> {
    match command {
        ModelCommand::Fetch(args) => fetch(args),
        ModelCommand::List(args) => list(&args),
    }
}

fn fetch(args: ModelFetchArgs) -> Result<(), Failure> {
    let resolved = Resolved::new(args.config.as_deref(), &[])?;
    let source = source(&resolved, args.offline)?;
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
    let FetchedModel { name, commit, checkpoint, is_new } = fetched?;
    let how = if is_new { "downloaded" } else { "already on this machine" };
    output::talk(&format!("{name} at {commit}: {how}, locked in {}", lock(&source)));
    output::data(&format!("{}\n", checkpoint.folder.display()))
}

/// Fetches a model whose hashes this program knows, as a run does: it needs no lock.
fn fetch_pinned(name: &str, source: &ModelSource) -> Result<(), Failure> {
    let model = ModelRef::Named(name.to_owned());
    let bars = ProgressBars::new();
    let found = block_on(async {
        Ok(models::locate(&model, source, &|download| bars.download(download)).await?)
    });
    ragtriage_pipeline::progress::Progress::finish(&bars);
    output::data(&format!("{}\n", found?.folder.display()))
}

fn list(args: &ModelListArgs) -> Result<(), Failure> {
    let resolved = Resolved::new(args.config.as_deref(), &[])?;
    let listed = models::list(&source(&resolved, true)?)?;
    if listed.is_empty() {
        output::talk("no models: `ragtriage model fetch NAME` fetches one");
    }
    let lines: String = listed.iter().map(line).collect();
    output::data(&lines)
}

/// One model: name, commit, state and folder, separated by tabs.
fn line(model: &ListedModel) -> String {
    let ListedModel { name, commit, folder, state } = model;
    let state = match state {
        ModelState::Verified => "locked".to_owned(),
        ModelState::Changed(file) => format!("changed: {file}"),
        ModelState::Missing => "missing".to_owned(),
        ModelState::Cached => "not locked".to_owned(),
    };
    let commit = commit.as_deref().unwrap_or("-");
    let folder = folder.as_ref().map_or("-".to_owned(), |it| it.display().to_string());
    format!("{name}\t{commit}\t{state}\t{folder}\n")
}

fn source(resolved: &Resolved, offline: bool) -> Result<ModelSource, Failure> {
    let environment = environment(resolved, offline, false)?;
    Ok(ModelSource {
        cache_dir: environment.cache_dir,
        hub: environment.hub,
        offline,
        lock: Some(resolved.base().join(LOCK)),
    })
}

fn lock(source: &ModelSource) -> String {
    let path = source.lock.as_ref();
    path.map_or_else(String::new, |path| path.display().to_string())
}
