//! Model checkpoints: found in a folder or the model cache, or downloaded and verified.

mod hub;
mod part;
mod pip;
mod source;

pub use source::{HUB, ModelRef, ModelSource, locate};
