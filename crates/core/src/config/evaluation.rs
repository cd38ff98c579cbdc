//! Names of the evaluation's settings: decisions of gates, and the position of gold passages in the condition `gold_in_noise`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::closed_set::closed_set;

closed_set! {
    /// The statistic that gates decide by.
    #[derive(Default)]
    GateMode {
        /// The 95% CI: pass, fail or inconclusive.
        #[default]
        Interval = "interval",
        /// The value alone: pass or fail.
        Mean = "mean",
    }
}

/// The position of the added gold passages among the retrieved ones. Models read the ends of a prompt best (Liu et al., "Lost in
/// the Middle", TACL 2024), so `middle` is the most cautious.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoisePosition {
    /// Before all other passages.
    First,
    /// After half of the other passages, rounded down.
    #[default]
    Middle,
    /// After all other passages.
    Last,
}
