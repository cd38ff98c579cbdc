//! `ragtriage dataset`: data sets brought here, looked over, and written for other tools.

mod anchor;
mod convert;
mod fetch;
mod label;
mod lint;
mod source;
mod terminal;

use std::process::ExitCode;

use clap::Subcommand;

use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum DatasetCommand {
    /// Fetch a published data set into datasets/fetched/NAME.
    Fetch(fetch::FetchArgs),
    /// Write a data set as corpus.jsonl and questions.jsonl.
    Convert(convert::ConvertArgs),
    /// Check a data set for errors and weaknesses; exit with 1 on errors.
    Lint(lint::LintArgs),
    /// Label real questions by judging the passages that retrievers find.
    Label(label::LabelArgs),
    /// Label question-answer pairs by locating the answers in the documents.
    Anchor(anchor::AnchorArgs),
}

/// Runs the command: success, or 1 where lint found errors.
pub fn dataset(command: DatasetCommand) -> Result<ExitCode, Failure> {
    match command {
        DatasetCommand::Fetch(args) => fetch::fetch(&args)?,
        DatasetCommand::Convert(args) => convert::convert(&args)?,
        DatasetCommand::Lint(args) => {
            let is_sound = lint::lint(&args)?;
            return Ok(ExitCode::from(u8::from(!is_sound)));
        }
        DatasetCommand::Label(args) => label::label(args)?,
        DatasetCommand::Anchor(args) => anchor::anchor(&args)?,
    }
    Ok(ExitCode::SUCCESS)
}
