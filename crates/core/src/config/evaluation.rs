//! How gates decide, and where the condition `gold_in_noise` puts the gold passages.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateMode {
    /// The 95 % interval: pass, fail or inconclusive.
    #[default]
    Interval,
    /// The value alone: pass or fail.
    Mean,
}

impl GateMode {
    /// Its name in settings and flags.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Interval => "interval",
            Self::Mean => "mean",
        }
    }
}

/// Where gold is put among the passages that were retrieved. Models read the ends of a prompt best (Liu et al., "Lost in the
/// Middle", TACL 2024), so the middle, the default, promises the least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoisePosition {
    /// Before all others.
    First,
    /// Behind half of the others, rounded down.
    #[default]
    Middle,
    /// Behind all others.
    Last,
}
