//! Downloads: published data sets ([`dataset`]) and model checkpoints ([`model`]), each verified by its hash.

pub mod dataset;
mod download;
pub mod model;

pub use download::{Download, OnDownload};
