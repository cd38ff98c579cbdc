//! `ragtriage dataset`: data sets brought here, looked over, and labelled.

pub(crate) mod anchor;
mod fetch;
mod judged_run;
mod label;
mod lint;
mod source;
mod terminal;

use clap::Subcommand;

use crate::failure::Failure;

#[derive(Debug, Subcommand)]
pub enum DatasetCommand {
    /// Fetch a published data set into datasets/fetched/NAME.
    Fetch(fetch::FetchArgs),
    /// Check a data set for errors and weaknesses; exit with 1 on errors.
    Lint(lint::LintArgs),
    /// Label real questions by judging the passages that retrievers find.
    Label(label::LabelArgs),
    /// Label question-answer pairs by locating the answers in the documents.
    Anchor(anchor::AnchorArgs),
}

/// Runs the command; returns false if lint found errors.
pub fn dataset(command: DatasetCommand) -> Result<bool, Failure> {
    match command {
        DatasetCommand::Fetch(args) => fetch::fetch(&args)?,
        DatasetCommand::Lint(args) => return lint::lint(&args),
        DatasetCommand::Label(args) => label::label(args)?,
        DatasetCommand::Anchor(args) => anchor::anchor(&args)?,
    }
    Ok(true)
}
