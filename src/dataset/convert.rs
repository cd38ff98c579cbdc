//! `ragtriage dataset convert`: a data set in another format, for other tools.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::source::{self, SourceArgs};
use crate::failure::Failure;
use crate::output;
use crate::sample::sample;
use ragtriage_core::text::numbers::plural;
use ragtriage_datasets::{ExportLayout, Exported};

#[derive(Debug, Args)]
pub struct ConvertArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// Format to write.
    #[arg(long, value_enum)]
    to: Target,
    /// Folder to create.
    folder: PathBuf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Target {
    /// corpus.jsonl and questions.jsonl.
    Jsonl,
    /// corpus.jsonl, queries.jsonl (with answers in metadata), qrels/SPLIT.tsv.
    Beir,
}

pub fn convert(args: &ConvertArgs) -> Result<(), Failure> {
    let resolved = source::resolve(&args.source)?;
    let mut dataset = ragtriage_datasets::load(&resolved.dataset())?;
    sample(&mut dataset, &resolved.settings)?;
    let layout = match args.to {
        Target::Jsonl => ExportLayout::Jsonl,
        Target::Beir => ExportLayout::Beir {
            split: resolved.settings.dataset.split.as_deref().unwrap_or("test"),
        },
    };
    let Exported { digest, n_unjudged, n_missing } =
        ragtriage_datasets::export(&dataset, layout, &args.folder)?;
    output::talk(&format!(
        "wrote {} and {} to {}; verified, digest {digest}",
        plural(dataset.documents.len(), "document", "documents"),
        plural(dataset.questions.len(), "question", "questions"),
        args.folder.display()
    ));
    match args.to {
        Target::Beir if n_unjudged > 0 => output::talk(&format!(
            "{} no judgment; other readers of BEIR skip them",
            plural(n_unjudged, "question has", "questions have")
        )),
        Target::Jsonl if n_missing > 0 => output::talk(&format!(
            "{} a missing document: set `dataset.missing_evidence = \"keep\"` to load the data set",
            plural(n_missing, "label names", "labels name")
        )),
        Target::Beir | Target::Jsonl => {}
    }
    Ok(())
}
