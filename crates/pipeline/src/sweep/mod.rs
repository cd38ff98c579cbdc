//! Floor 8, the sweep: one settings file and what it varies become many settings, each run and scored on the same questions.
//!
//! [`space`] says which settings, [`partition`] which questions choose and which confirm, [`trial`] runs one setting and keeps what
//! it scored, [`tune`] is the order of it all. What the scores say is `eval/tuning/`'s.

pub mod answers;
pub mod best;
mod confirm;
mod error;
pub mod folder;
pub mod partition;
pub mod prepared;
pub mod record;
pub mod setting;
pub mod space;
pub mod trial;
pub mod tune;

pub use error::SweepError;
