//! Statistics: seeded, pure, each with its source.

pub mod bootstrap;
pub mod cluster;
pub mod detectable;
#[cfg(test)]
mod expected;
mod flips;
pub mod holm;
pub mod interval;
pub mod mcnemar;
pub mod median;
pub mod normal;
pub mod ppi;
pub mod random;
pub mod randomisation;
mod resample;
mod root;
pub mod rounding;
pub mod share;
pub mod student;
pub mod t;
pub mod wilson;

#[cfg(test)]
mod coverage;
#[cfg(test)]
mod tests;
