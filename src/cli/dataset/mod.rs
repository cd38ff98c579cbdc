//! `ragxray dataset`: data sets brought here, and written for other tools.

mod convert;
mod fetch;
mod source;

use clap::Subcommand;

use super::Failure;

#[derive(Debug, Subcommand)]
pub enum DatasetCommand {
    /// Copy a published data set's files from a local folder into datasets/fetched/NAME.
    Fetch(fetch::FetchArgs),
    /// Write the documents, questions and judgments that settings name in another format.
    Convert(convert::ConvertArgs),
}

/// Runs the command.
pub fn dataset(command: DatasetCommand) -> Result<(), Failure> {
    match command {
        DatasetCommand::Fetch(args) => fetch::fetch(&args),
        DatasetCommand::Convert(args) => convert::convert(&args),
    }
}
