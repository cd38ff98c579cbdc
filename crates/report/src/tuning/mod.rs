//! Reports on a sweep: [`report`] as data, [`csv`] as a table of all figures.

pub mod csv;
mod found;
mod keys;
mod ranked;
mod report;
mod sections;
#[cfg(test)]
mod tests;

pub use found::{Generated, SweepFindings};
pub use keys::all_pairs;
pub use report::report;
