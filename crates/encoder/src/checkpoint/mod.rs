//! Model checkpoints: the files of a folder, read and verified.
//!
//! [`Checkpoint`] is a folder with the digests of its files, [`Recipe`] its pooling and lengths, [`TokenRecipe`] its
//! token vectors. [`Model`] reads tokenizer and weights when they are first needed; [`SequenceClassifier`] scores
//! pairs.

mod file;
mod folder;
mod model;
mod recipe;
mod sequence_classifier;
mod token_recipe;

#[cfg(test)]
mod tests;

pub use crate::error::{Error as CheckpointError, PlaceTried};
pub use file::sha256_of_file;
pub use folder::Checkpoint;
pub use model::Model;
pub use recipe::{FILES, PINS, Pin, Recipe};
pub use sequence_classifier::SequenceClassifier;
pub use token_recipe::TokenRecipe;
