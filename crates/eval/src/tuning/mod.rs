//! Analysis of a sweep: many trials scored on the same questions, and whether any of them is better than the default.
//!
//! All functions compute on a [`SweepScores`]; `sweep/` runs the trials. Steps: [`rank`] the sweep on the tuning questions, confirm
//! its winner on held-out questions if there are any ([`held_out`]), then [`judge`] the result.

mod aligned;
mod label;
mod means;
mod outcome;
mod ranking;
mod sweep;
mod verdict;

#[cfg(test)]
mod tests;

pub use label::plain;
pub use outcome::{Confirmation, Difference, HeldOut, RankedTrial, TrialRanking, TuningVerdict};
pub use ranking::{held_out, rank};
pub use sweep::{ScoredTrial, SweepScores, TrialScores, TrialTruncation, Varied};
pub use verdict::judge;

use ragtriage_core::measure::Measure;

/// Options for analysing a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct TuningPlan {
    /// The measure that ranks and judges trials; it averages over questions.
    pub measure: Measure,
    /// The view at equal k: the same family at one k for all.
    pub equal_k: Measure,
    /// The view at equal context tokens: the same family at one budget for all.
    pub equal_tokens: Measure,
    /// Sign flips of each test.
    pub permutations: usize,
    /// Their seed.
    pub seed: u64,
}
