//! `ragtriage dataset convert`: a data set as corpus.jsonl and questions.jsonl.

use std::path::PathBuf;

use clap::Args;

use super::source::{self, SourceArgs};
use crate::failure::Failure;
use crate::output;
use crate::sample::sample;
use ragtriage_core::text::numbers::plural;
use ragtriage_data::dataset::Exported;

#[derive(Debug, Args)]
pub struct ConvertArgs {
    #[command(flatten)]
    source: SourceArgs,
    /// Folder to create.
    folder: PathBuf,
}

pub fn convert(args: &ConvertArgs) -> Result<(), Failure> {
    let resolved = source::resolve(&args.source)?;
    let mut dataset = ragtriage_data::dataset::load(&resolved.dataset())?;
    sample(&mut dataset, &resolved.settings)?;
    let Exported { digest, n_missing } = ragtriage_data::dataset::export(&dataset, &args.folder)?;
    output::talk(&format!(
        "wrote {} and {} to {}; verified, digest {digest}",
        plural(dataset.documents.len(), "document", "documents"),
        plural(dataset.questions.len(), "question", "questions"),
        args.folder.display()
    ));
    if n_missing > 0 {
        output::talk(&format!(
            "{} a missing document: set `dataset.missing_evidence = \"keep\"` to load the data set",
            plural(n_missing, "label names", "labels name")
        ));
    }
    Ok(())
}
