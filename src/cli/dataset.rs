//! `ragxray dataset`: fetch a data set into datasets/fetched/, convert one for other tools.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum};

use super::{Failure, output, run};
use crate::dataset;
use crate::settings::{Resolved, assemble};

/// Where fetched data sets go.
const FETCHED: &str = "datasets/fetched";

#[derive(Debug, Subcommand)]
pub enum DatasetCommand {
    /// Copy a published data set's files from a local folder into datasets/fetched/NAME.
    Fetch(FetchArgs),
    /// Write the documents, questions and judgments that settings name in another format.
    Convert(ConvertArgs),
}

#[derive(Debug, Args)]
pub struct FetchArgs {
    /// The data set: hotpotqa, squad, cisi, scifact, ...
    name: String,
    /// A folder (or file) that holds it.
    #[arg(long, value_name = "PATH")]
    from: PathBuf,
    /// Replace one that is there.
    #[arg(long)]
    force: bool,
}

#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// The settings file that names the data set.
    config: PathBuf,
    /// The format.
    #[arg(long, value_enum)]
    to: Target,
    /// The folder to write; it must not be there.
    folder: PathBuf,
    /// Set any setting, value in TOML.
    #[arg(long = "set", value_name = "KEY=VALUE")]
    sets: Vec<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Target {
    /// corpus.jsonl, queries.jsonl, qrels/SPLIT.tsv (`dataset.split`, else `test`).
    Beir,
}

/// Runs the command.
pub fn dataset(command: DatasetCommand) -> Result<(), Failure> {
    match command {
        DatasetCommand::Fetch(args) => fetch(&args),
        DatasetCommand::Convert(args) => convert(&args),
    }
}

fn convert(args: &ConvertArgs) -> Result<(), Failure> {
    let resolved = Resolved::new(Some(&args.config), &args.sets)?;
    let mut dataset = dataset::load(&assemble::load_spec(&resolved))?;
    run::sample(&mut dataset, &resolved.settings)?;
    let Target::Beir = args.to;
    let split = resolved.settings.dataset.split.as_deref().unwrap_or("test");
    let n_unjudged = dataset::to_beir(&dataset, &args.folder, split)?;
    let (n_documents, n_questions) = (dataset.documents.len(), dataset.questions.len());
    output::talk(&format!("{n_documents} documents and {n_questions} questions are in {}", args.folder.display()));
    if n_unjudged > 0 {
        output::talk(&format!("{n_unjudged} questions have no judgment: readers of BEIR leave them out"));
    }
    Ok(())
}

fn fetch(args: &FetchArgs) -> Result<(), Failure> {
    let folder = dataset::copy_local(&args.name, &args.from, Path::new(FETCHED), args.force)?;
    output::talk(&format!("{} is in {}", args.name, folder.display()));
    Ok(())
}
