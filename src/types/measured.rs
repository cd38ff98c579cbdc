//! An interval beside a number.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A two-sided interval, `low <= high`, written `[low, high]` in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "(f64, f64)", into = "(f64, f64)")]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

impl Interval {
    /// Whether zero lies inside or on the border.
    #[must_use]
    pub fn holds_zero(self) -> bool {
        self.low <= 0.0 && 0.0 <= self.high
    }
}

/// `[low, high]`; a precision counts for both.
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(3);
        write!(f, "[{:.digits$}, {:.digits$}]", self.low, self.high)
    }
}

impl From<(f64, f64)> for Interval {
    fn from((low, high): (f64, f64)) -> Self {
        Self { low, high }
    }
}

impl From<Interval> for (f64, f64) {
    fn from(interval: Interval) -> Self {
        (interval.low, interval.high)
    }
}
