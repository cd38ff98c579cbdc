//! Quantities of a run with a value per question: measures, and the shares of failure classes and generation faults.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::name::did_you_mean;
use super::{Aggregate, Cutoff, Direction, Measure};
use crate::error::Error;
use crate::types::{FailureClass, Fault};

/// A measure, or the share of the questions with a failure class or a generation fault. Serialised as its name.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub enum Quantity {
    /// A measure.
    Measure(Measure),
    /// Share of a failure class.
    Class(FailureClass),
    /// Share of a fault among all questions.
    Fault(Fault),
}

impl Quantity {
    /// Returns the measure; `None` for a share.
    #[must_use]
    pub fn measure(self) -> Option<Measure> {
        match self {
            Self::Measure(measure) => Some(measure),
            Self::Class(_) | Self::Fault(_) => None,
        }
    }

    /// Returns the cutoff of a measure that has one.
    #[must_use]
    pub fn cutoff(self) -> Option<Cutoff> {
        self.measure().and_then(Measure::cutoff)
    }

    /// Returns the smallest and the largest value.
    #[must_use]
    pub fn range(self) -> (f64, f64) {
        self.measure().map_or((0.0, 1.0), |measure| measure.family().range())
    }

    /// Returns the aggregation over questions.
    #[must_use]
    pub fn aggregate(self) -> Aggregate {
        self.measure().map_or(Aggregate::Mean, |measure| measure.family().aggregate())
    }

    /// Returns the direction of improvement: of a share higher for `correct`, `correct_abstention` and `supported`, lower
    /// for every other.
    #[must_use]
    pub fn direction(self) -> Direction {
        use FailureClass::{Correct, CorrectAbstention, Supported};
        match self {
            Self::Measure(measure) => measure.family().direction(),
            Self::Class(Correct | CorrectAbstention | Supported) => Direction::Higher,
            Self::Class(_) | Self::Fault(_) => Direction::Lower,
        }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Measure(measure) => measure.fmt(f),
            Self::Class(class) => class.fmt(f),
            Self::Fault(fault) => fault.fmt(f),
        }
    }
}

impl FromStr for Quantity {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let class = FailureClass::named(text).map(Self::Class);
        let share = class.or_else(|| Fault::named(text).map(Self::Fault));
        share.or_else(|| text.parse().map(Self::Measure).ok()).ok_or_else(|| {
            let meant = did_you_mean(text);
            let hint = "measures read like `EM@5`, `EM@prompt`, `nDCG@10`, `AnswerF1`; failure classes like `retrieval`, \
                        `hallucinated`; `ragtriage score --list` explains the measures";
            Error::new(format!("unknown measure or failure class `{text}`{meant}"), hint)
        })
    }
}

impl TryFrom<String> for Quantity {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

impl From<Quantity> for String {
    fn from(quantity: Quantity) -> Self {
        quantity.to_string()
    }
}

impl From<Measure> for Quantity {
    fn from(measure: Measure) -> Self {
        Self::Measure(measure)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_measures_classes_and_faults_read_back() {
        let shares = FailureClass::ALL.map(Quantity::Class);
        let faults = Fault::ALL.map(Quantity::Fault);
        for quantity in shares.into_iter().chain(faults) {
            assert_eq!(quantity.to_string().parse().ok(), Some(quantity));
            assert_eq!(quantity.range(), (0.0, 1.0));
        }
        let measure: Measure = "nDCG@10".parse().expect("a measure");
        assert_eq!("nDCG@10".parse().ok(), Some(Quantity::Measure(measure)));
    }
}
