//! Errors of reading a baseline file.

use std::path::PathBuf;

use ragtriage_core::hint::Hint;

/// A reason why a file is not a usable baseline.
#[derive(Debug, thiserror::Error)]
pub enum BaselineError {
    /// The file cannot be read.
    #[error("cannot read `{}`: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The file has another format.
    #[error("`{}` is not a baseline file: {problem}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The first deviation.
        problem: String,
    },
    /// The file is of another version.
    #[error("baseline `{}` has schema {found}, expected {expected}", path.display())]
    OtherSchema {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: u64,
        /// The supported one.
        expected: u32,
    },
    /// The file was changed or cut off.
    #[error("baseline `{}` is damaged: {problem}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The contradiction.
        problem: String,
    },
}

impl Hint for BaselineError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Unreadable { .. } => "check the path of the baseline".to_owned(),
            Self::Foreign { .. } => {
                "name a run folder, or a file written from one; `ragtriage report RUN --format baseline` writes one".to_owned()
            }
            Self::OtherSchema { found, expected, .. } if *found > u64::from(*expected) => {
                "the file was written by a newer version of ragtriage: update this one".to_owned()
            }
            Self::OtherSchema { .. } => "write the file again from its run folder".to_owned(),
            Self::Damaged { .. } => {
                "write the file again from its run folder; `ragtriage report RUN --format baseline` writes one".to_owned()
            }
        })
    }
}
