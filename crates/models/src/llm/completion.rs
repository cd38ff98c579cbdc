//! The response of a generator.

use ragtriage_core::types::{Finish, Origin};

/// The response to a prompt.
#[derive(Clone, Debug, PartialEq)]
pub struct Completion {
    /// The text, untouched.
    pub text: String,
    /// Why it ended.
    pub finish: Finish,
    /// Its origin: a call or a cache.
    pub origin: Origin,
    /// Prompt tokens as billed, where the endpoint says.
    pub prompt_tokens: Option<u64>,
    /// Answer tokens as billed, where the endpoint says.
    pub completion_tokens: Option<u64>,
}
