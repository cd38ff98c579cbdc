//! `ragxray dataset`: data sets brought here, and written for other tools.

mod convert;
mod fetch;
mod source;

use clap::Subcommand;

use super::Failure;

#[derive(Debug, Subcommand)]
pub enum DatasetCommand {
    /// Put a published data set into datasets/fetched/NAME, from its publisher or from a copy.
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
