//! Sweeps: one configuration file and the values to vary become many trials, each run and scored on the same questions.
//!
//! [`space`] lists the combinations, [`partition`] says which questions choose and which confirm, [`trial`] runs one trial and
//! saves its scores, [`tune`] runs the whole sweep. The statistics are `eval/tuning/`'s.

pub mod answers;
pub mod best;
mod confirm;
mod error;
pub mod folder;
pub mod generate;
pub mod partition;
pub mod prepared;
pub mod request;
pub mod space;
pub mod trial;
pub mod trials;
pub mod tune;
pub mod tune_file;

pub use error::SweepError;
