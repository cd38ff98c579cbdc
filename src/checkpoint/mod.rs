//! Floor 3b, model checkpoints: a name or a folder to files that are found, fetched, verified and read.
//!
//! [`source`] says where a checkpoint comes from; [`Recipe`] is what its folder says of pooling and lengths, [`TokenRecipe`] of token vectors; [`Model`] reads
//! tokenizer and weights, with a head where there is one, when they are first needed; [`SequenceClassifier`] scores pairs.
//! Encoders and rerankers stand on it. What a model computes is in
//! `bert/`.

pub mod source;

mod error;
mod hub;
mod model;
mod part;
mod pin;
mod pip;
mod recipe;
mod sequence_classifier;
mod token_recipe;
mod tokenizer;

#[cfg(test)]
mod tests;

pub use error::{Attempt, CheckpointError};
pub use model::Model;
pub use recipe::{Pooling, Recipe};
pub use sequence_classifier::SequenceClassifier;
pub use token_recipe::TokenRecipe;
