//! `ragxray dataset`: data sets brought here, and written for other tools.

mod agreement;
mod convert;
mod fetch;
mod label;
mod source;
mod terminal;

use clap::Subcommand;

use super::Failure;

#[derive(Debug, Subcommand)]
pub enum DatasetCommand {
    /// Copy a published data set's files from a local folder into datasets/fetched/NAME.
    Fetch(fetch::FetchArgs),
    /// Write the documents, questions and judgments that settings name in another format.
    Convert(convert::ConvertArgs),
    /// Judge what several retrievers find for real questions, one passage at a time, into questions.jsonl.
    Label(label::LabelArgs),
    /// Say how far two annotators agree: Cohen's kappa of the documents that both judged.
    Agreement(agreement::AgreementArgs),
}

/// Runs the command.
pub fn dataset(command: DatasetCommand) -> Result<(), Failure> {
    match command {
        DatasetCommand::Fetch(args) => fetch::fetch(&args),
        DatasetCommand::Convert(args) => convert::convert(&args),
        DatasetCommand::Label(args) => label::label(args),
        DatasetCommand::Agreement(args) => agreement::agreement(&args),
    }
}
