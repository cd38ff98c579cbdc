//! `ragxray dataset`: data sets brought here, looked over, and written for other tools.

mod convert;
mod fetch;
mod lint;
mod source;

use std::process::ExitCode;

use clap::Subcommand;

use super::Failure;

#[derive(Debug, Subcommand)]
pub enum DatasetCommand {
    /// Put a published data set into datasets/fetched/NAME, from its publisher or from a copy.
    Fetch(fetch::FetchArgs),
    /// Write the documents, questions and judgments that settings name in another format.
    Convert(convert::ConvertArgs),
    /// Say what is wrong with a data set, or weak in it; exit 1 on errors.
    Lint(lint::LintArgs),
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
    }
    Ok(ExitCode::SUCCESS)
}
