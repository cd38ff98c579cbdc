//! Verdicts on the rightness of an answer.

use std::fmt;

use crate::closed_set::closed_set;

closed_set! {
    /// Rightness of an answer.
    Correctness {
        /// It gives the gold answer and no conflicting one.
        Right = "right",
        /// The rule cannot decide.
        Unsure = "unsure",
        /// It does not give the gold answer, or contradicts it.
        Wrong = "wrong",
    }
}

impl Correctness {
    /// Returns `Right` or `Wrong`.
    #[must_use]
    pub fn from_right(is_right: bool) -> Self {
        if is_right { Self::Right } else { Self::Wrong }
    }

    /// Returns the answer score in units of right answers: 1, 0.5 where the rule is unsure, 0.
    #[must_use]
    pub fn score(self) -> f64 {
        match self {
            Self::Right => 1.0,
            Self::Unsure => 0.5,
            Self::Wrong => 0.0,
        }
    }
}

/// A decision with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgment {
    /// The decision.
    pub correctness: Correctness,
    /// A short clause for a report.
    pub reason: String,
}

impl fmt::Display for Judgment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.reason.is_empty() {
            return self.correctness.fmt(f);
        }
        write!(f, "{}: {}", self.correctness, self.reason)
    }
}

impl Judgment {
    pub(crate) fn new(correctness: Correctness, reason: impl Into<String>) -> Self {
        Self { correctness, reason: reason.into() }
    }
}
