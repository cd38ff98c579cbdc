//! `ragxray dataset convert`: a data set in another format, for other tools.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::super::{Failure, output, run};
use super::source::{self, SourceArgs};
use crate::dataset;
use crate::settings::assemble;

#[derive(Debug, Args)]
pub struct ConvertArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// The format.
    #[arg(long, value_enum)]
    to: Target,
    /// The folder to write; it must not be there.
    folder: PathBuf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Target {
    /// corpus.jsonl, queries.jsonl, qrels/SPLIT.tsv (`dataset.split`, else `test`).
    Beir,
}

pub fn convert(args: &ConvertArgs) -> Result<(), Failure> {
    let resolved = source::resolve(&args.source)?;
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
