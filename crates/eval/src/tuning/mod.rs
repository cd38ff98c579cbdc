//! What a sweep found: many trials scored on the same questions, and whether any of them is better than the default.
//!
//! Everything here is arithmetic over a [`SweepScores`]; running trials is `sweep/`'s. The order of work: [`rank`] the sweep of the
//! questions that may be looked at, then confirm its winner on questions that chose nothing ([`held_out`]), or crosswise where
//! there are none ([`cross_fit`]), then [`judge`] what follows.

mod aligned;
mod confirm;
mod curves;
mod effects;
mod folds;
mod front;
mod lead;
mod means;
mod order;
mod outcome;
mod ranking;
mod sweep;
mod verdict;

#[cfg(test)]
mod tests;

pub use confirm::{cross_fit, held_out};
pub use outcome::{
    Confirmation, CrossFit, Difference, EffectValue, Fold, HeldOut, ParameterEffect, RankedTrial,
    SweepCurve, TrialRanking, TuningVerdict,
};
pub use ranking::rank;
pub use sweep::{ScoredTrial, SweepScores, TrialScores, Varied};
pub use verdict::judge;

use ragtriage_core::measure::Measure;

/// How a sweep is read.
#[derive(Clone, Debug, PartialEq)]
pub struct TuningPlan {
    /// What trials are ranked and judged by; one whose values become one by their mean.
    pub measure: Measure,
    /// The view at equal k: the same family at one k for all.
    pub equal_k: Measure,
    /// The view at equal context tokens: the same family at one budget for all.
    pub equal_tokens: Measure,
    /// What stands against context tokens in the front: the same family over what each trial itself packs.
    pub at_prompt: Measure,
    /// The family at several k, ascending, for the curves.
    pub curve: Vec<Measure>,
    /// Sign flips of each test.
    pub permutations: usize,
    /// Their seed, and the folds'.
    pub seed: u64,
    /// Folds of [`cross_fit`], at least 2.
    pub folds: usize,
}
