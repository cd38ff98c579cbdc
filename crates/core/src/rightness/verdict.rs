//! The verdict on one answer.

use crate::closed_set::closed_set;

closed_set! {
    /// Whether an answer is right.
    Correctness {
        /// It gives a gold answer.
        Right = "right",
        /// The rule cannot tell: part of a name, or several values of the type that was asked for.
        Unsure = "unsure",
        /// It gives another answer, or none.
        Wrong = "wrong",
    }
}

impl Correctness {
    /// Returns `Right` or `Wrong`.
    #[must_use]
    pub fn from_right(is_right: bool) -> Self {
        if is_right { Self::Right } else { Self::Wrong }
    }

    /// Returns the answer score in units of right answers: 1, 0.5 where unsure, 0.
    #[must_use]
    pub fn score(self) -> f64 {
        match self {
            Self::Right => 1.0,
            Self::Unsure => 0.5,
            Self::Wrong => 0.0,
        }
    }
}

/// A verdict with its reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgment {
    /// The verdict.
    pub correctness: Correctness,
    /// The reason, as a clause: "contains `6 minutes` as a duration".
    pub reason: String,
}

impl Judgment {
    /// Creates a verdict with its reason.
    #[must_use]
    pub fn new(correctness: Correctness, reason: impl Into<String>) -> Self {
        Self {
            correctness,
            reason: reason.into(),
        }
    }
}
