//! Analysis of a sweep: many trials scored on the same questions, and whether any of them is better than the default.
//!
//! All functions compute on a [`SweepScores`]; `sweep/` runs the trials. Steps: [`rank`] the sweep on the tuning questions, confirm
//! its winner on held-out questions ([`held_out`]), or by cross-fitting if there are none ([`cross_fit`]), then [`judge`] the
//! result.

mod aligned;
mod confirm;
mod curves;
mod effects;
mod folds;
mod front;
mod label;
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
pub use label::plain;
pub use outcome::{
    Confirmation, CrossFit, Difference, EffectValue, Fold, HeldOut, ParameterEffect, RankedTrial,
    SweepCurve, TrialRanking, TuningVerdict,
};
pub use ranking::rank;
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
    /// The measure plotted against context tokens in the front: the same family over the passages that
    /// each trial packs.
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
