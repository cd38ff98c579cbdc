//! Why labelling could not go on, and what to do about it.

use ragtriage_core::hint::Hint;
use std::io;

use crate::DatasetError;
use ragtriage_runs::external::ExternalError;

/// Why labelling failed; questions written before stay written.
#[derive(Debug, thiserror::Error)]
pub enum LabelError {
    /// The annotator cannot be heard.
    #[error("cannot read the judgments")]
    Annotator(#[from] io::Error),
    /// A data set's file.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// A file of judgments.
    #[error(transparent)]
    External(#[from] ExternalError),
    /// Two annotators who judged nothing in common.
    #[error("`{first}` and `{second}` judge no document for the same question")]
    NothingShared {
        /// The one file.
        first: String,
        /// The other.
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
