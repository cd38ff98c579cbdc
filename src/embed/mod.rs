//! Floor 3, encoders: texts to vectors.
//!
//! [`Local`] runs a BERT checkpoint in this process, [`Cached`] keeps any encoder's vectors in a database file, and
//! [`source`] says where a checkpoint comes from. The forward pass is this crate's own, over vector registers found
//! at run time; models whose arithmetic it does not know are refused by name.

pub mod source;

mod attention;
mod bert;
mod cache;
mod config;
mod error;
mod hub;
mod local;
mod matmul;
mod part;
mod pin;
mod pip;
mod vector;
mod weights;
mod word_pieces;

use async_trait::async_trait;

pub use cache::Cached;
pub use config::{Pooling, Recipe};
pub use error::{Attempt, EmbedError};
pub use local::{Local, LocalOptions};

/// Which side of the search a text stands on: models may prefix the two differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// What is asked.
    Query,
    /// What is searched.
    Passage,
}

/// Called with the number of texts done since the last call, from any thread.
pub type OnProgress<'a> = &'a (dyn Fn(usize) + Send + Sync);

/// Turns texts into vectors of one dimension.
///
/// Contract: one vector a text, in the order given, unit length where the model normalises; the same text in the
/// same role gives the same vector whatever stands beside it in a call, to the bit on one machine; no texts give no
/// vectors; the caller does not retry.
#[async_trait]
pub trait Encoder: Send + Sync {
    /// What the vectors depend on besides the text and role: changes whenever a vector would.
    fn fingerprint(&self) -> &str;

    /// The vectors' length.
    fn dimension(&self) -> usize;

    /// The byte offset up to which `text` is read before the encoder cuts it, its length where it is read whole;
    /// `None` where the encoder cannot know, as a remote one. CPU work of about a millisecond.
    fn read_bytes(&self, text: &str, role: Role) -> Result<Option<usize>, EmbedError>;

    /// Encodes `texts`.
    async fn encode(
        &self,
        texts: &[&str],
        role: Role,
        on_progress: OnProgress<'_>,
    ) -> Result<Vec<Vec<f32>>, EmbedError>;
}
