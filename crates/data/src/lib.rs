//! Data sets and run folders: [`dataset`] loads, lints and labels questions and documents, [`run`] writes and reads a run's files
//! and those of other systems.

pub mod dataset;
pub mod run;
