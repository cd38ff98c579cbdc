//! Correctness of answers, decided without a model.
//!
//! [`Judge`] holds the rule of an evaluation: classes, loss budget, conditions, comparisons, gates and the verdict all read
//! its [`Judgment`]s. The official scores (`AnswerEM`, `AnswerF1`) do not depend on it.
//!
//! The rule decides by key facts, by yes or no, or by the best of the gold answers. A text is cleaned (`notation`), split into
//! tokens with sentences and clauses (`token`), and read for values (`value`) by the words of its language (`vocabulary`); the places of the
//! gold answer are found (`parsed`); `evidence` notes what speaks for and against each place, and decides. `declined` recognises
//! replies that decline, `grounded` compares an answer with the passages.

mod declined;
mod evidence;
mod grounded;
mod judge;
mod notation;
mod parsed;
mod token;
mod value;
mod vocabulary;

#[cfg(test)]
mod tests;

pub use crate::prompt::{JudgeVerdict, comparison_prompt};
pub use declined::declines;
pub use evidence::Correctness;
pub use grounded::unsupported_values;
pub use judge::{Judge, Judgment, declines_to_answer};
