//! Floor 2, transformers of the BERT family (Devlin et al. 2019): bytes of a checkpoint to token vectors.
//!
//! [`WordPieces`] cuts texts into ids, [`Bert`] turns ids into one hidden state a token, [`batch`] spreads sequences over
//! threads. What the states become (a sentence's vector, one vector a token, a score) is the business of `embed/` and
//! `rerank/`. The forward pass is this crate's own, over vector registers found at run time; models whose arithmetic it
//! does not know are refused by name. Pure: files are read by `checkpoint/`.

pub mod batch;

/// Part of every model's fingerprint: raised whenever a change in this folder changes a number that comes out of it.
pub const VERSION: u32 = 3;

mod aligned;
mod amx;
mod attention;
mod config;
mod error;
mod head;
mod matmul;
mod model;
mod panels;
mod precision;
mod product;
mod tensors;
mod tiles;
mod vector;
mod weights;
mod word_pieces;

pub use config::BertConfig;
pub use error::BertError;
pub use head::{Classifier, Dense};
pub use model::{Bert, Sequence, States, Wanted};
pub use precision::kernel;
pub use tensors::Tensors;
pub use weights::Weights;
pub use word_pieces::{EncoderInput, FEWEST_TOKENS, Ids, WordPieces};
