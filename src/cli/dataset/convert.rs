//! `ragxray dataset convert`: a data set in another format, for other tools.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::super::{Failure, output, run};
use super::source::{self, SourceArgs};
use crate::dataset::{self, Exported, Layout};
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
    /// corpus.jsonl, questions.jsonl.
    Jsonl,
    /// corpus.jsonl, queries.jsonl, qrels/SPLIT.tsv (`dataset.split`, else `test`); what BEIR has no file for stands in the
    /// queries' metadata.
    Beir,
}

pub fn convert(args: &ConvertArgs) -> Result<(), Failure> {
    let resolved = source::resolve(&args.source)?;
    let mut dataset = dataset::load(&assemble::load_spec(&resolved))?;
    run::sample(&mut dataset, &resolved.settings)?;
    let layout = match args.to {
        Target::Jsonl => Layout::Jsonl,
        Target::Beir => Layout::Beir { split: resolved.settings.dataset.split.as_deref().unwrap_or("test") },
    };
    let Exported { digest, n_unjudged, n_missing } = dataset::export(&dataset, layout, &args.folder)?;
    let (n_documents, n_questions) = (dataset.documents.len(), dataset.questions.len());
    output::talk(&format!(
        "{n_documents} documents and {n_questions} questions are in {}, read back the same: {digest}",
        args.folder.display()
    ));
    match args.to {
        Target::Beir if n_unjudged > 0 => {
            output::talk(&format!("{n_unjudged} questions have no judgment: other readers of BEIR leave them out"));
        }
        Target::Jsonl if n_missing > 0 => output::talk(&format!(
            "{n_missing} labels name documents that are not there: it loads with `dataset.missing_evidence = \"keep\"`"
        )),
        Target::Beir | Target::Jsonl => {}
    }
    Ok(())
}
