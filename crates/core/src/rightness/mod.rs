//! Rightness of answers, decided without a model.
//!
//! [`auto`] compares values as values, names by tokens, and sentences by what they offer: another value of the same type,
//! a negation or a list of candidates rejects. Where it cannot tell, the answer is [`Correctness::Unsure`].

mod auto;
mod bound;
mod calendar;
mod claim;
mod clean;
mod code;
mod conflict;
mod extract;
mod facts;
mod grounded;
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

pub use auto::auto;
pub use grounded::{groundedness, unsupported_values};
pub use simple::{contains, recall};
pub use verdict::{Correctness, Judgment};
