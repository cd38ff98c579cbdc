//! A reply as a cache keeps it.

use serde::{Deserialize, Serialize};

use super::completion::Completion;
use ragtriage_core::types::{Finish, Origin};

/// A cached response with metadata of its call, without the prompt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct KeptReply {
    /// The text, untouched.
    pub text: String,
    /// Why it ended.
    pub finish: Finish,
    /// Prompt tokens as billed, where the endpoint said.
    pub prompt_tokens: Option<u64>,
    /// Answer tokens as billed, where the endpoint said.
    pub completion_tokens: Option<u64>,
    /// Seconds that its call took, tries and waits included.
    pub seconds: f64,
    /// The data set that it was asked for, as a run's record names it.
    pub dataset: String,
    /// When it came, in seconds of Unix time.
    pub at: u64,
}

impl KeptReply {
    /// Parses a cached response; `None` for other bytes.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// Serialises it for [`Self::read`].
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("texts and numbers serialise")
    }

    /// The reply, taken from a cache.
    pub(super) fn into_reply(self) -> Completion {
        let Self {
            text,
            finish,
            prompt_tokens,
            completion_tokens,
            ..
        } = self;
        Completion {
            text,
            finish,
            origin: Origin::Cached,
            prompt_tokens,
            completion_tokens,
        }
    }
}
