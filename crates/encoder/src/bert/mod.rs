//! Transformers of the BERT family (Devlin et al. 2019): bytes of a checkpoint to token vectors.
//!
//! [`WordPieces`] splits texts into ids, [`Bert`] turns ids into one hidden state per token, [`batch`] distributes
//! sequences over threads. The use of the states (a sentence's vector, one vector per token, a score) belongs to
//! `embed/` and `rerank/`. The forward pass is implemented here, over vector registers found at run time; models of
//! other arithmetic are rejected by name. Pure: files are read by `checkpoint/`.

pub mod batch;

/// Part of every model's fingerprint: incremented whenever a change in this folder changes a computed number.
pub const VERSION: u32 = 4;

mod aligned;
mod amx;
mod attention;
mod bfloat;
mod config;
mod error;
mod head;
mod ids;
mod kernel;
mod matmul;
mod model;
mod panels;
mod product;
mod tensors;
mod tiles;
mod vector;
mod weights;
mod window;
mod word_pieces;

pub use config::BertConfig;
pub use error::BertError;
pub use head::{Classifier, Dense};
pub use ids::Ids;
pub use kernel::{Instructions, Kernel};
pub use model::{Bert, Sequence, States, Wanted};
pub use tensors::Tensors;
pub use weights::Weights;
pub use window::Window;
pub use word_pieces::{EncoderInput, FEWEST_TOKENS, WordPieces};
