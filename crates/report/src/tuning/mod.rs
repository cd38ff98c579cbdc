//! Reports on a sweep: [`report`] as data, [`csv`] as a table of all figures, [`drawings`] as charts.

pub mod csv;
pub mod drawings;
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
