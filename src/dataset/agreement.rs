//! `ragtriage dataset agreement`: two annotators' judgments held against one another.

use std::path::PathBuf;

use clap::Args;

use crate::failure::Failure;
use crate::output;
use ragtriage_data::dataset::label::agreement::{agreement as agreement_of, labels};
use ragtriage_report::agreement::report;

/// Most pairs listed: a screen holds them and the tables.
const FARTHEST: usize = 10;

#[derive(Debug, Args)]
pub struct AgreementArgs {
    /// Labels of one annotator: questions.jsonl, TREC or BEIR qrels.
    first: PathBuf,
    /// Labels of the other annotator.
    second: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub fn agreement(args: &AgreementArgs) -> Result<(), Failure> {
    let found = agreement_of(&labels(&args.first)?, &labels(&args.second)?, FARTHEST)?;
    if args.json {
        output::data(&output::json(&found, "the agreement")?)
    } else {
        output::report(&report(&found))
    }
}
