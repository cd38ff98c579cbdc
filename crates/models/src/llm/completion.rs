//! The response of a generator.

use ragtriage_core::types::{Finish, Origin};

/// The answer of a local reader that found none; [`read_answer`](super::read_answer) reads it as an abstention.
pub(super) const ABSTENTION: &str = "I don't know.";

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
}

impl Completion {
    /// Creates the response of a reader in this process, which counts no tokens.
    pub(super) fn local(text: String) -> Self {
        Self {
            text,
            finish: Finish::Stop,
            origin: Origin::Called,
            prompt_tokens: None,
            completion_tokens: None,
        }
    }
}
