//! Downloads: published data sets ([`dataset`]) and model checkpoints ([`model`]), each verified by its hash.

pub mod dataset;
mod error;
pub mod model;
mod unpack;

pub use error::Error;
