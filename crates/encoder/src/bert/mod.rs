//! Transformers of the BERT family (Devlin et al. 2019): bytes of a checkpoint to token vectors.
//!
//! [`WordPieces`] splits texts into ids, [`Bert`] turns ids into one hidden state per token, [`batch`] distributes
//! sequences over threads. The use of the states (a sentence's vector, one vector per token, a score) belongs to
//! `embed/` and `rerank/`. The forward pass is implemented here, over vector registers found at run time; models of
//! other arithmetic are rejected by name. Pure: files are read by `checkpoint/`.

pub mod batch;

/// Part of every model's fingerprint: incremented whenever a change in this folder changes a computed number.
pub const VERSION: u32 = 4;

mod amx;
mod attention;
mod config;
mod head;
mod kernel;
mod linear;
mod matmul;
mod model;
mod panels;
mod product;
mod tensors;
mod tiles;
mod vector;
mod weights;
mod word_pieces;

pub use config::BertConfig;
pub use head::Classifier;
pub use kernel::{Instructions, Kernel};
pub use linear::Dense;
pub use model::{Bert, Sequence, States, Wanted};
pub use tensors::Tensors;
pub use weights::Weights;
pub use word_pieces::{EncoderInput, FEWEST_TOKENS, Ids, WordPieces};
