//! Gates and their results.

use serde::Serialize;

use crate::Error;
use ragtriage_core::measure::{Direction, Quantity};
use ragtriage_core::types::Interval;

/// A kind of bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GateBound {
    /// Lower bound on the mean.
    Min,
    /// Upper bound on the mean.
    Max,
    /// Upper bound on the deterioration of the mean from the baseline's: a decrease if higher is better, an increase
    /// if lower is better.
    MaxDrop,
    /// Lower bound on the share of judged questions; present only if some are missing.
    Complete,
}

/// One bound on one measure or failure class.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gate {
    pub(super) quantity: Quantity,
    pub(super) bound: GateBound,
    pub(super) limit: f64,
}

impl Gate {
    /// Creates a gate that the measure or class can both pass and fail.
    ///
    /// # Errors
    /// A limit that is not a number or outside the range (a drop is at least 0), and a bound on a change of a class without a
    /// result.
    pub fn new(quantity: impl Into<Quantity>, bound: GateBound, limit: f64) -> Result<Self, Error> {
        let quantity = quantity.into();
        let gate = Self { quantity, bound, limit };
        if let Quantity::Class(class) = quantity
            && gate.needs_baseline()
            && class.has_no_result()
        {
            let message = format!(
                "a change of `{class}` cannot be judged: questions without a result are not compared with the baseline"
            );
            return Err(Error::new(message, "bound its share with `max`"));
        }
        let (low, high) = quantity.range();
        let (low, high) = if gate.needs_baseline() { (0.0, high - low) } else { (low, high) };
        if limit.is_finite() && low <= limit && limit <= high {
            Ok(gate)
        } else {
            let message =
                format!("the gate's limit {limit} of `{quantity}` lies outside {low} to {high}");
            Err(Error::new(message, "write a share as 0.8, not 80, and a drop without a sign"))
        }
    }

    /// Returns true if `other` bounds the same measure or class in the same way.
    #[must_use]
    pub fn replaces(&self, other: &Self) -> bool {
        (self.quantity, self.bound) == (other.quantity, other.bound)
    }

    /// Returns true if the gate needs a baseline run.
    #[must_use]
    pub fn needs_baseline(&self) -> bool {
        self.bound == GateBound::MaxDrop
    }

    /// Returns true if the limit is the best possible value, such as zero forbidden facts.
    pub(super) fn is_absolute(&self) -> bool {
        let (low, high) = self.quantity.range();
        match self.bound {
            GateBound::Min => self.limit >= high,
            GateBound::Max => self.limit <= low,
            GateBound::MaxDrop | GateBound::Complete => false,
        }
    }

    /// Names a change for the worse.
    pub(super) fn worse(&self) -> &'static str {
        match self.quantity.direction() {
            Direction::Lower => "rise",
            Direction::Higher => "drop",
        }
    }

    /// Writes the gate as a condition: `EM@5 >= 0.8`, `AnswerF1 drop <= 0.02`.
    #[must_use]
    pub fn title(&self) -> String {
        let Self { quantity, limit, .. } = self;
        match self.bound {
            GateBound::Max => format!("{quantity} <= {limit}"),
            GateBound::MaxDrop => format!("{quantity} {} <= {limit}", self.worse()),
            GateBound::Min | GateBound::Complete => format!("{quantity} >= {limit}"),
        }
    }
}

ragtriage_core::closed_set! {
    /// The decision on a gate.
    GateVerdict {
        /// The limit is met.
        Pass = "pass",
        /// The limit is not met: the run does not pass.
        Fail = "fail",
        /// The questions are insufficient to decide.
        Inconclusive = "inconclusive",
    }
}

/// A gate with its verdict.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GateResult {
    /// The condition.
    pub gate: String,
    /// The measure or failure class.
    pub measure: String,
    /// The bound.
    pub bound: GateBound,
    /// The limit.
    pub limit: f64,
    /// The run's mean; for a drop the deterioration from the baseline's (negative: better).
    pub value: f64,
    /// Its 95% interval; `None` if the questions form fewer than two clusters.
    pub ci95: Option<Interval>,
    /// Number of questions.
    pub n: usize,
    /// Means of the baseline and the run over them; `None` for a bound on the mean itself.
    pub means: Option<[f64; 2]>,
    /// The decision.
    pub verdict: GateVerdict,
    /// The reason, in a sentence.
    pub reason: String,
}

/// Returns the sign that turns a difference into a worsening: minus where higher is better.
pub(super) fn worsening(lower_is_better: bool) -> f64 {
    if lower_is_better { 1.0 } else { -1.0 }
}
