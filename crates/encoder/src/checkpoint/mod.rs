//! Model checkpoints: the files of a folder, read and verified.
//!
//! [`Checkpoint`] is a folder with the digests of its files, [`Recipe`] its pooling and lengths, [`TokenRecipe`] its
//! token vectors. [`Model`] reads tokenizer and weights when they are first needed; [`SequenceClassifier`] scores
//! pairs.

mod error;
mod file;
mod folder;
mod model;
mod pin;
mod recipe;
mod sequence_classifier;
mod token_recipe;
mod tokenizer;

#[cfg(test)]
mod tests;

pub use error::{CheckpointError, PlaceTried};
pub use folder::Checkpoint;
pub use model::Model;
pub use pin::{FILES, PINS, Pin, sha256_of_file};
pub use recipe::Recipe;
pub use sequence_classifier::SequenceClassifier;
pub use token_recipe::TokenRecipe;
