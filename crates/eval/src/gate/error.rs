//! Errors of judging a run.

use crate::compare::CompareError;
use ragtriage_core::hint::Hint;
use ragtriage_core::measure::Quantity;
use ragtriage_core::types::FailureClass;

/// A reason for a missing verdict.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GateError {
    /// A limit that the measure always meets or never meets.
    #[error("the gate's limit {limit} of `{quantity}` lies outside {low} to {high}")]
    OutOfRange {
        /// The measure or failure class.
        quantity: Quantity,
        /// The given limit.
        limit: f64,
        /// The minimum accepted.
        low: f64,
        /// The maximum accepted.
        high: f64,
    },
    /// A measure that is defined for no question.
    #[error("`{run}` has no value of `{quantity}` on any question")]
    NoValue {
        /// The run's name.
        run: String,
        /// The measure or failure class.
        quantity: Quantity,
    },
    /// A limit of the rise of a quantity that should be high.
    #[error("a rise of `{quantity}` is no loss: higher is better")]
    HigherIsBetter {
        /// The measure or failure class.
        quantity: Quantity,
    },
    /// A change of a class whose questions are not compared.
    #[error(
        "a change of `{class}` cannot be judged: questions without a result are not compared with the baseline"
    )]
    NotCompared {
        /// The class.
        class: FailureClass,
    },
    /// A run without questions.
    #[error("`{run}` has no question to judge: none was finished")]
    NoQuestions {
        /// The run's name.
        run: String,
    },
    /// A baseline that was judged by another rule.
    #[error(
        "baseline `{baseline}` was scored with another `evaluation.right`, `evaluation.scorer` or `evaluation.correct_f1`"
    )]
    OtherRule {
        /// The baseline's name.
        baseline: String,
    },
    /// A baseline without scores by a measure.
    #[error("baseline `{baseline}` has no scores by `{quantity}`")]
    NotInBaseline {
        /// The baseline's name.
        baseline: String,
        /// The measure.
        quantity: Quantity,
    },
    /// A gate on a change without a baseline.
    #[error("a gate on a change of `{quantity}` needs a baseline")]
    NoBaseline {
        /// The measure or failure class.
        quantity: Quantity,
    },
    /// The baseline is not comparable.
    #[error(transparent)]
    Compare(#[from] CompareError),
}

impl Hint for GateError {
    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::OutOfRange { .. } => {
                "write a share as 0.8, not 80, and a drop without a sign".to_owned()
            }
            Self::NoValue { .. } => CompareError::NO_VALUE.to_owned(),
            Self::NoBaseline { .. } => "name a run as `baseline` under `[gates]`, or give one with `--baseline RUN`".to_owned(),
            Self::HigherIsBetter { .. } => {
                "bound its loss with `max_drop`, or its value with `max`".to_owned()
            }
            Self::NotCompared { .. } => "bound its share with `max`".to_owned(),
            Self::NoQuestions { .. } => "resume the run with `ragtriage run --resume NAME`".to_owned(),
            Self::OtherRule { .. } => {
                "use the run folder, which is scored again, or evaluate both runs with the same settings; `ragtriage report RUN --format baseline` writes the file"
                    .to_owned()
            }
            Self::NotInBaseline { .. } => {
                "add the measure to `evaluation.measures` of the baseline's run and write the file again, or use the run folder; `ragtriage report RUN --format baseline` writes the file"
                    .to_owned()
            }
            Self::Compare(error) => return error.hint(),
        })
    }
}
