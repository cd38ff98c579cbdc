//! Rightness of answers, decided without a model.
//!
//! [`Judge`] holds the rule of an evaluation: classes, loss budget, conditions, comparisons, gates and the verdict all read
//! its [`Judgment`]s. The official scores (`AnswerEM`, `AnswerF1`) do not depend on it.
//!
//! A judge (a model that is asked with [`comparison_prompt`]) is measured and shown next to the rule, and decides nothing.
//!
//! The rule `auto` compares values as values, names by tokens, and sentences by what they offer: another value of the same type,
//! a negation or a list of candidates rejects. Where it cannot tell, the answer is [`Correctness::Unsure`].

mod auto;
mod bound;
mod calendar;
mod cases;
mod claim;
mod clean;
mod code;
mod comparison_prompt;
mod conflict;
mod extract;
mod facts;
mod grounded;
mod judge;
mod lex;
mod list;
mod listing;
mod long;
mod mention;
mod names;
mod number;
mod offer;
mod options;
mod parsed;
mod partial;
mod phrase;
mod polar;
mod quantity;
mod relation;
mod scope;
mod simple;
mod sort;
mod spot;
mod subject;
mod tables;
mod units;
mod value;
mod verdict;
mod words;

#[cfg(test)]
mod tests;

#[cfg(test)]
use auto::auto;
pub use comparison_prompt::{JudgeOrder, JudgeVerdict, comparison_prompt};
pub use grounded::{groundedness, unsupported_values};
pub use judge::{Judge, RightRule};
pub use verdict::{Correctness, Judgment};
