//! Generators: answer prompts.
//!
//! [`Baseline`] reads the passages in this process. [`openai`] calls a chat model; [`Retrying`] adds retries and a concurrency
//! limit, [`WithAllowance`] a spending limit, [`CachedReplies`] a response cache. [`load_template`] loads prompt templates and
//! [`read_answer`] extracts the short answer from a model's output. Packing and scoring are done elsewhere.

mod allowance;
mod answer;
mod baseline;
mod cached;
mod completion;
mod error;
mod kept;
pub mod openai;
pub(crate) mod pause;
pub(crate) mod policy;
mod recorded;
mod retry;
mod template;

use async_trait::async_trait;

pub use self::allowance::{Allowance, Limits, WithAllowance};
pub use self::answer::read_answer;
pub use self::baseline::Baseline;
pub use self::cached::{CachedReplies, REPLIES};
pub use self::completion::Completion;
pub use self::error::{ErrorClass, LlmError, SentParameter, kind_hint};
pub use self::kept::KeptReply;
pub use self::recorded::{RecordedResponses, response_key};
pub use self::retry::Retrying;
pub use self::template::load_template;
use ragtriage_core::prompt::Prompt;
pub use ragtriage_http::Secret;

/// Answers prompts.
///
/// Contract: thread-safe; a failure concerns this prompt only; transient failures (see [`LlmError::class`]) are retried
/// by [`Retrying`] around the implementation, never by the caller.
#[async_trait]
pub trait Generator: Send + Sync {
    /// Returns the name of the model or reader, for reports.
    fn name(&self) -> &str;

    /// Returns everything that a response depends on besides the prompt's two messages: address, model, parameters. `None`:
    /// responses cost nothing and are not cached.
    fn fingerprint(&self) -> Option<&str> {
        None
    }

    /// Returns true if the response to this prompt is cached, so that no call would be made.
    async fn is_cached(&self, _: &Prompt) -> bool {
        false
    }

    /// Answers one prompt.
    async fn generate(&self, prompt: &Prompt) -> Result<Completion, LlmError>;
}
