//! Reports on a sweep: [`report`] as data, [`csv`] as a table of all figures.

pub mod csv;
mod found;
mod held_out;
mod keys;
mod ranked;
mod report;
#[cfg(test)]
mod tests;

pub use found::SweepFindings;
pub use keys::all_pairs;
pub use report::report;
