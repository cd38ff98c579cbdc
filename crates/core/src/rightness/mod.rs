//! Rightness: decides without a model whether an answer is right.
//!
//! A judge (a model that is asked with [`comparison_prompt`]) is measured and shown next to it, and decides nothing.
//!
//! [`Judge`] holds the rule of an evaluation. Classes, loss budget, conditions, comparisons, gates and the verdict all
//! read its [`Judgment`]s. The official scores (`AnswerEM`, `AnswerF1`) do not depend on it.

mod comparison_prompt;
mod grounded;
mod judge;
mod verdict;

pub use comparison_prompt::{JudgeOrder, JudgeVerdict, comparison_prompt};
pub use grounded::groundedness;
pub use judge::{Judge, RightRule};
pub use verdict::{Correctness, Judgment};
