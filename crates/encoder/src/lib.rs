//! BERT-family inference: a checkpoint's folder to vectors of texts and scores of pairs.
//!
//! [`checkpoint`] reads a folder's configuration, tokenizer and weights; [`bert`] runs the model. Nothing here
//! downloads.

pub mod bert;
pub mod checkpoint;

pub mod error;

pub use error::{Error, Kind, PlaceTried};
