//! Sweeps: one configuration file and the values to vary become many trials, each run and scored on the same questions.
//!
//! [`space`] lists the combinations, [`partition`] splits the questions into tuning and held-out ones, [`trial`] runs one
//! trial and saves its scores, [`tune`] runs the whole sweep. The statistics are in `eval/tuning/`.

pub mod best;
pub mod bill;
mod confirm;
mod error;
pub mod folder;
pub mod partition;
pub mod prepared;
pub mod request;
pub mod space;
pub mod trial;
pub mod trials;
pub mod tune;
pub mod tune_file;

pub use error::SweepError;
