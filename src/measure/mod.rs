//! Floor 2, measures: one closed set, each with its name, and the arithmetic behind them.
//!
//! A measure's printed name is its parse form and its key in every file: `nDCG@10`, `EM@prompt`, `AnswerF1`.

pub mod answer;
pub mod ranked;

mod name;

pub use name::{Cutoff, Family, Measure, UnknownMeasure};
