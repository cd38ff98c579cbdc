//! Decomposes a difference of answers into the effects of retrieval, of the generator, and of repeat noise.
//!
//! Four cells: the passages of each run through the generator of each (template, model and parameters). F1(A, A) and F1(B, B),
//! passages first, come from the runs themselves. The other two require calls: [`Crossing`] lists the prompts and reuses
//! recorded replies. With both changes as players and mean F1 as the payoff, each effect is its player's Shapley value
//! (Shapley 1953), the mean of its contribution when added first and when added last:
//!
//! `retrieval = ((F1(B, A) - F1(A, A)) + (F1(B, B) - F1(A, B))) / 2`
//! `generator = ((F1(A, B) - F1(A, A)) + (F1(B, B) - F1(B, A))) / 2`
//!
//! They add up to `F1(B, B) - F1(A, A)`. Their interaction is `F1(B, B) - F1(A, B) - F1(B, A) + F1(A, A)`: half of it is in each.
//!
//! The score of an answer is `AnswerF1`; for a question with key facts it is 1 when right, else 0. All four cells are scored
//! by the baseline's gold answers.

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

/// Results of a crossed comparison.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Cross {
    /// Questions with a score in all four cells.
    pub n: usize,
    /// Questions omitted because a crossed call failed.
    pub failed: usize,
    /// Usage of the calls made, repeats included.
    pub asked: ArmUse,
    /// Crossed prompts with recorded replies.
    pub recorded: usize,
    /// True if both runs have the same generator, template and parameters.
    pub same_generator: bool,
    /// Questions for which both runs packed the same passages.
    pub same_passages: usize,
    /// Mean score by passages (A's, B's) and then by generator (A's, B's).
    pub cells: [[f64; 2]; 2],
    /// B's answers minus A's.
    pub difference: Effect,
    /// Effect of B's passages.
    pub retrieval: Effect,
    /// Effect of B's generator.
    pub generator: Effect,
    /// Effect of both changes together beyond the sum of the separate effects.
    pub interaction: Effect,
    /// Repeat noise of A's generator and of B's; one entry if they are the same. `None`: unknown.
    pub noise: Vec<Option<Noise>>,
    /// Interpretation, in a sentence.
    pub verdict: String,
}
