//! Quantities of a run with a value per question: metrics, and the shares of failure classes and generation faults.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::name::{did_you_mean, is_near};
use super::{Aggregate, Cutoff, Direction, Family, Metric};
use crate::closed_set::by_name;
use crate::error::Error;
use crate::types::{FailureClass, Fault};

/// A metric, or the share of the questions with a failure class or a generation fault. Serialised as its name.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(try_from = "String", into = "String")]
#[schemars(with = "String")]
pub enum Quantity {
    /// A metric.
    Metric(Metric),
    /// Share of a failure class.
    Class(FailureClass),
    /// Share of a fault among all questions.
    Fault(Fault),
}

impl Quantity {
    /// Returns the metric; `None` for a share.
    #[must_use]
    pub fn metric(self) -> Option<Metric> {
        match self {
            Self::Metric(metric) => Some(metric),
            Self::Class(_) | Self::Fault(_) => None,
        }
    }

    /// Returns the cutoff of a metric that has one.
    #[must_use]
    pub fn cutoff(self) -> Option<Cutoff> {
        self.metric().and_then(Metric::cutoff)
    }

    /// Returns the smallest and the largest value.
    #[must_use]
    pub fn range(self) -> (f64, f64) {
        self.metric().map_or((0.0, 1.0), |metric| metric.family().range())
    }

    /// Returns the aggregation over questions.
    #[must_use]
    pub fn aggregate(self) -> Aggregate {
        self.metric().map_or(Aggregate::Mean, |metric| metric.family().aggregate())
    }

    /// Returns the direction of improvement: of a share higher for `correct`, `declined` and `delivered`, lower
    /// for every other.
    #[must_use]
    pub fn direction(self) -> Direction {
        use FailureClass::{Correct, Declined, Delivered};
        match self {
            Self::Metric(metric) => metric.family().direction(),
            Self::Class(Correct | Declined | Delivered) => Direction::Higher,
            Self::Class(_) | Self::Fault(_) => Direction::Lower,
        }
    }

    /// Returns the number of decimals to show: a question costs a fraction of a cent.
    #[must_use]
    pub fn digits(self) -> usize {
        if self.metric().is_some_and(|metric| metric.family() == Family::Usd) { 6 } else { 3 }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Metric(metric) => metric.fmt(f),
            Self::Class(class) => class.fmt(f),
            Self::Fault(fault) => write!(f, "{}/{fault}", FailureClass::WrongAnswer),
        }
    }
}

impl FromStr for Quantity {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let class = FailureClass::named(text).map(Self::Class);
        let fault =
            || text.split_once('/').filter(|(class, _)| *class == FailureClass::WrongAnswer.name());
        let share = class.or_else(|| Fault::named(fault()?.1).map(Self::Fault));
        share.or_else(|| text.parse().map(Self::Metric).ok()).ok_or_else(|| {
            let class = FailureClass::ALL.iter().find(|class| is_near(class.name(), text));
            let class = class.map(|class| format!("; did you mean `{class}`?"));
            let meant = class.unwrap_or_else(|| did_you_mean(text));
            let hint = "metrics read like `EM@5`, `EM@prompt`, `nDCG@10`, `AnswerF1`; failure classes like `not_retrieved`, \
                        `wrong_answer/misread`; the documentation's page Metrics has the metrics";
            Error::new(format!("unknown metric or failure class `{text}`{meant}"), hint)
        })
    }
}

impl From<Metric> for Quantity {
    fn from(metric: Metric) -> Self {
        Self::Metric(metric)
    }
}

by_name!(Metric Quantity);

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
        let metric: Metric = "nDCG@10".parse().expect("a metric");
        assert_eq!("nDCG@10".parse().ok(), Some(Quantity::Metric(metric)));
    }
}
