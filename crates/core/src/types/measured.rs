//! A number with its confidence interval.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A two-sided interval, `low <= high`, written `[low, high]` in JSON; an infinite bound as null.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(from = "(MaybeInfinite, MaybeInfinite)", into = "(MaybeInfinite, MaybeInfinite)")]
pub struct Interval {
    /// Lower bound.
    pub low: f64,
    /// Upper bound.
    pub high: f64,
}

impl Interval {
    /// Clamps the interval to `-most..=most`, the range of a difference.
    #[must_use]
    pub fn within(self, most: f64) -> Self {
        Self { low: self.low.max(-most), high: self.high.min(most) }
    }

    /// Multiplies both bounds by a factor of at least 0.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self { low: self.low * factor, high: self.high * factor }
    }

    /// Returns the smallest interval that holds both.
    #[must_use]
    pub fn hull(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Extends the interval to hold zero; a bound that differs from zero by rounding is zero.
    #[must_use]
    pub fn with_zero(self) -> Self {
        const ROUNDING: f64 = 1e-12;
        Self {
            low: if self.low > -ROUNDING { 0.0 } else { self.low },
            high: if self.high < ROUNDING { 0.0 } else { self.high },
        }
    }

    /// Returns true if zero lies inside or on the border.
    #[must_use]
    pub fn holds_zero(self) -> bool {
        self.low <= 0.0 && 0.0 <= self.high
    }
}

/// Formats `[low, high]`; a precision applies to both.
impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = f.precision().unwrap_or(3);
        write!(f, "[{:.digits$}, {:.digits$}]", self.low, self.high)
    }
}

/// A number that may be infinite, which JSON cannot write: null represents infinity.
#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
struct MaybeInfinite(
    #[serde(with = "or_infinite")]
    #[schemars(with = "Option<f64>")]
    f64,
);

impl From<(MaybeInfinite, MaybeInfinite)> for Interval {
    fn from((low, high): (MaybeInfinite, MaybeInfinite)) -> Self {
        Self { low: low.0, high: high.0 }
    }
}

impl From<Interval> for (MaybeInfinite, MaybeInfinite) {
    fn from(interval: Interval) -> Self {
        (MaybeInfinite(interval.low), MaybeInfinite(interval.high))
    }
}

/// For `#[serde(with)]` on a number that may be positive infinity, such as a median rank: null in JSON.
pub mod or_infinite {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    /// Writes null for numbers that are not finite.
    pub fn serialize<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
        number.is_finite().then_some(*number).serialize(serializer)
    }

    /// Reads null as infinity.
    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
        Option::<f64>::deserialize(deserializer).map(|number| number.unwrap_or(f64::INFINITY))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_infinite_bound_survives_json() {
        let interval = Interval { low: 2.0, high: f64::INFINITY };
        let json = serde_json::to_string(&interval).expect("written");
        assert_eq!(json, "[2.0,null]");
        assert_eq!(serde_json::from_str::<Interval>(&json).expect("read"), interval);
    }
}
