//! A difference of answers, split: what retrieval changed, what the generator changed, and what luck alone would.
//!
//! Four cells: the passages of each run through the generator of each (template, model and parameters). F1(A, A) and F1(B, B),
//! passages first, are the runs' own. The other two are asked for: [`Crossing`] says which prompts that takes and takes what
//! was asked before from the runs' records. With both changes as players and mean F1 as their worth, each effect is its
//! player's Shapley value (Shapley 1953), the mean of what it adds alone and what it adds last:
//!
//! `retrieval = ((F1(B, A) - F1(A, A)) + (F1(B, B) - F1(A, B))) / 2`
//! `generator = ((F1(A, B) - F1(A, A)) + (F1(B, B) - F1(B, A))) / 2`
//!
//! They add up to `F1(B, B) - F1(A, A)`. Their interaction is `F1(B, B) - F1(A, B) - F1(B, A) + F1(A, A)`: half of it is in each.
//!
//! The score of an answer is `AnswerF1`; of a question judged by facts it is 1 when right, else 0. The baseline's golds judge
//! all four.

mod crossing;
mod effects;
mod noise;
mod numbers;
mod prompts;
mod verdict;

#[cfg(test)]
mod tests;

use serde::Serialize;

use crate::arms::ArmUse;

pub use crossing::{Crossed, CrossedRun, Crossing};
pub use effects::Effect;
pub use noise::{Noise, NoiseSource};
pub use prompts::{Call, CallReplies, PromptMaker, shown};

/// A crossed comparison in numbers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cross {
    /// Questions that have a score in all four cells.
    pub n: usize,
    /// Questions left out for a crossed call that failed.
    pub failed: usize,
    /// What was asked for this, repeats included.
    pub asked: ArmUse,
    /// Crossed prompts whose replies the runs' records hold.
    pub recorded: usize,
    /// Whether both runs have the same generator, template and parameters.
    pub same_generator: bool,
    /// Questions for which both runs packed the same passages.
    pub same_passages: usize,
    /// Mean score by passages (A's, B's) and then by generator (A's, B's).
    pub cells: [[f64; 2]; 2],
    /// B's answers less A's.
    pub difference: Effect,
    /// What B's passages change.
    pub retrieval: Effect,
    /// What B's generator changes.
    pub generator: Effect,
    /// What both change together beyond their sum when each is taken alone.
    pub interaction: Effect,
    /// What asking again changes, of A's generator and of B's; of one where they are the same. `None`: not known.
    pub noise: Vec<Option<Noise>>,
    /// What to make of it.
    pub verdict: String,
}
