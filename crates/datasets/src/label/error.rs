//! Errors of labelling, with hints.

use ragtriage_core::hint::Hint;
use std::io;

use crate::DatasetError;

/// An error of labelling; questions written before it are saved.
#[derive(Debug, thiserror::Error)]
pub enum LabelError {
    /// The annotator is unavailable.
    #[error("cannot read the judgments")]
    Annotator(#[from] io::Error),
    /// A data set's file.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// A file of judgments.
    #[error(transparent)]
    External(#[from] ragtriage_runs::Error),
    /// Two annotators without common judgments.
    #[error("`{first}` and `{second}` have no judged document of a common question")]
    NothingShared {
        /// The first file.
        first: String,
        /// The second file.
        second: String,
    },
}

impl Hint for LabelError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Annotator(_) => "start again to continue; earlier judgments are kept".into(),
            Self::Dataset(error) => return error.hint(),
            Self::External(error) => return error.hint(),
            Self::NothingShared { .. } => {
                "questions are matched by an `id` with the same text, else by text; documents by id: let both annotators judge the same questions"
                    .into()
            }
        })
    }
}
