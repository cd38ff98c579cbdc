//! Sweeps: one configuration file and the values to vary become many trials, each run and scored on the same questions.
//!
//! [`space`] lists the combinations, [`partition`] splits the questions into tuning and held-out ones, [`trial`] runs one
//! trial as an ordinary run folder, [`tune`](mod@tune) runs the whole sweep. The statistics are in `eval/tuning/`.

pub mod folder;
pub mod partition;
pub mod space;
pub mod trial;
pub mod trials;
pub mod tune;
pub mod tune_file;
