//! Encoders: convert texts to vectors.
//!
//! [`Local`] runs a BERT checkpoint in this process and returns one vector per text, [`LateInteraction`] one per token;
//! [`TwoEncoders`] combines an encoder of questions with one of passages; [`Remote`] calls a server; [`CachedEncoder`]
//! stores any encoder's vectors and lengths in a database file.

mod cache;
mod late_interaction;
mod local;
mod remote;
mod two_encoders;
mod work;

use async_trait::async_trait;

pub use cache::CachedEncoder;
pub use late_interaction::LateInteraction;
pub use local::Local;
pub use remote::Remote;
pub use two_encoders::TwoEncoders;
pub(crate) use work::off_runtime;

use crate::Error;
pub use ragtriage_core::types::VectorShape;
use ragtriage_core::types::{Length, TitledText};

/// The side of the search that a text belongs to: models may prefix the two differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A question.
    Query,
    /// A text that is searched.
    Passage,
}

/// Called with the number of texts done since the last call, from any thread.
pub type OnProgress<'a> = &'a (dyn Fn(usize) + Send + Sync);

/// Converts texts to vectors.
///
/// Contract: one vector per text, in the given order; its length is [`VectorShape::dimension`], or a positive multiple of it
/// if [`VectorShape::many`] holds; a text in one role always gives the same vector regardless of the other texts of a call, to
/// the bit on one machine if the encoder is local; no texts give no vectors; the caller does not retry.
#[async_trait]
pub trait Encoder: Send + Sync {
    /// Identifies everything that the vectors of a role depend on besides the text: changes whenever a
    /// vector would.
    fn fingerprint(&self, role: Role) -> &str;

    /// Returns the form of its vectors.
    fn shape(&self) -> VectorShape;

    /// Returns the byte offset at which the encoder truncates `text.text`, its length if it is read in full; `None`
    /// if unknown, as for a remote encoder. Takes about a millisecond of CPU time.
    fn read_bytes(&self, text: TitledText<'_>, role: Role) -> Result<Option<usize>, Error>;

    /// Returns the length of each text and of the part within the input limit; `None` if unknown.
    async fn lengths(
        &self,
        texts: &[TitledText<'_>],
        role: Role,
    ) -> Result<Option<Vec<Length>>, Error>;

    /// Encodes `texts`.
    async fn encode(
        &self,
        texts: &[TitledText<'_>],
        role: Role,
        on_progress: OnProgress<'_>,
    ) -> Result<Vec<Vec<f32>>, Error>;
}
