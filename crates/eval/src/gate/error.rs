//! Errors of judging a run.

use crate::compare::CompareError;
use ragtriage_core::hint::Hint;
use ragtriage_core::measure::Measure;

/// A reason for a missing verdict.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GateError {
    /// A limit that the measure always meets or never meets.
    #[error("the gate's limit {limit} of `{measure}` lies outside {low} to {high}")]
    OutOfRange {
        /// The measure.
        measure: Measure,
        /// The given limit.
        limit: f64,
        /// The minimum accepted.
        low: f64,
        /// The maximum accepted.
        high: f64,
    },
    /// A measure that is defined for no question.
    #[error("`{run}` has no value of `{measure}` on any question")]
    NoValue {
        /// The run's name.
        run: String,
        /// The measure.
        measure: Measure,
    },
    /// A drop gate without a baseline.
    #[error("a gate on a drop of `{measure}` needs a baseline")]
    NoBaseline {
        /// The measure.
        measure: Measure,
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
            Self::NoBaseline { .. } => "name a run as `baseline` under `[gates]`".to_owned(),
            Self::Compare(error) => return error.hint(),
        })
    }
}
