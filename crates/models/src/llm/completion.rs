//! The response of a generator.

use ragtriage_core::types::{Finish, Origin};

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
