//! Rightness: decides without a model whether an answer is right.
//!
//! [`Judge`] holds the rule of an evaluation. Classes, loss budget, conditions, comparisons, gates and the verdict all
//! read its [`Judgment`]s. The official scores (`AnswerEM`, `AnswerF1`) do not depend on it.

mod grounded;
mod judge;
mod verdict;

pub use grounded::groundedness;
pub use judge::{Judge, RightRule};
pub use verdict::{Correctness, Judgment};
