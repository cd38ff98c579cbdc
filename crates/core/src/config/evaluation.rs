//! Decisions of gates.

use crate::closed_set::closed_set;

closed_set! {
    /// The statistic that gates decide by.
    #[derive(Default)]
    GateMode {
        /// The 95% CI: pass, fail or inconclusive.
        #[default]
        Interval = "interval",
        /// The 95% CI: pass or fail; inconclusive fails.
        Strict = "strict",
        /// The value alone: pass or fail.
        Mean = "mean",
    }
}
