//! Data sets and run folders: [`dataset`] loads, lints and labels questions and documents, [`run`] writes and reads a run's files
//! and those of other systems.

pub mod dataset;
mod error;
mod fields;
pub mod pointer;
mod rows;
pub mod run;
mod unread;

pub use error::{Error, Kind, Place};
pub use fields::Fields;
pub use unread::Suggestion;
