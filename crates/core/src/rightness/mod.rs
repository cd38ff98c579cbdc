//! Rightness of answers, decided without a model.
//!
//! [`Judge`] holds the rule of an evaluation: classes, loss budget, conditions, comparisons, gates and the verdict all read
//! its [`Judgment`]s. The official scores (`AnswerEM`, `AnswerF1`) do not depend on it.
//!
//! The rule `auto` decides by key facts (`facts`), by yes or no (`polar`), or by the best of the gold answers (`auto`). A text is
//! cleaned (`clean`), split into tokens with sentences and clauses (`token`), and read for values (`value`, `read_values`) by the words of
//! its language (`vocabulary`); the places of the gold answer are found (`parsed`); `evidence` notes what speaks for and against each
//! place, and decides. `declined` recognises replies that decline, `grounded` compares an answer with the passages, and
//! `comparison_prompt` asks a model.

mod auto;
mod clean;
mod comparison_prompt;
mod declined;
mod evidence;
mod facts;
mod grounded;
mod judge;
mod parsed;
mod polar;
mod read_values;
mod token;
mod value;
mod verdict;
mod vocabulary;

#[cfg(test)]
mod tests;

pub use comparison_prompt::{JudgeVerdict, comparison_prompt};
pub use declined::declines;
pub use grounded::{groundedness, unsupported_values};
pub use judge::{Judge, RightRule, declines_to_answer};
pub use verdict::{Correctness, Judgment};
