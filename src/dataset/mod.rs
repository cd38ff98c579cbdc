//! `ragtriage dataset`: data sets brought here, looked over, and written for other tools.

mod agreement;
mod anchor;
mod convert;
mod fetch;
mod label;
mod lint;
mod reanchor;
mod source;
mod terminal;

use std::process::ExitCode;

use clap::Subcommand;

use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum DatasetCommand {
    /// Put a published data set into datasets/fetched/NAME, from its publisher or from a copy.
    Fetch(fetch::FetchArgs),
    /// Write the documents, questions and judgments that settings name in another format.
    Convert(convert::ConvertArgs),
    /// Say what is wrong with a data set, or weak in it; exit 1 on errors.
    Lint(lint::LintArgs),
    /// Judge what several retrievers find for real questions, one passage at a time, into questions.jsonl.
    Label(label::LabelArgs),
    /// Label questions by reference answers: each answer is located in the documents.
    Anchor(anchor::AnchorArgs),
    /// Say how far two annotators agree: Cohen's kappa of the documents that both judged.
    Agreement(agreement::AgreementArgs),
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
        DatasetCommand::Agreement(args) => agreement::agreement(&args)?,
    }
    Ok(ExitCode::SUCCESS)
}
