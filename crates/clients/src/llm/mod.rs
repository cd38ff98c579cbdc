//! Generators: answer prompts.
//!
//! [`openai`] calls a chat model, with retries, a concurrency limit and, by an [`Allowance`], a spending limit;
//! [`RecordedResponses`] reads a file; [`CachedGenerator`] caches responses. [`read_answer`] extracts the short answer
//! from a model's output. Packing and scoring are done elsewhere.

mod allowance;
mod answer;
mod cached;
pub mod openai;
mod recorded;

use async_trait::async_trait;

pub use self::allowance::Allowance;
pub use self::answer::read_answer;
pub use self::cached::CachedGenerator;
pub use self::recorded::RecordedResponses;
use crate::Error;
use crate::error::Fault;
use crate::http::GENERATION;
use ragtriage_core::config::Price;
use ragtriage_core::prompt::Prompt;
use ragtriage_core::text::tokens::TokenCounter;
use ragtriage_core::types::{ErrorKind, Finish, Origin, TokenUse};

const NOT_RECORDED: &str = "the responses were recorded for other settings; ask a model with `--llm ollama:NAME` or \
     `--llm openai:NAME`";

/// Returns the remedy for failed questions of a generator, by their cause.
#[must_use]
pub fn kind_hint(kind: ErrorKind) -> Option<String> {
    match kind {
        ErrorKind::NotRecorded => Some(NOT_RECORDED.to_owned()),
        ErrorKind::TooLong => GENERATION.hint(Fault::RequestTooLarge),
        kind => GENERATION.hint(Fault::Rejected(kind)),
    }
}

/// The response to a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// The unmodified text.
    pub text: String,
    /// The reason it ended.
    pub finish: Finish,
    /// Its origin: a call or a cache.
    pub origin: Origin,
    /// Prompt tokens as billed, if reported by the endpoint.
    pub prompt_tokens: Option<u64>,
    /// Answer tokens as billed, if reported by the endpoint.
    pub completion_tokens: Option<u64>,
    /// Wall time of the call that gave it, without waits for other calls and before retries; 0 if it was not made now.
    pub seconds: f64,
}

impl Completion {
    /// Returns the tokens of a prompt of `n_prompt_tokens` by our count and of this response, and what they cost in US dollars:
    /// nothing, if it was cached.
    #[must_use]
    pub fn usage(
        &self,
        n_prompt_tokens: u64,
        counter: &dyn TokenCounter,
        price: Price,
    ) -> (TokenUse, f64) {
        let counted = || counter.count(&self.text) as u64;
        let completion = self.completion_tokens.unwrap_or_else(counted);
        let tokens =
            TokenUse { prompt: n_prompt_tokens, prompt_billed: self.prompt_tokens, completion };
        let billed = self.prompt_tokens.unwrap_or(n_prompt_tokens);
        let is_called = self.origin == Origin::Called;
        (tokens, if is_called { price.of(billed, completion) } else { 0.0 })
    }
}

/// Answers prompts.
///
/// Contract: thread-safe; a failure concerns this prompt only; transient failures are retried by the
/// implementation, never by the caller.
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
    async fn generate(&self, prompt: &Prompt) -> Result<Completion, Error>;
}
