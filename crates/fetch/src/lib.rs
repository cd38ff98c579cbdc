//! Downloads: published data sets ([`dataset`]) and model checkpoints ([`model`]), each verified by its hash.

pub mod dataset;
pub mod model;
