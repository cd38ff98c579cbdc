//! Errors of reading corrections.

use ragtriage_core::hint::Hint;
use ragtriage_core::types::QuestionId;
use ragtriage_runs::external::Position;

/// An error with the file and the line of its cause.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum AuditError {
    /// A line that is not a valid audit sheet line.
    #[error("{position}: not a line of an audit sheet: {reason}")]
    Malformed {
        /// The line.
        position: Position,
        /// The JSON error message.
        reason: String,
    },
    /// A sheet of another run.
    #[error("{position}: drawn from run {found}, not from {run}")]
    OtherRun {
        /// The line.
        position: Position,
        /// The sheet's run, with its start time.
        found: String,
        /// The evaluated run, with its start time.
        run: String,
    },
    /// An id that is not in the run.
    #[error("{position}: the run has no question `{id}`")]
    UnknownQuestion {
        /// The line.
        position: Position,
        /// The id.
        id: QuestionId,
    },
    /// A duplicate question.
    #[error("{position}: duplicate question `{id}` (first defined on line {first})")]
    Twice {
        /// The second line.
        position: Position,
        /// The id.
        id: QuestionId,
        /// The first line, from 1.
        first: usize,
    },
    /// An unknown failure class.
    #[error("{position}: unknown failure class `{found}` in `correct_class`")]
    UnknownClass {
        /// The line.
        position: Position,
        /// The value that was entered.
        found: String,
    },
    /// An entry that is not a judgment.
    #[error("{position}: unknown judgment `{found}` in `answer_is`")]
    UnknownJudgment {
        /// The line.
        position: Position,
        /// The value that was entered.
        found: String,
    },
    /// No line was audited.
    #[error("`{file}`: no line has `answer_is` or `correct_class`")]
    NothingFilledIn {
        /// The file.
        file: String,
    },
}

impl Hint for AuditError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Malformed { .. } => {
                "an audit sheet is JSON Lines: edit `answer_is`, `correct_class` and `note` only, or draw it again with `--audit`"
                    .to_owned()
            }
            Self::OtherRun { .. } => "give the run that the sheet was drawn from".to_owned(),
            Self::UnknownQuestion { .. } | Self::Twice { .. } => {
                "edit `answer_is`, `correct_class` and `note` only; lines may be removed".to_owned()
            }
            Self::UnknownJudgment { .. } => {
                "write `right` or `wrong`, or leave it empty".to_owned()
            }
            Self::UnknownClass { .. } => {
                format!("write `ok` or one of {}, or leave it empty", class_names())
            }
            Self::NothingFilledIn { .. } => {
                format!(
                    "write `right` or `wrong` in `answer_is`, and in `correct_class` `ok` where the class is right, else one of {}",
                    class_names()
                )
            }
        })
    }
}

fn class_names() -> String {
    ragtriage_core::types::FailureClass::ALL
        .iter()
        .map(|class| class.name())
        .collect::<Vec<_>>()
        .join(", ")
}
